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
/* The same, but at the first stop: until then a session that only answers the program shows nothing and takes no
   terminal.  a must live as long as the session. */
void front_ends_open_later(const struct args *a);
/* Leaves the terminal until the next stop. */
void front_ends_close(struct session *s, const struct args *a);

#endif
