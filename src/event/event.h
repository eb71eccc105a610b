/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop events: what can stop the program, one constant a kind, one file each.  Knows no session and no front end. */
#ifndef CDBG_EVENT_H
#define CDBG_EVENT_H
#include "event/kind.h"

/*
 * Take and release references to all objects of an event: commands may replace what the frame, the stack or the
 * exception held when the event was created. event_set_value() stores a value that a command changed.
 */
void event_hold(struct event *ev);
void event_drop(struct event *ev);
void event_set_value(struct event *ev, struct py_obj *value); /* borrowed; NULL: it no longer exists */

/* Every kind, in the order in which the tables were added.  NULL past the last. */
const struct event_kind *event_at(int i);
/* Finds a kind that can be caught by its name or an unambiguous prefix; NULL with err. */
const struct event_kind *event_find(const char *name, struct err *err);
void event_add(const struct event_kind *const *kinds); /* NULL-terminated; kept by reference; once only */

#endif
