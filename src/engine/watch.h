/* SPDX-License-Identifier: BSD-3-Clause */
/* Watchpoints: values compared after each instruction of the activation they were set in.  Knows no command. */
#ifndef CDBG_WATCH_H
#define CDBG_WATCH_H
#include "py/hook/hook.h"

struct bp;
struct buf;
struct err;
struct session;
struct val;

/* Before an instruction: the watchpoint whose value has changed since it was last looked at, or NULL. */
struct bp *watch_check(struct session *s, struct hook_thread *t, struct py_frame *f);
/* This activation has ended: delete its watchpoints, with a note. */
void watch_left(struct session *s, struct py_frame *f);
const struct code *watch_code(const struct bp *b); /* of its activation */
/* The last change: a map with expression, old and new; owned by the caller. */
struct val *watch_detail(const struct bp *b);
/* Which changes it cannot see, a sentence a line; nothing where it sees all. */
void watch_limits(const struct bp *b, struct buf *out);
/* At a stop: the value of its expression in its activation, evaluated now: a new reference; NULL: err says what it
   raised. */
struct py_obj *watch_object(struct session *s, const struct bp *b, struct err *err);
struct py_obj *watch_take_value(struct bp *b); /* ... its new value: a new reference; NULL: unbound */

#endif
