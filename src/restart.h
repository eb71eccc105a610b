/* SPDX-License-Identifier: BSD-3-Clause */
/* `restart`: the process executes the same program again, with breakpoints, displays and options; for module.c
   alone. */
#ifndef CDBG_RESTART_H
#define CDBG_RESTART_H
#include <stdbool.h>

struct err;
struct session;

struct restart {
	int fd;	     /* a file in memory with the commands that restore them */
	char **argv; /* owned */
};

void restart_remember(void); /* how the process began; when the module is loaded */
bool restart_possible(void); /* it was started as `python -m cdbg` */
int restart_prepare(struct restart *r, struct session *s, struct err *err);
void restart_now(struct restart *r, struct err *err); /* returns only when it failed */
void restart_read(struct session *s, int fd);	      /* queue the commands of the process before */

#endif
