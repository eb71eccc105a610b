/* SPDX-License-Identifier: BSD-3-Clause */
/* What a plugin says that the running program is in, for a front end to show while it runs.  Any thread may call;
   none waits for the GIL. */
#ifndef CDBG_DOING_H
#define CDBG_DOING_H
#include <stdbool.h>

struct buf;

/* text: "compiling forward 0/1: guards"; NULL: nothing any more.  began: CLOCK_MONOTONIC's seconds; after: what follows
   the time so far, "(the last one took 3 s)", or NULL.  Both are cut to 200 bytes. */
void doing_set(const char *text, double began, const char *after);
/* From now on changed is called in each doing_set(), in its thread, with its text; NULL: nothing is.  Any thread; one
   listener at most. */
void doing_listen(void (*changed)(const char *text));
/* Adds "compiling forward 0/1: guards, 12 s (the last one took 3 s)"; false: nothing, or for less than a second. */
bool doing_add(struct buf *out);
/* What the thread that stopped does in C code, "waits in all_reduce", while another one serves its stop: see
   session_stand_in().  NULL: it stands in Python.  With the GIL; kept by address. */
void doing_in_c(const char *what);
const char *doing_waits(void);

#endif
