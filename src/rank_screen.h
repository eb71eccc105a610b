/* SPDX-License-Identifier: BSD-3-Clause */
/* The full screen of a rank, on a terminal of its controller.  The machine interface stays open beside it: the
   controller is told of stops and ends, and its commands wait until the screen is left. */
#ifndef CDBG_RANK_SCREEN_H
#define CDBG_RANK_SCREEN_H

struct err;
struct front_ops;
struct session;

/* The front end while it is there: both of them. */
extern const struct front_ops rank_screen;
/* where: "DEVICE FILESYSTEM INODE TYPE" of a terminal; the two numbers, as stat() has them, show that the name means
   the same here.  leave: has the session go back to the machine interface alone, when the
   terminal is closed.  -1: err. */
int rank_screen_open(const char *where, void (*leave)(struct session *s), struct err *err);
void rank_screen_left(void); /* tells the controller */

#endif
