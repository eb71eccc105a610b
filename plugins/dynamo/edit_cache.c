/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo's cache of one function as a list: read, changed, handed back.  Dynamo takes entries only from its callback,
   so each is handed to it at a call of the function that is stopped before it runs anything.  Knows no guard. */
#include "edit.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the list --------------------------------------------------------------------------------------------- */

void slot_copy(struct slot *to, const struct slot *from)
{
	*to = *from;
	Py_XINCREF(to->code);
	Py_XINCREF(to->manager);
	Py_XINCREF(to->id);
	Py_XINCREF(to->note);
	Py_XINCREF(to->backend);
}

void slot_release(struct slot *s)
{
	Py_CLEAR(s->code);
	Py_CLEAR(s->manager);
	Py_CLEAR(s->id);
	Py_CLEAR(s->note);
	Py_CLEAR(s->backend);
}

void cached_release(struct cached *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		slot_release(&c->slot[i]);
	free(c->slot);
	memset(c, 0, sizeof(*c));
}

size_t cached_find(const struct cached *c, PyCodeObject *generated)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->slot[i].code == (PyObject *)generated)
			return i;
	return c->n;
}

void cached_insert(struct cached *c, size_t at, const struct slot *s)
{
	c->slot = host->mem_grow(c->slot, &c->cap, c->n + 1, sizeof(*c->slot));
	at = at > c->n ? c->n : at;
	memmove(&c->slot[at + 1], &c->slot[at], (c->n - at) * sizeof(*c->slot));
	slot_copy(&c->slot[at], s);
	c->n++;
}

void cached_drop(struct cached *c, size_t at)
{
	slot_release(&c->slot[at]);
	memmove(&c->slot[at], &c->slot[at + 1], (c->n - at - 1) * sizeof(*c->slot));
	c->n--;
}

void cached_move(struct cached *c, size_t from, size_t to)
{
	struct slot s = c->slot[from];

	memmove(&c->slot[from], &c->slot[from + 1], (c->n - from - 1) * sizeof(*c->slot));
	memmove(&c->slot[to + 1], &c->slot[to], (c->n - 1 - to) * sizeof(*c->slot));
	c->slot[to] = s;
}

/* What an entry is made of; the entry object itself is dropped at once: Dynamo frees what it points to. */
static int read_one(PyObject *item, struct cached *out, struct err *err)
{
	PyObject *group = attr(item, "isolate_recompiles_id"), *code = attr(item, "code");
	bool apart = group && PyLong_Check(group) && PyLong_AsLong(group) >= 0;
	struct slot s = { 0 };

	Py_XDECREF(group);
	if (apart || !code || code == Py_None) {
		Py_XDECREF(code);
		return apart ? host->err_set(err, "entries of this function are kept apart "
						  "(isolate_recompiles): they cannot be handed back") : 0;
	}
	s.code = code;
	s.manager = attr(item, "guard_manager");
	s.id = attr(item, "compile_id");
	s.note = attr(item, "trace_annotation");
	s.backend = attr(item, "backend");
	if (s.manager && s.id && s.note && s.backend)
		cached_insert(out, out->n, &s);
	else
		host->err_set(err, "an entry cannot be read: this torch is not known well enough");
	apart = !s.manager || !s.id || !s.note || !s.backend;
	slot_release(&s);
	return apart ? -1 : 0;
}

int cached_read(PyCodeObject *original, struct cached *out, struct err *err)
{
	PyObject *list_of = names_get(NAME_ENTRY_LIST);
	PyObject *list = list_of ? PyObject_CallOneArg(list_of, (PyObject *)original) : NULL;
	PyObject *it = list ? PyObject_GetIter(list) : NULL, *item;
	int ret = it ? 0 : host->err_set(err, "Dynamo's cache cannot be read in this torch");

	memset(out, 0, sizeof(*out));
	out->co = original;
	while (it && (item = PyIter_Next(it))) {
		if (ret == 0)
			ret = read_one(item, out, err);
		Py_DECREF(item);
	}
	PyErr_Clear();
	Py_XDECREF(it);
	Py_XDECREF(list);
	Py_XDECREF(list_of);
	if (ret < 0)
		cached_release(out);
	return ret;
}

/* ---- handing back ------------------------------------------------------------------------------------------ */

