/* SPDX-License-Identifier: BSD-3-Clause */
/* A stop, from the event until the program continues. */
#ifndef CDBG_STOP_H
#define CDBG_STOP_H
#include <stdbool.h>
#include "event/event.h"

struct buf;
struct session;

/*
 * An event that stops the program: serves the front end until a command continues the program.  Called in the program's
 * thread with the GIL, from dispatch.c or for a plugin.  A stop that another thread reaches at the same time waits here
 * (GIL released) and is shown next.  Nothing escapes: the program's exception, tracing and the plugins' state are as
 * before.
 */
void session_stop(struct session *s, const struct event *ev);
/* The front end's requests are executed while the program runs, in the bracket of a stop: front_ops.visit.  Called in
   the program's thread with the GIL, between two instructions. */
void session_visit(struct session *s, struct hook_thread *t);
/* Runs this as at a stop, without one: the thread reports nothing meanwhile, other stops wait, and the program's
   exception and the plugins' state are as before.  false: the thread is at a stop already, or the session has ended. */
bool session_aside(struct session *s, void (*run)(void *arg), void *arg);
/*
 * A stop of the main thread, which is in C code without the GIL: this thread of cdbg's own serves it in its place.  The
 * main thread cannot step; when its C code is over it waits until the stop is.  waits: what the main thread does,
 * "waits in all_reduce".  wanted: asked again when other stops are over; false: there is no stop.
 */
void session_stand_in(struct session *s, const char *waits, bool (*wanted)(void));
/* An exception that no handler caught: stop with its frames readable.  All borrowed. */
void session_post_mortem(struct session *s, struct py_obj *type, struct py_obj *exc, struct py_obj *tb);
/* There is no program: the front end serves the record of a process that is gone, which record_gone_load() has read. */
void session_gone(struct session *s);
/* The program ended: the front end serves what remains; returns when it is time to end the process. */
void session_exit(struct session *s, int status);
/* The number of the current stop: no two of a session have the same. */
unsigned long stop_number(void);
/* Select another thread's stack (`thread N`). */
int session_select_thread(struct session *s, int number, struct err *err);

/* ---- what a stop has to say in full, also after the program has ended ---- */

/* Add the text of this stop in lines, the first one a title: the card of its kind, else its line; of an exception also
   the line that raised it.  True: there is more than `describe` has. */
bool stop_card(struct session *s, const struct event *ev, struct buf *out);
/* Remember the text of a stop that has a card, for stop_card_last().  Inside the stop, when its frames are known. */
void stop_card_keep(struct session *s, const struct event *ev);
/* The name of the last such stop's kind, its text added to out; NULL: there was none. */
const char *stop_card_last(struct buf *out);

#endif
