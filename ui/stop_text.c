/* SPDX-License-Identifier: BSD-3-Clause */
/* A stop as plain data for machines and as lines for people.  Knows no terminal and no JSON library. */
#include <string.h>
#include "base/visible.h"
#include "../ui/front.h"
#include "engine/display.h"
#include "engine/doing.h"
#include "engine/past.h"
#include "engine/watch.h"
#include "event/event_table.h"
#include "py/hook/hook.h"
#include "py/record/record_code.h"
#include "py/value/value.h"
#include "view/render.h"

#define MESSAGE_MAX 2000

/* ---- for machines -------------------------------------------------------------------------------------- */

static struct val *text_or_null(const char *s)
{
	return s ? val_str(s) : val_null();
}

/* The frame and stop of the machine interface, also used for plain notes and tests. */
static struct val *front_frame(struct session *s, const struct frame *f)
{
	struct val *v = val_map();
	struct buf arg = { 0 };
	bool known = f->code && f->index >= 0;
	const struct instr *i = known ? &f->code->instr[f->index] : NULL;
	const struct record_instr *in = f->past && !f->code ? past_instr(f->past) : NULL;

	(void)s;
	if (known)
		code_arg_text(f->code, f->index, &arg);
	else if (in)
		buf_adds(&arg, record_code_text(f->past->code, in->arg));
	val_put(v, "level", val_int(f->level));
	val_put(v, "function", text_or_null(f->function));
	val_put(v, "qualname", text_or_null(f->qualname));
	val_put(v, "file", text_or_null(f->file));
	val_put(v, "line", f->line ? val_int(f->line) : val_null());
	val_put(v, "kind", val_str(kind_name(f->kind)));
	val_put(v, "offset", known ? val_int(i->offset) : in ? val_int(2 * (long long)in->unit) : val_null());
	val_put(v, "index", known ? val_int(f->index) : val_null());
	val_put(v, "opname",
		known ? val_str(py_op_name(i->op)) :
		in    ? val_str(record_code_text(f->past->code, in->op)) :
			val_null());
	val_put(v, "arg", arg.len ? val_str(arg.s) : val_null());
	val_put(v, "region", text_or_null(f->region));
	val_put(v, "entry", text_or_null(f->entry));
	if (f->inner)
		val_put(v, "inner", val_str(f->inner));
	if (f->kind == KIND_GRAPH) {
		val_put(v, "node", text_or_null(f->node));
		val_put(v, "user_file", text_or_null(f->user_file));
		val_put(v, "user_line", f->user_file ? val_int(f->user_line) : val_null());
	}
	buf_release(&arg);
	return v;
}

static void put_summary(struct val *v, const char *key, struct py_obj *value)
{
	struct buf b = { 0 };

	value_show_data(value, &b, MESSAGE_MAX);
	val_put(v, key, val_str(buf_str(&b)));
	buf_release(&b);
}

static void put_exception(struct val *v, const struct event *ev)
{
	struct buf message = { 0 };

	val_put(v, "type", ev->exc ? val_str(value_type(ev->exc)) : val_null());
	if (ev->exc && value_str(ev->exc, &message, MESSAGE_MAX, NULL) == 0)
		val_put(v, "message", val_str(buf_str(&message)));
	else
		val_put(v, "message", val_null());
	if (ev->dead)
		val_put(v, "dead", val_bool(true));
	buf_release(&message);
}

struct val *front_stop(struct session *s, const struct event *ev)
{
	const struct frame *f = stack_frame(&s->stack, s, s->selected);
	struct val *v = val_map();

	val_put(v, "event", val_str("stopped"));
	val_put(v, "reason", val_str(ev->kind->name));
	val_put(v, "thread", val_int(s->gone ? past_thread(s) : ev->thread->number));
	if (ev->number)
		val_put(v, "number", val_int(ev->number));
	if (ev->value)
		put_summary(v, "value", ev->value);
	if (ev->type)
		put_exception(v, ev);
	if (ev->detail)
		val_put(v, "detail", val_copy(ev->detail));
	if (s->past)
		val_put(v, "past", past_val(s));
	val_put(v, "frame", f ? front_frame(s, f) : val_null());
	if (doing_waits())
		val_put(v, "waits", val_str(doing_waits()));
	return v;
}

/* ---- for people ---------------------------------------------------------------------------------------- */

void front_text(struct buf *out, const char *text, bool value)
{
	struct buf marked = { 0 };

	if (value)
		visible_value(&marked, text, strlen(text));
	visible_add(out, value ? buf_str(&marked) : text, value ? marked.len : strlen(text), true);
	buf_release(&marked);
}

void front_stop_reason(const struct event *ev, struct buf *out)
{
	if (ev->kind->describe)
		ev->kind->describe(ev, out);
	else
		buf_adds(out, ev->kind->name);
	if (doing_waits())
		buf_addf(out, " (%s)", doing_waits());
}

void front_stop_text(struct session *s, const struct event *ev, struct buf *out)
{
	const struct frame *f = stack_frame(&s->stack, s, s->selected);
	struct buf what = { 0 };

	past_text(s, out);
	if (ev->kind != &ev_step && ev->kind != &ev_start) {
		front_stop_reason(ev, &what);
		buf_adds(out, "stopped: ");
		visible_value(out, buf_str(&what), what.len);
		buf_addc(out, '\n');
		buf_release(&what);
	}
	if (!f)
		return;
	render_frame(f, out);
	if (s->gone && past_thread(s) != 1) {
		buf_addf(out, " (thread %d)", past_thread(s));
	} else if (!s->gone && ev->thread->number != 1) {
		buf_adds(out, " (");
		render_thread(ev->thread, out);
		buf_addc(out, ')');
	}
	buf_addc(out, '\n');
	render_place(s, f, out);
	if (!s->past) /* expressions have no value there */
		display_text(s, out);
}
