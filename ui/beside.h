/* SPDX-License-Identifier: BSD-3-Clause */
/* Two front ends of one session: the one that a person has, and one for the clients of a socket beside it, which sees
   the same stops and gives commands, too.  Knows neither of them. */
#ifndef CDBG_BESIDE_H
#define CDBG_BESIDE_H
#include <stdbool.h>

struct front_ops;
struct session;

/* Before the session starts: this one is beside whatever the person has.  It serves clients by `visit`, at a stop,
   too. */
void beside_add(const struct front_ops *other);
/* The person has this one now: both as one, to be copied; without another that one itself. */
const struct front_ops *beside_with(const struct front_ops *own);
/* Another one for the person, at a stop or an end that the other one knows of. */
void beside_told(void);
void beside_release(struct session *s); /* of the other one; nothing without it */

/* A client has asked for something, or has come, while the program is stopped: any thread, without the GIL. */
void beside_wake(void);

/* For the person's front end, where it waits for a line.  Has a client asked for something? */
bool beside_asks(void);
/* Serves it.  True: no line is to be read, the program goes on. */
bool beside_serve(struct session *s);

#endif
