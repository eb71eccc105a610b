/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.12 and later: sys.monitoring's tool ids and how events are asked for by them.  For live_monitor.c,
   hook_monitor.c and jump_monitor.c only. */
#ifndef CDBG_TOOLS_MONITOR_H
#define CDBG_TOOLS_MONITOR_H
#include <stdbool.h>

struct buf;
struct err;
struct py_code;

/* sys.monitoring's events that are used, as bits; see tools_monitor_start(). */
struct tool_events {
	int start, resume, ret, yield, instruction, line, raise, unwind;
};
extern struct tool_events tool_event;

/* Finds sys.monitoring; fails if its type is unexpected.  came() is called when another tool begins while an
   id is ours, before it gets an event. */
int tools_monitor_start(void (*came)(void), struct err *err);
/* The callback for these events (a mask): one of hook_monitor.c's; owned by tools_monitor.c from then on. */
void tools_monitor_callback(int events, void *callback);
void *tools_monitor_disable(void); /* sys.monitoring.DISABLE, borrowed */

bool tools_monitor_take(void); /* a tool id is ours; taken when there was none */
void tools_monitor_give_back(void);
bool tools_monitor_ours(void);
bool tools_monitor_others(void); /* there are, or were, other tools beside ours */
/* Could an id be taken, or is one ours?  -1: err names who has them, and the remedy. */
int tools_monitor_able(struct err *err);
/* Our ids, and the other tool at an id, in words; empty: none.  False: there is no such id. */
void tools_monitor_describe(struct buf *out);
bool tools_monitor_name(int id, struct buf *out);

/* Our events of one code object, and of all code; an id is ours. */
void tools_monitor_set(struct py_code *co, int events);
void tools_monitor_set_all(int events);
/* Makes sure that neither other tools nor we lose events of this code. False: it failed. */
bool tools_monitor_prime(struct py_code *co);
/* Another tool that watches lines of this code, by its name: new reference, NULL: none. */
void *tools_monitor_line(struct py_code *co);

#endif
