/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the program's threads, each with its innermost frame of the program. */
#include "base/buf.h"
#include "base/val.h"
#include "engine/doing.h"
#include "engine/past.h"
#include "engine/session.h"
#include "py/hook/hook.h"
#include "py/interp/names.h"
#include "py/record/record_code.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "thread", .help = "what `thread` takes" },
	{ .name = "name", .help = "as named by the program" },
	{ .name = "function", .help = "its innermost function of the program" },
	{ .name = "file", .help = "location of that function" },
	{ .name = "line", .help = "where it runs or waits" },
	{ .name = "current", .help = "the selected thread", .machine_only = true },
	{ .name = "stopped", .help = "the thread that stopped", .machine_only = true },
	{ .name = NULL },
};

static const struct frame *innermost_frame(struct stack *st, struct session *s)
{
	const struct frame *f;
	int i;

	for (i = 0; (f = stack_frame(st, s, i)) && f->hidden; i++)
		;
	return f ? f : stack_frame(st, s, 0);
}

static void threads_add_row(struct session *s, struct hook_thread *t, struct rows *out)
{
	struct stack other = { 0 };
	const struct frame *f;
	struct buf name = { 0 };
	bool current = t == s->viewed;

	if (current) {
		f = stack_frame(&s->stack, s, s->selected);
	} else {
		if (t == s->thread)
			stack_fill(&other, s, s->event);
		else
			stack_fill_thread(&other, s, t->ts);
		f = innermost_frame(&other, s);
	}
	names_thread(t->ts, &name);
	rows_add(out, current ? MARK_CURRENT : 0);
	rows_int(out, "thread", t->number);
	rows_str(out, "name", ROLE_NAME, name.len ? name.s : NULL);
	if (f) {
		rows_str(out, "function", ROLE_NAME, f->function);
		rows_shown(out, "function", f->qualname);
		rows_str(out, "file", ROLE_TEXT, f->file);
		if (f->line)
			rows_int(out, "line", f->line);
	}
	rows_bool(out, "current", current);
	rows_bool(out, "stopped", t == s->thread);
	buf_release(&name);
	stack_release(&other);
}

/* Of a process that is gone: those of its record. */
static void recorded_threads(struct session *s, const struct view_req *req, struct rows *out)
{
	const struct record_code *c;
	const struct record_instr *in;
	uint32_t unit = 0;
	int i, number;

	for (i = 0; past_gone_at(i, &number, &c, &unit); i++) {
		if (!rows_want(out, req))
			continue;
		rows_add(out, number == past_thread(s) ? MARK_CURRENT : 0);
		rows_int(out, "thread", number);
		if (c) {
			in = record_code_instr(c, record_code_step(c, unit)->instr);
			rows_str(out, "function", ROLE_NAME, record_code_text(c, c->qualname));
			rows_str(out, "file", ROLE_TEXT, record_code_text(c, c->file));
			if (in->line > 0)
				rows_int(out, "line", in->line);
		}
		rows_bool(out, "current", number == past_thread(s));
		rows_bool(out, "stopped", i == 0);
	}
}

/* cdbg's own, which serves the stop of another one. */
static bool is_ours(const struct session *s, const struct hook_thread *t)
{
	return s->thread && doing_waits() && t->in_stop;
}

static int view_threads_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct hook_thread *t;

	(void)err;
	if (s->gone) {
		recorded_threads(s, req, out);
		return 0;
	}
	for (t = hook_thread_first(); t; t = t->next)
		if (!is_ours(s, t) && rows_want(out, req))
			threads_add_row(s, t, out);
	return 0;
}

static void view_threads_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	if (what == ACTION_ENTER)
		buf_addf(line, "thread %lld", rows_number(r, row, "thread", 0));
}

const struct view_ops view_threads = {
	.name = "threads",
	.alias = "t",
	.help = "the program's threads",
	.cols = cols,
	.gone = true,
	.needs_stop = true,
	.fill = view_threads_fill,
	.none = "no threads",
	.action = view_threads_action,
};
