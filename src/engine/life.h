/* SPDX-License-Identifier: BSD-3-Clause */
/* How the session ends before the program does: a detach, and a fork. */
#ifndef CDBG_LIFE_H
#define CDBG_LIFE_H
#include <stdbool.h>

struct session;

void session_detach(struct session *s);      /* hooks and wraps out; the front end's release is called */
/* A forked child: hooks out, no front end; true where follow-fork-mode has it go on with the session. */
bool session_forked(struct session *s);
void session_forked_parent(struct session *s);       /* ... and its parent, which then runs on without */

#endif
