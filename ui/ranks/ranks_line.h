/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines typed to the controller: edited on a terminal, else read from a pipe or file; ranks are followed meanwhile.
   Knows no command. */
#ifndef CDBG_RANKS_LINE_H
#define CDBG_RANKS_LINE_H

struct buf;
struct controller;

void ranks_line_open(struct controller *c);
/* The caller's; NULL: there are no more.  "" after Ctrl-C. */
char *ranks_line_read(struct controller *c, const char *prompt);
/* Shows text now, also in the middle of a line that is edited. */
void ranks_line_show(const char *text);

#endif
