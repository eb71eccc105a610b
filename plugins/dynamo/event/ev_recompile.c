/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: Dynamo is about to compile a function again, because none of its entries fits the call. */
#include "event/dynamo_event.h"
#include "code/dynamo_code.h"
#include "guards/guard_args.h"
#include "guards/guard_cause.h"
#include "guards/guard_refused.h"
#include "guards/guard_why.h"
#include "model/compiling.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/wrapper.h"
#include <stdlib.h>
#include <string.h>

/* The card of a stop at a recompile: what changed, the remedy, then the guards of each entry.  A small screen shows its
   first five lines, so the answer comes first.  Made from the detail of the event alone. */

/* A value that is longer is cut in the answer, as a guard's text that is longer than BRIEF, and follows in full. */
enum { SHORT = 100, BRIEF = 60 };

/* What changed, and below it what to do about that: once for causes that follow each other and have one remedy. */
static void add_answer(const struct guard_cause *cause, size_t n, struct buf *out)
{
	struct buf text = { 0 };
	const char *remedy, *state;
	size_t i;

	for (i = 0; i < n; i++) {
		buf_reset(&text);
		guard_cause_text(&cause[i], SHORT, &text);
		state = *val_text(cause[i].guard[0], "source") ? NULL : strstr(text.s, "changed: ");
		buf_addf(out, "\nchanged:  %s", state ? state + strlen("changed: ") : text.s);
		remedy = val_text(cause[i].guard[0], "remedy");
		if (*remedy && (i + 1 == n || strcmp(remedy, val_text(cause[i + 1].guard[0], "remedy")) != 0))
			buf_addf(out, "\nremedy:   %s", remedy);
	}
	buf_release(&text);
}

static void put_numbers_of_guards(const struct guard_cause *c, struct buf *out)
{
	const struct val *number;
	size_t i;

	for (i = 0; i < c->n && i < CAUSE_GUARDS; i++) {
		number = val_get(c->guard[i], "guard");
		if (!number || number->type != VAL_INT)
			return;
		buf_addf(out, "%s%lld", i ? ", " : c->n > 1 ? ", guards " : ", guard ", number->u.i);
	}
	if (i < c->n)
		buf_addf(out, " and %zu more", c->n - i);
}

/* The guard as Dynamo has it, what the answer cut, and the line that made it. */
static void add_guard_lines(const struct val *f, struct buf *out)
{
	const struct val *line = val_get(f, "line");
	const char *file = val_text(f, "file"), *text = val_text(f, "text");
	bool whole = strlen(text) <= BRIEF;

	buf_addf(out, ": %s", whole ? text : val_text(f, "kind"));
	if (!whole && *val_text(f, "source")) {
		buf_adds(out, " of ");
		source_text_name(val_text(f, "source"), BRIEF, out);
	}
	if (line && line->type == VAL_INT && *file) {
		buf_addf(out, "\n  made by:  %s:%lld", py_text_file_name(file), line->u.i);
		text = host->files.line(file, (int)line->u.i);
		if (text && *text)
			buf_addf(out, ": %s", text + strspn(text, " \t"));
	}
	if (strlen(val_text(f, "expected")) > SHORT || strlen(val_text(f, "live")) > SHORT)
		buf_addf(out, "\n  expected: %s\n  actual:   %s", val_text(f, "expected"), val_text(f, "live"));
	if (!whole)
		buf_addf(out, "\n  in full:  %s", val_text(f, "text"));
}

static void add_missed_entry(const struct val *e, bool answered, struct buf *out)
{
	size_t n, i;
	struct guard_cause *cause = guard_causes(val_get(e, "failing"), &n);

	for (i = 0; i < n; i++) {
		buf_addf(out, "\nentry %s", val_text(e, "entry"));
		put_numbers_of_guards(&cause[i], out);
		if (answered) {
			add_guard_lines(cause[i].guard[0], out);
		} else {
			buf_adds(out, ": ");
			guard_cause_text(&cause[i], SHORT, out);
		}
	}
	if (!n)
		buf_addf(out, "\nentry %s: %s", val_text(e, "entry"), val_text(e, "reason"));
	if (!n && *val_text(e, "remedy"))
		buf_addf(out, "\nremedy:   %s", val_text(e, "remedy"));
	free(cause);
}

/* Adds lines, each with a newline before it. */
static void recompile_card(const struct event *ev, struct buf *out)
{
	const struct val *entries = val_get(ev->detail, "entries"), *nearest = why_nearest(ev->detail);
	struct guard_cause *cause;
	size_t n, i;

	if (!nearest)
		return;
	cause = guard_causes(val_get(nearest, "failing"), &n);
	add_answer(cause, n, out);
	free(cause);
	add_missed_entry(nearest, true, out);
	for (i = 0; i < entries->u.list.n; i++)
		if (entries->u.list.item[i] != nearest)
			add_missed_entry(entries->u.list.item[i], false, out);
}

