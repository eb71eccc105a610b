/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a location has no instruction yet.  Knows no breakpoint. */
#ifndef CDBG_PENDING_H
#define CDBG_PENDING_H

struct session;
struct loc;

/* What the location waits for, and what to do if that never comes, as one sentence without a full stop; owned by the
   caller. NULL: it has places.  Runs none of the program's code. */
char *pending_why(struct session *s, const struct loc *l);

#endif
