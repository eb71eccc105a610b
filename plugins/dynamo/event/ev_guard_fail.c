/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: an entry does not match a call, even if another one does. Dynamo's hook reports the result of a
   lookup, but not its function; that is known from the code that starts next, whose frame still has the arguments. */
#include "code/locate.h"
#include "code/select.h"
#include "event/dynamo_event.h"
#include "guards/guard_args.h"
#include "guards/guard_why.h"
#include "model/compiling.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"
#include "observe/dynamo_observe.h"
#include "torch/attrs.h"
#include <stdlib.h>

/* A call of Dynamo may let another thread run, which may come here too: the data in f must always be consistent. */
static void refresh(struct func *f)
{
	struct entry **order, **old;
	int n = model_tried(f, &order);

	old = f->calls.order;
	f->calls.order = order;
	f->calls.norder = n;
	free(old);
}

/* Passes the recorded order to the caller, who owns it; returns the number of entries. */
static int take_order(struct func *f, struct entry ***order)
{
	int n = f->calls.norder;

	*order = f->calls.order;
	f->calls.order = NULL;
	f->calls.norder = 0;
	return n;
}

static void guard_fail_emit(struct compiling *c, struct entry **tried, int ntried, struct entry *served)
{
	struct entry **missed = mem_alloc((size_t)ntried * sizeof(*missed) + 1);
	int i, n = 0;
	struct scene scene;
	struct val *map;

	scene_compiling(c->frame, &scene);
	for (i = 0; i < ntried; i++)
		if (model_in_region(tried[i], served))
			missed[n++] = tried[i];
	map = n ? why_all(c->func, served ? served->id : NULL, missed, n, &scene, NULL) : NULL;
	scene_release(&scene);
	if (map)
		compiling_event(&ev_guard_fail, c, 0, served ? served->id : NULL, map, NULL, NULL);
	free(missed);
}

/* The running frame represents the one that was looked up: it has the same arguments and caller. */
static void emit_at(struct func *f, struct py_frame *frame, struct entry **missed, int n, struct entry *served)
{
	struct compiling *c = compiling_push((PyObject *)frame);

	Py_XSETREF(c->caller, (PyObject *)PyFrame_GetBack((PyFrameObject *)frame));
	c->func = f;
	guard_fail_emit(c, missed, n, served);
	compiling_pop();
}

static _Thread_local struct func *told; /* its miss was reported when Dynamo's callback got it */

/* Torch 2.6 has no hook for the result of a lookup: it is known from the code that starts, generated code or the
   function. */
static enum lookup came_to(const struct func *f, const struct entry *e)
{
	enum lookup was = attrs_have(ATTR_COMPLETE_HOOK) ? lookup_take() :
			  e				 ? LOOKUP_HIT :
			  told == f			 ? LOOKUP_NONE :
							   LOOKUP_MISS;

	told = NULL;
	return was;
}

void ev_guard_fail_enter(struct compiling *c, PyObject *frame)
{
	struct entry **order;
	PyObject *code;
	struct func *f;
	int n;

	if ((lookup_take() != LOOKUP_MISS && attrs_have(ATTR_COMPLETE_HOOK)) || !host->stops.catching("guard-fail"))
		return;
	code = attr(frame, "f_code");
	f = code && PyCode_Check(code) ? model_func((PyCodeObject *)code, false) : NULL;
	if (f) {
		c->func = f;
		refresh(f);
		n = take_order(f, &order); /* a stop lets other threads run */
		if (n)
			guard_fail_emit(c, order, n, NULL);
		free(order);
		refresh(f);
		told = f;
	}
	Py_XDECREF(code);
}

/* If generated code starts, the entries that were tried before it missed. If the function's own code starts, all
   did. */
static bool guard_fail_happens(const char *words, struct py_frame *frame, struct code *code, int index)
{
	struct entry *e = model_entry((PyCodeObject *)code->co);
	struct func *f = e ? e->func : model_func((PyCodeObject *)code->co, false);
	enum lookup was = came_to(f, e);
	struct entry **order;
	int i, n;

	(void)words;
	(void)index;
	if (!f)
		return false;
	n = take_order(f, &order);
	refresh(f);
	for (i = 0; was == LOOKUP_HIT && e && i < n && order[i] != e; i++)
		;
	if (was == LOOKUP_HIT && e && i && i < n)
		emit_at(f, frame, order, i, e);
	else if (was == LOOKUP_MISS && !e && n)
		emit_at(f, frame, order, n, NULL);
	free(order);
	return false; /* reported already, with the function of the lookup */
}

static void guard_fail_arm(bool on)
{
	const struct compiling *c = compiling_top();
	struct func *f;

	told = c ? c->func : NULL;
	for (f = model_funcs; on && f; f = f->next)
		refresh(f);
	lookup_watch(on);
}

static void guard_fail_add(struct places *out, PyCodeObject *co, int line)
{
	struct code *c = host->code.get((struct py_code *)co);

	host->files.add_place(out, c, locate_first(c), line, NULL);
}

static int guard_fail_places(const char *words, struct places *out)
{
	struct entry *e;
	struct func *f;
	int n = 0;

	for (f = model_funcs; f; f = f->next) {
		if (!f->co || !f->seen.looked || !select_names(f, words))
			continue;
		for (e = model_entries; e && e->func != f; e = e->next)
			;
		if (!e)
			continue;
		guard_fail_add(out, f->co, f->line);
		for (n++; e; e = e->next)
			if (e->func == f && e->co) {
				guard_fail_add(out, e->co, f->line);
				n++;
			}
	}
	return n;
}

static void guard_fail_describe(const struct event *ev, struct buf *out)
{
	struct compiling *c = compiling_top();
	const char *served = ev->top ? ev->top->entry : NULL;

	buf_addf(out, "guards of %s fail, %s%s: ", c && c->func ? qualname_func(c->func) : "?",
		 served ? "entry used: " : "no entry fits", served ? served : "");
	why_describe(ev->detail, out);
}

const struct event_kind ev_guard_fail = {
	.name = "guard-fail",
	.args = "[FUNC]",
	.help = "an entry does not match a call, even if another one does",
	.arm = guard_fail_arm,
	.places = guard_fail_places,
	.happens = guard_fail_happens,
	.matches = compiling_matches,
	.describe = guard_fail_describe,
};