/* The entries of Dynamo's list, each with what guards it: to look for that in Dynamo's cache takes time n * n. */
struct missed_entry {
	struct entry *e;
	PyObject *held; /* owned; NULL: not known, or another thread holds it */
};

static int hold_entries(struct func *f, PyObject *items, struct missed_entry *all)
{
	Py_ssize_t i;
	int n = 0;

	for (i = 0; i < PyList_GET_SIZE(items); i++) {
		all[n].e = model_entry_item(f, PyList_GET_ITEM(items, i));
		if (!all[n].e)
			continue;
		if (!all[n].e->guard.held)
			all[n].held = attr(PyList_GET_ITEM(items, i), "guard_manager");
		if (all[n].held)
			all[n].e->guard.held = all[n].held;
		n++;
	}
	PyErr_Clear();
	return n;
}

static struct val *detail_of(struct compiling *c, PyObject *items, PyObject *frame, PyObject *backend)
{
	const size_t most = (size_t)PyList_GET_SIZE(items);
	struct missed_entry *all = mem_alloc(most * sizeof(*all) + 1);
	struct entry **entry = mem_alloc(most * sizeof(*entry) + 1);
	struct scene scene;
	struct val *map;
	int n = hold_entries(c->func, items, all), i;

	for (i = 0; i < n; i++)
		entry[i] = all[i].e;
	scene_compiling(frame, &scene);
	map = why_all(c->func, c->id, entry, n, &scene, backend);
	scene_release(&scene);
	for (i = 0; i < n; i++) {
		if (all[i].held)
			all[i].e->guard.held = NULL;
		Py_XDECREF(all[i].held);
	}
	free(entry);
	free(all);
	return map;
}

/* The entries that missed, as a list: a new reference.  torch 2.6 gives the first, which leads to the next. */
static PyObject *missed_entries(PyObject *given)
{
	PyObject *list = PyList_Check(given) ? Py_NewRef(given) : PyList_New(0), *next;

	if (!list || PyList_Check(given))
		return list;
	for (Py_INCREF(given); given && given != Py_None; given = next) {
		PyList_Append(list, given);
		next = attr(given, "next");
		Py_DECREF(given);
	}
	Py_XDECREF(given);
	return list;
}

/* An entry that did not fit. */
struct miss {
	size_t failed, at;
};

