/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of one program that is debugged: one runs, the others are checkpoints and wait for their turn.  The one
   that was started is the root: its number is the one that others know, so it stays while any of them runs, passes on
   signals, and ends as that one ends.  What they share is memory; no descriptor is needed, and none of the others
   outlives the root.  Knows no session and no Python. */
#ifndef CDBG_FAMILY_H
#define CDBG_FAMILY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct err;

enum { FAMILY_MAX = 32, FAMILY_WHERE = 160, FAMILY_TEXT = 1 << 20 };
enum family_kind { FAMILY_TAKEN, FAMILY_AUTO, FAMILY_LEFT }; /* asked for; at a stop; the root that was left */

struct family_member {
	_Atomic pid_t pid;    /* 0: it is being made */
	int number;	      /* of the checkpoint; 0: this place is free, or its process ends */
	bool used;	      /* this place is taken */
	unsigned long stop;   /* the number of the stop that it waits at */
	unsigned long record; /* of its record; 0: nothing is recorded */
	uint64_t instruction; /* ... the number of the one that it waits before */
	struct timespec made; /* CLOCK_MONOTONIC */
	enum family_kind kind;
	char where[FAMILY_WHERE]; /* for people */
};

/* The i-th checkpoint in the order of their numbers; NULL past the last.  Those whose process has died are gone. */
const struct family_member *family_at(int i);
const struct family_member *family_find(int number); /* NULL: there is none */

/* A place for a checkpoint of this process, as new says, with the next number.  NULL: err. */
struct family_member *family_add(const struct family_member *new, struct err *err);
/* After the fork, in the process that goes on: pid, or -1: the place is free again, and the number too. */
void family_born(struct family_member *m, pid_t pid);
/* In the child, with all signals blocked: sleeps until it is this process's turn.  It then leaves a copy of itself that
   waits under the same number.  -1: it could not, and the number is gone. */
int family_wait(struct family_member *m);
/* The turn of m; the caller waits.  Returns when it is the caller's again, which only the root's can be: another
   process ends here.  root: how the root is listed meanwhile. */
void family_go(const struct family_member *m, const struct family_member *root);
void family_end(const struct family_member *m); /* the checkpoint's process ends; not the root's */
void family_end_all(void);
/* In a child that the program forked: the family is its parent's. */
void family_forget(void);

/* What the process that leaves says to the next one: FAMILY_TEXT bytes; NULL before the first family_add(). */
char *family_text(void);

#endif