/* One call in progress. */
struct handing {
	PyCodeObject *co;
	PyObject *answer, *leave;            /* borrowed: for co; for all other code */
	PyObject *partial, *backend;         /* borrowed: the callback, and whose the entry is to be */
	PyObject *nobody;                    /* owned: the backend it is looked up under */
	PyObject *state, *saved;             /* owned: of automatic dynamic shapes, to be read (state) or put back */
	bool seen;
};
static _Thread_local struct handing *now;

/* Dynamo's callback: frame, cache entry, frame state. */
static PyObject *callback(PyObject *self, PyObject *args)
{
	PyObject *frame = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : NULL;
	PyObject *state = PyTuple_GET_SIZE(args) > 2 ? PyTuple_GET_ITEM(args, 2) : NULL;
	PyObject *code = attr(frame, "f_code");
	bool ours = now && code == (PyObject *)now->co;

	(void)self;
	Py_XDECREF(code);
	if (!now)
		Py_RETURN_NONE;
	if (ours) {
		now->seen = true;
		/* From here on: looked up under it, guards in Python would run, and give up the GIL. */
		PyObject_SetAttrString(now->nobody, "_torchdynamo_orig_backend", now->backend);
		if (!now->saved && state && PyDict_Check(state))
			now->state = PyDict_Copy(state);
		else if (now->saved && PyDict_Check(now->saved) && state && PyDict_Check(state))
			PyDict_Update(state, now->saved);
		PyErr_Clear();
	}
	return Py_NewRef(ours ? now->answer : now->leave);
}

static _Thread_local bool looked_up;         /* Dynamo went through its cache */

static PyObject *never(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	looked_up = true;
	Py_RETURN_FALSE;
}

static PyMethodDef callback_def = { "cdbg_hand_back", callback, METH_VARARGS, NULL };
static PyMethodDef never_def = { "cdbg_never", never, METH_VARARGS, NULL };

/* Ends the frame before its first instruction. */
static int stop_frame(PyObject *arg, PyFrameObject *frame, int what, PyObject *value)
{
	PyCodeObject *code;
	bool ours;

	(void)value;
	if (what != PyTrace_CALL || !now)
		return 0;
	code = PyFrame_GetCode(frame);
	ours = (PyObject *)code == arg || code == now->co;
	Py_DECREF(code);
	if (!ours)
		return 0;
	PyErr_SetString(PyExc_InterruptedError, "cdbg");
	return -1;
}

/* The function, able to be called without arguments. */
static PyObject *function_of(PyCodeObject *co)
{
	PyObject *globals = PyDict_New(), *empty = PyDict_New(), *fn = NULL, *names, *cells, *values, *named;
	Py_ssize_t i, n;

	if (globals && empty && PyDict_SetItemString(globals, "__builtins__", empty) == 0)
		fn = PyFunction_New((PyObject *)co, globals);
	names = PyCode_GetFreevars(co);
	n = names ? PyTuple_GET_SIZE(names) : 0;
	cells = PyTuple_New(n);
	for (i = 0; cells && i < n; i++)
		PyTuple_SET_ITEM(cells, i, PyCell_New(NULL));
	Py_XDECREF(names);
	values = PyTuple_New(co->co_argcount);
	for (i = 0; values && i < co->co_argcount; i++)
		PyTuple_SET_ITEM(values, i, Py_NewRef(empty));
	named = PyDict_New();
	names = PyCode_GetVarnames(co);
	for (i = 0; named && names && i < co->co_kwonlyargcount; i++)
		PyDict_SetItem(named, PyTuple_GET_ITEM(names, co->co_argcount + i), empty);
	if (!fn || !cells || !values || !named || (n && PyFunction_SetClosure(fn, cells) < 0) ||
	    PyFunction_SetDefaults(fn, values) < 0 || PyFunction_SetKwDefaults(fn, named) < 0)
		Py_CLEAR(fn);
	PyErr_Clear();
	Py_XDECREF(names);
	Py_XDECREF(named);
	Py_XDECREF(values);
	Py_XDECREF(cells);
	Py_XDECREF(empty);
	Py_XDECREF(globals);
	return fn;
}

static PyObject *partial_new(void)
{
	PyObject *module = PyImport_ImportModule("functools"), *c = PyCFunction_New(&callback_def, NULL), *r = NULL;

	if (module && c)
		r = PyObject_CallMethod(module, "partial", "O", c);
	PyErr_Clear();
	Py_XDECREF(c);
	Py_XDECREF(module);
	return r;
}