static int nearer_miss(const void *a, const void *b)
{
	const struct miss *x = a, *y = b;

	if (x->failed != y->failed)
		return x->failed < y->failed ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int earlier_miss(const void *a, const void *b)
{
	const struct miss *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* The nearest entries, in Dynamo's order: owned by the caller.  An entry whose guards cannot be checked is as near
   as one with a single guard that fails. */
static struct miss *nearest_misses(const struct val *entries, size_t most, size_t *n)
{
	struct miss *all = mem_alloc(entries->u.list.n * sizeof(*all) + 1);
	size_t i;

	for (i = 0; i < entries->u.list.n; i++) {
		all[i].at = i;
		all[i].failed = val_get(entries->u.list.item[i], "failing")->u.list.n;
		all[i].failed += !all[i].failed;
	}
	*n = i < most ? i : most;
	if (i)
		qsort(all, i, sizeof(*all), nearer_miss);
	if (*n)
		qsort(all, *n, sizeof(*all), earlier_miss);
	return all;
}

static struct val *kept_entry(const struct val *e)
{
	enum { MOST = 100 }; /* a model of another shape has thousands */
	const struct val *failing = val_get(e, "failing"), *remedy = val_get(e, "remedy");
	struct val *one = val_map(), *guards;
	size_t k;

	val_put(one, "entry", val_str(val_text(e, "entry")));
	val_put(one, "reason", val_str(val_text(e, "reason")));
	val_put(one, "remedy", remedy ? val_copy(remedy) : val_null());
	val_put(one, "failed", val_int((long long)failing->u.list.n));
	guards = val_put(one, "failing", val_list());
	for (k = 0; k < failing->u.list.n && k < MOST; k++)
		val_push(guards, val_copy(failing->u.list.item[k]));
	return one;
}

/* What the future entry keeps of it: of the entries that are nearest to fit the first guards that failed, and their
   number.  What n entries would keep of each other grows with n * n. */
static struct val *kept_of(const struct val *detail)
{
	enum { MOST = 10 };
	const struct val *from = val_get(detail, "entries");
	struct val *map = val_map(), *list = val_put(map, "entries", val_list());
	size_t n, i;
	struct miss *all = nearest_misses(from, MOST, &n);

	for (i = 0; i < n; i++)
		val_push(list, kept_entry(from->u.list.item[all[i].at]));
	free(all);
	return map;
}

/* get_and_maybe_log_recompilation_reasons(entries, frame, backend, ...); torch 2.6: ..._reason(entry, frame) */
static void missed(struct call *call)
{
	struct compiling *c = compiling_top();
	bool caught = host->stops.catching("recompile");
	struct val *detail;
	PyObject *items;

	if (!c || !c->func || !c->id || call->n < 2 || (!caught && !host->talk.option_number("report-keep")))
		return;
	items = missed_entries(call->arg[0]);
	detail = items ? detail_of(c, items, call->arg[1], call->n > 2 ? call->arg[2] : NULL) : NULL;
	if (detail) {
		val_free(c->parts.missed);
		c->parts.missed = kept_of(detail);
	}
	if (!caught)
		val_free(detail);
	else if (detail)
		compiling_event(&ev_recompile, c, 0, c->id, detail, NULL, NULL);
	Py_XDECREF(items);
}

/* The same at set_stance("fail_on_recompile"): torch asks for the reasons without compiling, and raises an exception
   with them. */
static void forbidden(struct call *call)
{
	PyObject *frame = call->n > 1 ? call->arg[1] : NULL, *code, *items;
	struct compiling *c;
	struct val *detail;

	if (!frame)
		return;
	code = attr(frame, "f_code");
	items = missed_entries(call->arg[0]);
	c = code && PyCode_Check(code) && items ? compiling_push(frame) : NULL;
	if (c) {
		ev_guard_fail_enter(c, frame);
		c->func = model_func((PyCodeObject *)code, true);
		detail = detail_of(c, items, frame, call->n > 2 ? call->arg[2] : NULL);
		guard_refused_keep(frame, kept_of(detail));
		if (host->stops.catching("recompile"))
			compiling_event(&ev_recompile, c, 0, NULL, detail, NULL, NULL);
		else
			val_free(detail);
		compiling_pop();
	}
	PyErr_Clear();
	Py_XDECREF(items);
	Py_XDECREF(code);
}

void ev_recompile_refused(struct compiling *c)
{
	struct entry **tried;
	struct scene scene;
	struct val *detail;
	int n = model_tried(c->func, &tried), i, used = 0;

	for (i = 0; i < n; i++)
		if (model_in_region(tried[i], NULL))
			tried[used++] = tried[i];
	scene_compiling(c->frame, &scene);
	if (used && scene.locals) {
		detail = why_all(c->func, c->id, tried, used, &scene, NULL);
		guard_refused_keep(c->frame, kept_of(detail));
		val_free(detail);
	}
	scene_release(&scene);
	free(tried);
}

const struct watcher watch_stance_reasons = { .before = forbidden };

/* "0/0: n == 1   # LINE  # FILE:N in F\nUser stack trace:...": the text before the line. */
static void add_reason_text(struct buf *all, const char *s)
{
	const char *end = strstr(s, "  #"), *stack = strstr(s, "\nUser stack");
	size_t n = end ? (size_t)(end - s) : stack ? (size_t)(stack - s) : strlen(s);

	while (n && strchr(" \n", s[n - 1]))
		n--;
	buf_addf(all, "%s%.*s", all->len ? "; " : "", (int)n, s);
}

static void reason_text(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *reasons = call->result;
	struct buf all = { 0 };
	const char *s;
	Py_ssize_t i;

	for (i = 0; c && reasons && PyList_Check(reasons) && i < PyList_GET_SIZE(reasons); i++) {
		s = PyUnicode_Check(PyList_GET_ITEM(reasons, i)) ? PyUnicode_AsUTF8(PyList_GET_ITEM(reasons, i)) : NULL;
		if (s)
			add_reason_text(&all, s);
	}
	if (c && all.len) {
		free(c->parts.why);
		c->parts.why = mem_str(all.s);
	}
	buf_release(&all);
}

const struct watcher watch_reasons = { .before = missed, .after = reason_text };

static void recompile_describe(const struct event *ev, struct buf *out)
{
	struct compiling *c = compiling_top();

	if (c && !c->id)
		buf_addf(out, "%s would compile again, which the stance forbids: ", qualname_compiling(c));
	else
		buf_addf(out, "%s compiles again as %s: ", c ? qualname_compiling(c) : "?", c ? c->id : "?");
	why_describe(ev->detail, out);
}

static void card_of_recompile(const struct event *ev, struct buf *out)
{
	recompile_describe(ev, out);
	out->len = strcspn(buf_str(out), ":"); /* the title without the cause, which follows */
	if (out->s)
		out->s[out->len] = '\0';
	recompile_card(ev, out);
}

const struct event_kind ev_recompile = {
	.name = "recompile",
	.args = "[FUNC]",
	.help = "Dynamo is about to compile a function again; shows the guards that failed",
	.matches = compiling_matches,
	.describe = recompile_describe,
	.card = card_of_recompile,
};
