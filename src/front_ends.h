/* SPDX-License-Identifier: BSD-3-Clause */
/* Which front end the session has. */
#ifndef CDBG_FRONT_ENDS_H
#define CDBG_FRONT_ENDS_H

struct args;
struct err;
struct front_ops;
struct session;

/* The session's front end, to be opened; released: called when one has left the terminal for good. */
const struct front_ops *front_ends_choose(const struct args *a, void (*released)(struct session *s));
int front_ends_open(const struct args *a, struct err *err);

#endif
