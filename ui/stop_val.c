/* SPDX-License-Identifier: BSD-3-Clause */
/* Stops and frames as the objects of the machine interface.  Knows no JSON. */
#include <stdlib.h>
#include "engine/stack.h"
#include "event/table.h"
#include "py/hook.h"
#include "py/value.h"
#include "ui/front.h"

enum { SUMMARY = 200 };                      /* bytes of a value or a message */

static struct val *number_or_null(int n, int none)
{
	return n == none ? val_null() : val_int(n);
}

static void put_instr(struct val *m, const struct frame *f)
{
	struct buf arg = { 0 };
	bool known = f->code && f->index >= 0;

	if (known) {
		code_decode(f->code);
		known = f->index < f->code->n;
	}
	val_put(m, "offset", known ? val_int(f->code->instr[f->index].offset) : val_null());
	val_put(m, "index", known ? val_int(f->index) : val_null());
	val_put(m, "opname", known ? val_str(py_op_name(f->code->instr[f->index].op)) : val_null());
	if (known)
		code_arg_text(f->code, f->index, &arg);
	val_put(m, "arg", arg.len ? val_str(arg.s) : val_null());
	buf_release(&arg);
}

struct val *front_frame(struct session *s, const struct frame *f)
{
	struct val *m = val_map();

	(void)s;
	val_put(m, "level", val_int(f->level));
	val_put(m, "function", val_str(f->function));
	val_put(m, "file", val_str(f->file));
	val_put(m, "line", number_or_null(f->line, 0));
	val_put(m, "kind", val_str(kind_name(f->kind)));
	put_instr(m, f);
	val_put(m, "region", val_str(f->region));
	val_put(m, "entry", val_str(f->entry));
	return m;
}

static struct val *summary(struct py_obj *v)
{
	struct buf b = { 0 };
	struct val *r;

	value_show(v, &b, SUMMARY);
	r = val_str(buf_str(&b));
	buf_release(&b);
	return r;
}

static void put_exception(struct val *m, const struct event *ev)
{
	struct buf b = { 0 };
	struct err err;

	val_put(m, "type", val_str(ev->exc ? value_type(ev->exc) : NULL));
	if (ev->exc && value_str(ev->exc, &b, SUMMARY * 10, &err) < 0) {
		buf_reset(&b);
		buf_addf(&b, "<no message: %s>", err.text);
	}
	val_put(m, "message", val_str(buf_str(&b)));
	val_put(m, "uncaught", val_bool(ev->dead));
	buf_release(&b);
}

struct val *front_stop(struct session *s, const struct event *ev)
{
	struct val *m = val_map();
	struct frame *f = session_frame(s, NULL);

	val_put(m, "event", val_str("stopped"));
	val_put(m, "reason", val_str(ev->kind->name));
	val_put(m, "thread", val_int(ev->thread->number));
	if (ev->number)
		val_put(m, "number", val_int(ev->number));
	if (ev->value)
		val_put(m, "value", summary(ev->value));
	if (ev->kind == &ev_exception)
		put_exception(m, ev);
	if (ev->detail)
		val_put(m, "detail", val_copy(ev->detail));
	val_put(m, "frame", f ? front_frame(s, f) : val_null());
	return m;
}
