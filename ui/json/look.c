/* SPDX-License-Identifier: BSD-3-Clause */
/* What a running program is in: see look.h. */
#include "config.h"
#include "ui/json/look.h"
#include <stdlib.h>
#include <string.h>
#include "engine/stop.h"
#include "py/hook/hook.h"
#include "py/interp/gil_thread.h"
#include "ui/json/json_out.h"
#include "ui/json/request.h"
#include "ui/wire/inbox.h"
#include "view/view.h"

bool look_asked(const char *text)
{
	struct request rq;
	bool asked;

	if (text[0] != '{')
		return false;
	request_read(&rq, mem_str(text));
	asked = !rq.fault && !strcmp(rq.line, "look");
	request_release(&rq);
	return asked;
}

/* The innermost frame of the program in its main thread, or of all frames. */
static struct val *place(struct session *s)
{
	struct hook_thread *t = hook_thread_main();
	struct stack st = { 0 };
	struct val *v = val_map();
	const struct frame *f;
	int i;

	if (t)
		stack_fill_thread(&st, s, t->ts);
	for (i = 0; t && (f = stack_frame(&st, s, i)) && f->hidden; i++)
		;
	if (t && !f)
		f = stack_frame(&st, s, 0);
	if (t && f) {
		val_put(v, "function", val_str(f->function));
		val_put(v, "file", val_str(f->file));
		val_put(v, "line", val_int(f->line));
		val_put(v, "entry", val_str(f->entry));
	}
	if (t)
		stack_release(&st);
	return v;
}

/* The newest row that waits. */
static struct val *waits_in(const struct rows *r)
{
	struct val *v = val_map();
	const struct val *cell;
	size_t i;
	int c;

	for (i = r->n; i-- > 0;) {
		if (strcmp(rows_text(r, i, "state"), "waits"))
			continue;
		for (c = 0; c < r->ncols; c++) {
			cell = rows_cell(r, i, r->ops->cols[c].name);
			val_put(v, r->ops->cols[c].name, cell ? val_copy(cell) : val_null());
		}
		return v;
	}
	val_free(v);
	return val_null();
}

/* Rows of `info collectives`; NULL: there are none. */
static struct rows *collectives(struct session *s, struct err *err)
{
	const struct view_ops *v = view_find("collectives", err);

	return v ? view_rows(s, v, "", err) : NULL;
}

static void look(void *arg)
{
	struct request *rq = arg;
	struct reply reply = { .more = val_map() };
	struct session *s = session_living();
	struct err err = { "" };
	struct rows *rows = collectives(s, &err);

	val_put(reply.more, "place", place(s));
	val_put(reply.more, "collective", rows ? waits_in(rows) : val_null());
	val_put(reply.more, "moves", val_int(gil_thread_main_moves()));
	if (rows)
		view_text(s, rows, &reply.text);
	json_reply(rq, true, &reply, &err, false);
	reply_release(&reply);
	rows_free(rows);
}

/* With the GIL. */
static void run(void *arg)
{
	struct request *rq = arg;

	if (!session_living() || !session_aside(session_living(), look, rq))
		json_reply_at_once(rq, "cdbg is detached, or at a stop");
	hook_thread_leave();
	request_release(rq);
	free(rq);
}

/* A look that comes while the one before waits for the GIL for long is answered without it. */
void look_answer(const char *text)
{
	enum { LONG_MS = 500 };
	struct request *rq = mem_alloc(sizeof(*rq));
	struct err err;

	request_read(rq, mem_str(text));
	if (gil_thread_waits() >= LONG_MS)
		err_set(&err, "C code holds the GIL");
	else if (gil_thread_post(run, rq, &err) == 0)
		return;
	json_reply_at_once(rq, err.text);
	request_release(rq);
	free(rq);
}

/* ---- a stop --------------------------------------------------------------------------------------------------- */

void look_add_collective(struct buf *out, const struct val *in)
{
	buf_adds(out, val_text(in, "collective"));
	if (val_number(in, "seq", -1) >= 0)
		buf_addf(out, " seq %lld", val_number(in, "seq", -1));
	if (*val_text(in, "group"))
		buf_addf(out, " of %s", val_text(in, "group"));
}

void look_add_wait(struct buf *out, const struct val *in)
{
	buf_adds(out, "waits in ");
	look_add_collective(out, in);
}

static void describe_wait(void *arg)
{
	struct buf *out = arg;
	struct err err;
	struct rows *rows = collectives(session_living(), &err);
	struct val *in = rows ? waits_in(rows) : val_null();

	if (in->type == VAL_MAP)
		look_add_wait(out, in);
	else
		buf_adds(out, "runs C code");
	val_free(in);
	rows_free(rows);
}

/* With the GIL.  C code that computes gets more time than one that waits: the processor may be busy elsewhere. */
static void stand_in(void *unused)
{
	enum { TRIES = 10 };
	struct session *s = session_living();
	struct buf what = { 0 };
	int i;

	(void)unused;
	for (i = 0; i < TRIES && inbox_stop_is_late() && !gil_thread_main_waits(); i++)
		;
	if (s && inbox_stop_is_late() && session_aside(s, describe_wait, &what))
		session_stand_in(s, buf_str(&what), inbox_stop_is_late);
	hook_thread_leave();
	buf_release(&what);
}

/* If there is no thread, the stop comes when the C code is over. */
void look_stop(void)
{
	struct err err;

	gil_thread_post(stand_in, NULL, &err);
}
