/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: threads, stackTrace.  Numbers for frames, which hold for one stop. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "engine/stop.h"
#include "py/hook/hook.h"
#include "ui/dap/dap_call.h"
#include "ui/dap/dap_message.h"
#include "ui/dap/dap_state.h"
#include "view/view.h"

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static struct {
	struct dap_selection *frame;
	size_t n, cap;
	long long first; /* number of frame[0]: none is given twice */
} given = { .first = 1 };

void dap_frames_forget(void)
{
	given.first += (long long)given.n;
	given.n = 0;
}

static long long frame_id(int thread, int level)
{
	size_t i;

	for (i = 0; i < given.n; i++)
		if (given.frame[i].thread == thread && given.frame[i].level == level)
			return given.first + (long long)i;
	given.frame = mem_grow(given.frame, &given.cap, given.n + 1, sizeof(*given.frame));
	given.frame[given.n] = (struct dap_selection){ thread, level };
	return given.first + (long long)given.n++;
}

struct dap_selection dap_frames_selected(struct session *s)
{
	return (struct dap_selection){ s->viewed ? s->viewed->number : 0, s->selected };
}

static int select_thread(struct session *s, int number, struct err *err)
{
	return s->viewed && s->viewed->number == number ? 0 : session_select_thread(s, number, err);
}

void dap_frames_restore(struct session *s, struct dap_selection was)
{
	struct err none;

	if (session_stopped(s) && was.thread && select_thread(s, was.thread, &none) == 0)
		session_select(s, was.level);
}

int dap_frames_select(struct session *s, long long id, struct err *err)
{
	const struct dap_selection *f;

	if (id < given.first || id >= given.first + (long long)given.n)
		return err_set(err, "no frame %lld: the program has run since that stop", id);
	f = &given.frame[id - given.first];
	if (select_thread(s, f->thread, err) < 0)
		return -1;
	session_select(s, f->level);
	return 0;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list, which the reader's thread answers with */
static struct val *list;				 /* owned; NULL: not known yet */
static int last_thread = 1;				 /* the client knows threads up to this number */

struct val *dap_frames_threads(void)
{
	struct val *body = val_map(), *one;

	pthread_mutex_lock(&lock);
	if (list) {
		val_put(body, "threads", val_copy(list));
	} else {
		one = val_push(val_put(body, "threads", val_list()), val_map());
		val_put(one, "id", val_int(1));
		val_put(one, "name", val_str("MainThread"));
	}
	pthread_mutex_unlock(&lock);
	return body;
}

static void tell_thread(long long number)
{
	struct val *body = val_map();

	val_put(body, "reason", val_str("started"));
	val_put(body, "threadId", val_int(number));
	dap_event("thread", body);
}

static void list_threads(struct session *s)
{
	struct err err;
	struct rows *r = dap_call_rows(s, "threads", "", &err);
	struct val *now = val_list(), *one;
	const char *name;
	long long number;
	size_t i;

	for (i = 0; r && i < r->n; i++) {
		number = rows_number(r, i, "thread", 0);
		name = rows_text(r, i, "name");
		one = val_push(now, val_map());
		val_put(one, "id", val_int(number));
		val_put(one, "name", val_str(*name ? name : number == 1 ? "MainThread" : "thread"));
		if (number > last_thread && dap.phase == DAP_CONFIGURED)
			tell_thread(number);
		last_thread = number > last_thread ? (int)number : last_thread;
	}
	rows_free(r);
	pthread_mutex_lock(&lock);
	val_free(list);
	list = now->u.list.n ? now : NULL;
	pthread_mutex_unlock(&lock);
	if (list != now)
		val_free(now);
}

int dap_threads(struct session *s, struct dap_call *c, struct err *err)
{
	(void)err;
	if (session_stopped(s))
		list_threads(s);
	c->body = dap_frames_threads();
	return 0;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

static void put_frame_name(struct val *v, const struct frame *f)
{
	struct buf b = { 0 };

	buf_adds(&b, f->qualname ? f->qualname : f->function);
	if (f->kind != KIND_USER && f->kind != KIND_LIBRARY) {
		buf_addf(&b, " [%s%s%s", kind_name(f->kind), f->entry ? " " : "", f->entry ? f->entry : "");
		if (f->region)
			buf_addf(&b, ", %s", f->region);
		buf_addc(&b, ']');
	}
	val_put(v, "name", val_str(buf_str(&b)));
	buf_release(&b);
}

/* The decompiled text, where no line of the program is meant. */
static void put_position(struct session *s, const struct frame *f, struct val *v)
{
	struct val *source = val_map();
	int line = 0;
	const char *file = stack_source(f, &line);

	if (line <= 0)
		line = f->function_line;
	if (line > 0 && dap_sources_put(s, file, source)) {
		if (f->kind == KIND_LIBRARY)
			val_put(source, "presentationHint", val_str("deemphasize"));
		val_put(v, "source", source);
		val_put(v, "line", val_int(line - 1 + dap.first_line));
		val_put(v, "column", val_int(dap.first_column));
	} else {
		val_free(source);
		val_put(v, "line", val_int(0));
		val_put(v, "column", val_int(0));
	}
}

static struct val *frame_map(struct session *s, const struct frame *f)
{
	struct val *v = val_map();
	struct buf at = { 0 };

	val_put(v, "id", val_int(frame_id(s->viewed->number, f->level)));
	put_frame_name(v, f);
	put_position(s, f, v);
	if (f->kind == KIND_LIBRARY)
		val_put(v, "presentationHint", val_str("subtle"));
	if (f->code && f->index >= 0) {
		dap_addresses_add(&at, f->code, f->code->instr[f->index].offset);
		val_put(v, "instructionPointerReference", val_str(at.s));
	}
	buf_release(&at);
	return v;
}

int dap_stack_trace(struct session *s, struct dap_call *c, struct err *err)
{
	long long first = val_number(c->args, "startFrame", 0), most = val_number(c->args, "levels", 0), shown = 0;
	struct val *frames;
	const struct frame *f;
	int i;

	if (select_thread(s, (int)val_number(c->args, "threadId", s->thread->number), err) < 0)
		return -1;
	c->body = val_map();
	frames = val_put(c->body, "stackFrames", val_list());
	for (i = 0; (f = stack_frame(&s->stack, s, i)); i++) {
		if (f->hidden)
			continue;
		if (shown >= first && most > 0 && shown >= first + most)
			return 0; /* the client asks for more */
		if (shown++ >= first)
			val_push(frames, frame_map(s, f));
	}
	val_put(c->body, "totalFrames", val_int(shown));
	return 0;
}
