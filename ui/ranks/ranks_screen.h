/* SPDX-License-Identifier: BSD-3-Clause */
/* The full screen of a rank on the controller's terminal, below a row that tells the states of all ranks.  The rank
   draws on a pseudo terminal that has a row less; its bytes are passed on.  Knows nothing of what the rank shows. */
#ifndef CDBG_RANKS_SCREEN_H
#define CDBG_RANKS_SCREEN_H

struct buf;
struct controller;
struct err;

/* `screen [N]`, a command of the controller: see struct ranks_command.  Returns when the screen was left, with the
   terminal as it was, whatever happened to the rank. */
int ranks_screen_run(struct controller *c, const char *args, struct buf *out, struct err *err);

#endif