/* Call it under a callback of this backend: Dynamo gets h->answer, and the frame it starts ends at once.  No Python
   runs in here, so that the GIL stays ours. */
static bool hand(struct handing *h, PyObject *fn, PyObject *set, PyObject *generated)
{
	/* owned */
	PyObject *prior = NULL, *r, *trace_arg;
	/* borrowed */
	PyThreadState *ts = PyThreadState_Get();
	Py_tracefunc trace = ts->c_tracefunc;

	trace_arg = Py_XNewRef(ts->c_traceobj);
	h->seen = false;
	h->nobody = partial_new();
	if (h->nobody && PyObject_SetAttrString(h->partial, "_torchdynamo_orig_backend", h->nobody) == 0)
		prior = PyObject_CallOneArg(set, h->partial);
	if (prior) {
		now = h;
		PyEval_SetTrace(stop_frame, generated);
		r = PyObject_CallNoArgs(fn);
		if (!r && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
			PyErr_SetInterrupt();        /* it came just now: it is the program's */
		PyErr_Clear();
		Py_XDECREF(r);
		PyEval_SetTrace(trace, trace_arg);
		now = NULL;
		r = PyObject_CallOneArg(set, prior);
		Py_XDECREF(r);
	}
	PyErr_Clear();
	Py_CLEAR(h->nobody);
	Py_XDECREF(trace_arg);
	Py_XDECREF(prior);
	return prior && h->seen;
}

/* GuardedCode and what wraps it, for each entry: all that is Python is done before the cache is empty. */
static PyObject *answers_of(const struct cached *c)
{
	PyObject *make = names_get(NAME_GUARDED), *wrap = names_get(NAME_GUARDED_WRAP), *list = PyList_New(0), *g, *w;
	size_t i;

	for (i = 0; make && wrap && list && i < c->n; i++) {
		g = PyObject_CallFunctionObjArgs(make, c->slot[i].code, c->slot[i].manager, c->slot[i].id,
				c->slot[i].note,
						 NULL);
		w = g ? PyObject_CallOneArg(wrap, g) : NULL;
		if (w)
			PyList_Append(list, w);
		Py_XDECREF(w);
		Py_XDECREF(g);
	}
	if (list && (size_t)PyList_GET_SIZE(list) != c->n)
		Py_CLEAR(list);
	PyErr_Clear();
	Py_XDECREF(wrap);
	Py_XDECREF(make);
	return list;
}

static PyObject *leave_alone(void)
{
	PyObject *make = names_get(NAME_FRAME_RETURN), *kw = PyDict_New(), *none = PyTuple_New(0), *r = NULL;

	if (make && kw && none && PyDict_SetItemString(kw, "apply_to_code", Py_False) == 0)
		r = PyObject_Call(make, none, kw);
	PyErr_Clear();
	Py_XDECREF(none);
	Py_XDECREF(kw);
	Py_XDECREF(make);
	return r;
}

static int may_write(PyCodeObject *co, struct err *err)
{
	PyObject *of = names_get(NAME_PRECOMPILED), *list = of ? PyObject_CallOneArg(of, (PyObject *)co) : NULL;
	Py_ssize_t n = list ? PyObject_Length(list) : 0;

	PyErr_Clear();
	Py_XDECREF(list);
	Py_XDECREF(of);
	if (n > 0)
		return host->err_set(err, "the program loaded precompiled entries for this function: they could not be "
					  "put back");
	if (co->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR))
		return host->err_set(err, "entries of a generator cannot be handed back");
	return 0;
}

/* ---- the whole list ------------------------------------------------------------------------------------------- */

/* Dynamo puts a new entry in front, where it also moves one that is used; or behind, when told to keep the order. */
static bool keeps_order;

bool cached_keeps_order(void)
{
	return keeps_order;
}

/* One change, and what Dynamo does with this code: nobody tells that, so it is tried. */
struct writing {
	const struct cached *c;
	PyObject *answers, *leave, *fn, *reset, *hook_set, *set, *partial, *never;   /* owned */
	PyObject *set_strategy, *strategy[STRATEGIES];                                        /* owned */
	PyObject *state;                     /* owned: of automatic dynamic shapes */
	enum strategy was;
	bool only_ask;
	bool asked;                          /* Dynamo asked for it: its cache can be written */
};
static _Thread_local struct writing *work;   /* call_tracing() calls a function without arguments */

