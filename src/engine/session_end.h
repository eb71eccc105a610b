/* SPDX-License-Identifier: BSD-3-Clause */
/* How the session ends before the program does: a detach, and a fork. */
#ifndef CDBG_SESSION_END_H
#define CDBG_SESSION_END_H
#include <stdbool.h>

struct session;

void session_detach(struct session *s); /* remove hooks and wrappers; calls the front end's release */
/* In a forked child: remove hooks and front end; true if follow-fork-mode keeps the session in the child. */
bool session_forked(struct session *s);
void session_forked_parent(struct session *s); /* in its parent, which then runs without the session */

#endif
