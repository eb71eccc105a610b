/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of the controller, and which ranks any other command is for.  Knows no terminal. */
#ifndef CDBG_RANKS_CMD_H
#define CDBG_RANKS_CMD_H
#include <stdbool.h>

struct buf;
struct controller;
struct err;

/* One of the controller's own. */
struct ranks_command {
	const char *name; /* one word or two: "info ranks" */
	const char *args; /* for help, or NULL */
	const char *help; /* one line, no full stop */
	const char *more; /* further lines of its help, or NULL */
	/* args: the rest of the line, never NULL.  Adds its answer to out.  -1: err. */
	int (*run)(struct controller *c, const char *args, struct buf *out, struct err *err);
};

/* What became of the controller by a command. */
enum ranks_end { RANKS_GO_ON, RANKS_QUIT, RANKS_DETACHED };

/* Runs a line; its answer is added to out, an error as well. */
enum ranks_end ranks_cmd_run(struct controller *c, const char *line, struct buf *out);
bool ranks_cmd_gathers(void); /* lines up to `end` belong to a command */

#endif
