/* SPDX-License-Identifier: BSD-3-Clause */
/* The dispatcher passes the hooks' events to trace, breakpoints, watchpoints and step plans, in this order. */
#ifndef CDBG_DISPATCH_H
#define CDBG_DISPATCH_H
#include <stdbool.h>

struct err;
struct event;
struct py_code;
struct py_frame;
struct py_obj;
struct session;

int session_start(struct session *s, struct err *err); /* hooks in */
/* The script's code object is about to run in this thread: stop before its first instruction (kind `start`). */
void session_stop_at(struct session *s, struct py_code *co);
/* The same for the script with this co_filename, which this thread compiles and runs next; NULL: cancel, and end a step
   that has left what ran. */
void session_stop_at_file(struct session *s, struct py_obj *file);
/* cdbg.breakpoint(): stop at the next instruction of the innermost frame that is not cdbg's own. */
void session_break_here(struct session *s);
/* The same in this frame of the thread, once those that it calls have returned. */
void session_break_in(struct session *s, struct py_frame *f);
/* An event that stops only if a catchpoint matches it. */
void dispatch_event(struct session *s, struct event *ev);

#endif
