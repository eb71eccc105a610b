/* SPDX-License-Identifier: BSD-3-Clause */
/* `restart`: the process executes the same program again, with breakpoints, displays and options; for module.c
   alone. */
#ifndef CDBG_RESTART_H
#define CDBG_RESTART_H
#include <stdbool.h>

struct buf;
struct err;
struct session;

struct restart {
	int fd;	     /* a file in memory with the commands that restore them */
	char **argv; /* owned */
};

void restart_remember(void); /* how the process began; when the module is loaded */
bool restart_possible(void); /* it was started as `python -m cdbg` */
int restart_prepare(struct restart *r, struct session *s, struct err *err);
/* What the front end of the next process must know: text without a NUL.  At most once. */
void restart_say(struct restart *r, const struct buf *said);
void restart_now(struct restart *r, struct err *err); /* returns only when it failed */
/* In that process: what was said, kept until it ends; NULL: nothing, also without a descriptor (-1). */
const char *restart_said(int fd);
void restart_queue(struct session *s, int fd); /* the commands */

#endif
