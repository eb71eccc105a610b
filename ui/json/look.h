/* SPDX-License-Identifier: BSD-3-Clause */
/* {"id":7,"command":"look"}: what a running program is in, answered by a thread of cdbg's own, also while the main
   thread waits in C code without the GIL.  The reply: {"place":{"function","file","line"},"collective":{..row of
   `info collectives` that waits, or null..},"moves":..how often the main thread has given up the processor by itself:
   equal at two looks, it waited all the time between..,"text":..all rows..}. */
#ifndef CDBG_LOOK_H
#define CDBG_LOOK_H
#include <stdbool.h>

struct buf;
struct val;

bool look_asked(const char *text);  /* is this message one? */
void look_answer(const char *text); /* any thread, without the GIL */
/* The stop that was asked for is late: if the main thread is in C code without the GIL, that thread of cdbg's serves a
   stop in its place.  Any thread. */
void look_stop(void);
/* "all_reduce seq 4 of default_pg", and with "waits in" before it: such a row; as it came, for visible(). */
void look_add_collective(struct buf *out, const struct val *collective);
void look_add_wait(struct buf *out, const struct val *collective);

#endif