static void strategy_to(struct writing *w, enum strategy to)
{
	Py_XDECREF(PyObject_CallFunctionObjArgs(w->set_strategy, (PyObject *)w->c->co, w->strategy[to], NULL));
	PyErr_Clear();
}

/* A call that changes nothing: does Dynamo ask, and what does it know about shapes? */
static void ask(struct writing *w)
{
	struct handing h = {
		.co = w->c->co, .answer = w->leave, .leave = w->leave, .partial = w->partial, .backend = w->leave,
	};

	looked_up = false;
	w->asked = hand(&h, w->fn, w->set, NULL);
	if (!w->asked) {
		w->was = looked_up ? STRATEGY_RUNS_ONLY : STRATEGY_SKIPS;
		strategy_to(w, STRATEGY_ASKS);
		w->asked = hand(&h, w->fn, w->set, NULL);
	}
	w->state = h.state;
}

static void hand_all(struct writing *w)
{
	struct handing h = { .co = w->c->co, .leave = w->leave, .partial = w->partial };
	PyObject *r = PyObject_CallOneArg(w->reset, (PyObject *)w->c->co);
	size_t i, at;

	h.saved = w->state ? w->state : w->leave;
	for (i = 0; r && i < w->c->n; i++) {
		at = keeps_order ? i : w->c->n - 1 - i;
		h.answer = PyList_GET_ITEM(w->answers, (Py_ssize_t)at);
		h.backend = w->c->slot[at].backend;
		hand(&h, w->fn, w->set, w->c->slot[at].code);
	}
	if (r && !w->c->n) {                 /* what it knows about shapes is put back by a call, too */
		h.answer = w->leave;
		h.backend = w->leave;
		hand(&h, w->fn, w->set, NULL);
	}
	PyErr_Clear();
	Py_XDECREF(r);
}

static PyObject *write_all(PyObject *self, PyObject *args)
{
	struct writing *w = work;
	PyObject *prior = PyObject_CallOneArg(w->hook_set, w->never), *r;

	(void)self;
	(void)args;
	if (prior)
		ask(w);
	if (w->asked && !w->only_ask)
		hand_all(w);
	if (w->was != STRATEGY_ASKS)
		strategy_to(w, w->was);
	r = prior ? PyObject_CallOneArg(w->hook_set, prior) : NULL;
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(prior);
	Py_RETURN_NONE;
}

static PyMethodDef write_def = { "cdbg_write_cache", write_all, METH_NOARGS, NULL };

/* Dynamo is off inside of trace functions, and a stop may lie in one: call_tracing() makes it ordinary again. */
static void run_writing(void *arg)
{
	PyObject *sys = PyImport_ImportModule("sys"), *go = PyCFunction_New(&write_def, NULL), *none = PyTuple_New(0);
	PyObject *tracing = sys ? PyObject_GetAttrString(sys, "call_tracing") : NULL, *r = NULL;

	work = arg;
	if (tracing && go && none)
		r = PyObject_CallFunctionObjArgs(tracing, go, none, NULL);
	work = NULL;
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(tracing);
	Py_XDECREF(none);
	Py_XDECREF(go);
	Py_XDECREF(sys);
}

static PyObject *strategy_new(const char *here, const char *below)
{
	PyObject *type = names_get(NAME_STRATEGY_TYPE), *actions = names_get(NAME_ACTION), *s = NULL;
	PyObject *a = actions ? PyObject_GetAttrString(actions, here) : NULL;
	PyObject *b = actions ? PyObject_GetAttrString(actions, below) : NULL;

	if (type && a && b)
		s = PyObject_CallFunctionObjArgs(type, a, b, NULL);
	PyErr_Clear();
	Py_XDECREF(b);
	Py_XDECREF(a);
	Py_XDECREF(actions);
	Py_XDECREF(type);
	return s;
}

static bool writing_make(struct writing *w)
{
	w->answers = answers_of(w->c);
	w->leave = leave_alone();
	w->fn = function_of(w->c->co);
	w->reset = names_get(NAME_RESET_CODE);
	w->hook_set = names_get(NAME_COMPLETE_HOOK);
	w->set = names_get(NAME_SET_EVAL_FRAME);
	w->partial = partial_new();
	w->never = PyCFunction_New(&never_def, NULL);
	w->set_strategy = names_get(NAME_STRATEGY);
	w->strategy[STRATEGY_ASKS] = strategy_new("DEFAULT", "DEFAULT");
	w->strategy[STRATEGY_RUNS_ONLY] = strategy_new("RUN_ONLY", "RUN_ONLY");       /* as at Dynamo's limit */
	w->strategy[STRATEGY_SKIPS] = strategy_new("SKIP", "DEFAULT");
	w->strategy[STRATEGY_EAGER] = strategy_new("SKIP", "SKIP");
	return w->answers && w->leave && w->fn && w->reset && w->hook_set && w->set && w->partial && w->never &&
	       w->set_strategy && w->strategy[STRATEGY_ASKS] && w->strategy[STRATEGY_RUNS_ONLY] &&
	       w->strategy[STRATEGY_SKIPS] && w->strategy[STRATEGY_EAGER];
}

static void writing_release(struct writing *w)
{
	int i;

	Py_XDECREF(w->answers);
	Py_XDECREF(w->leave);
	Py_XDECREF(w->fn);
	Py_XDECREF(w->reset);
	Py_XDECREF(w->hook_set);
	Py_XDECREF(w->set);
	Py_XDECREF(w->partial);
	Py_XDECREF(w->never);
	Py_XDECREF(w->set_strategy);
	for (i = 0; i < STRATEGIES; i++)
		Py_XDECREF(w->strategy[i]);
	Py_XDECREF(w->state);
}

/* Is the cache this list?  -1: it is, from the last to the first. */
static int is_written(const struct cached *c)
{
	struct cached there;
	struct err err;
	bool same = true, back = true;
	size_t i;

	if (cached_read(c->co, &there, &err) < 0)
		return 0;
	for (i = 0; there.n == c->n && i < c->n; i++) {
		same &= there.slot[i].code == c->slot[i].code && there.slot[i].manager == c->slot[i].manager;
		back &= there.slot[c->n - 1 - i].code == c->slot[i].code;
	}
	same &= there.n == c->n;
	back &= there.n == c->n;
	cached_release(&there);
	return same ? 1 : back ? -1 : 0;
}

static int write_once(const struct cached *c, struct err *err)
{
	struct writing w = { .c = c };
	int ret;

	if (!writing_make(&w))
		ret = host->err_set(err, "entries cannot be handed back in this torch: "
				    "'info dynamo' says what is missing");
	else
		ret = edit_alone(c->co, run_writing, &w, err);
	if (ret == 0 && !w.asked)
		ret = host->err_set(err, "Dynamo did not ask for this function: nothing is changed");
	writing_release(&w);
	return ret;
}

/* 1: the cache is this list; 0: it is not; -1: err. */
static int write_list(const struct cached *c, struct err *err)
{
	int is, ret = write_once(c, err);

	is = ret == 0 ? is_written(c) : 0;
	if (is < 0) {
		keeps_order = !keeps_order;
		ret = write_once(c, err);
		is = ret == 0 && is_written(c) > 0;
	}
	return ret < 0 ? -1 : is;
}

int cached_write(const struct cached *c, struct err *err)
{
	struct cached before;
	struct err second;
	int ret;

	if (may_write(c->co, err) < 0 || cached_read(c->co, &before, err) < 0)
		return -1;
	ret = write_list(c, err);
	if (ret == 0) {
		ret = host->err_set(err, write_list(&before, &second) > 0 ?
				    "Dynamo did not take these entries: the cache is as it was" :
				    "Dynamo took neither these entries nor the old ones: they compile anew");
	}
	cached_release(&before);
	host->code_appeared();
	return ret < 0 ? -1 : 0;
}

/* ---- whether Dynamo asks ---------------------------------------------------------------------------------- */

int cached_strategy(PyCodeObject *co, enum strategy *out, struct err *err)
{
	struct cached none = { .co = co };
	struct writing w = { .c = &none, .only_ask = true };
	int ret;

	if (!writing_make(&w))
		ret = host->err_set(err, "this torch cannot run a single function as written");
	else
		ret = edit_alone(co, run_writing, &w, err);
	*out = w.was;
	writing_release(&w);
	return ret;
}

int cached_strategy_set(PyCodeObject *co, enum strategy to, struct err *err)
{
	struct cached none = { .co = co };
	struct writing w = { .c = &none };
	int ret = 0;

	if (writing_make(&w))
		strategy_to(&w, to);
	else
		ret = host->err_set(err, "this torch cannot run a single function as written");
	writing_release(&w);
	host->code_appeared();
	return ret;
}
