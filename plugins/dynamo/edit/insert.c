/* SPDX-License-Identifier: BSD-3-Clause */
/* Inserts entries into Dynamo's cache.  Dynamo accepts entries only from its callback, one at each call of the
   function, and each such call is stopped before it runs anything.  Knows no guard, and not what the list is for. */
#include "edit/cache_list.h"
#include "edit/dynamo_edit.h"
#include "torch/attrs.h"

/* One call of a function that is stopped before it runs anything, at which Dynamo asks our callback for an entry. */

/* One call in progress. */
struct insert_call {
	PyCodeObject *co;
	PyObject *answer, *leave;     /* borrowed: for co; for all other code.  NULL: an exception; None */
	PyObject *partial, *backend;  /* borrowed: the callback, and the code of the entry */
	PyObject *nobody;	      /* owned: the backend for the lookup */
	const struct cache_list *all; /* the entries to return in turn; or NULL */
	PyObject *state, *saved;      /* owned: the state of automatic dynamic shapes, read (state) or restored */
	bool seen, untraced; /* untraced: it was not called, since no trace function could be set, which stops it */
};

static _Thread_local struct insert_call *now;

bool insert_call_guarded(void)
{
	return !attrs_have(ATTR_COMPLETE_HOOK);
}

bool insert_call_running(void)
{
	return now != NULL;
}

/* Dynamo accepts a callable with this attribute, whose name depends on the version of torch, as one for
   this backend. */
static int stand_for(PyObject *callable, PyObject *backend)
{
	return PyObject_SetAttrString(callable, "_torchdynamo_orig_backend", backend) < 0 ?
		       -1 :
		       PyObject_SetAttrString(callable, "_torchdynamo_orig_callable", backend);
}

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
		/* Only from here on the callback counts as one for this backend: in a lookup under it guards in
		   Python would run, which release the GIL. Torch 2.6 has already looked up under its own. */
		if (now->nobody != now->backend)
			stand_for(now->nobody, now->backend);
		if (!now->saved && state && PyDict_Check(state))
			now->state = PyDict_Copy(state);
		else if (now->saved && PyDict_Check(now->saved) && state && PyDict_Check(state))
			PyDict_Update(state, now->saved);
		PyErr_Clear();
	}
	if (ours && !now->answer)
		PyErr_SetString(PyExc_InterruptedError, "cdbg"); /* the call ends without a change */
	return ours ? Py_XNewRef(now->answer) : Py_NewRef(now->leave ? now->leave : Py_None);
}

static PyMethodDef callback_def = { "cdbg_hand_back", callback, METH_VARARGS, NULL };

/* The thread's own trace function, while stop_frame() is in its place; the reference to arg is owned. */
static _Thread_local struct {
	Py_tracefunc func;
	PyObject *arg;
	unsigned events; /* since it could not be restored */
} own_trace;

static int stop_frame(PyObject *arg, PyFrameObject *frame, int what, PyObject *value);

/* An audit hook of the program may refuse to set a trace function, and CPython needs memory to call it: then the next
   attempt may succeed. */
static bool trace_begin(PyObject *generated)
{
	PyThreadState *ts = PyThreadState_Get();
	int attempts = 4;

	if (ts->c_tracefunc != stop_frame) {
		own_trace.func = ts->c_tracefunc;
		Py_XSETREF(own_trace.arg, Py_XNewRef(ts->c_traceobj));
	}
	own_trace.events = 0;
	do
		PyEval_SetTrace(stop_frame, generated);
	while ((ts->c_tracefunc != stop_frame || ts->c_traceobj != generated) && --attempts);
	return attempts > 0;
}

static void trace_end(void)
{
	PyEval_SetTrace(own_trace.func, own_trace.arg);
	if (PyThreadState_Get()->c_tracefunc != stop_frame)
		Py_CLEAR(own_trace.arg);
}

/* trace_end() has failed.  Each failure is reported by CPython, so there are fewer and fewer attempts. */
static void trace_end_late(void)
{
	unsigned n = ++own_trace.events;

	if (!(n & (n - 1)) && !PyErr_Occurred())
		trace_end();
}

/* Ends the frame before its first instruction. */
static int stop_frame(PyObject *arg, PyFrameObject *frame, int what, PyObject *value)
{
	PyCodeObject *code;
	bool ours;

	(void)value;
	if (!now)
		trace_end_late();
	if (what != PyTrace_CALL || !now)
		return 0;
	code = PyFrame_GetCode(frame);
	ours = (PyObject *)code == arg || code == now->co ||
	       (now->all && cache_list_find(now->all, code) < now->all->n);
	Py_DECREF(code);
	if (!ours)
		return 0;
	PyErr_SetString(PyExc_InterruptedError, "cdbg");
	return -1;
}

static PyObject *insert_call_partial(void)
{
	PyObject *module = PyImport_ImportModuleLevel("functools", NULL, NULL, NULL, 0),
		 *c = PyCFunction_New(&callback_def, NULL), *r = NULL;

	if (module && c)
		r = PyObject_CallMethod(module, "partial", "O", c);
	PyErr_Clear();
	Py_XDECREF(c);
	Py_XDECREF(module);
	return r;
}

/* Calls fn with this evaluator set.  generated: the code that a lookup may find.  Returns whether Dynamo called the
   callback. */
/* Calls fn under a callback of this backend: Dynamo gets h->answer, and the frame that starts ends at once.  Runs
   no Python code, so this thread keeps the GIL. */
static bool insert_call(struct insert_call *h, PyObject *fn, PyObject *set, PyObject *generated)
{
	/* owned */
	PyObject *prior = NULL, *r;

	h->seen = false;
	h->nobody = attrs_have(ATTR_COMPLETE_HOOK) ? insert_call_partial() : Py_NewRef(h->backend);
	if (h->nobody && stand_for(h->partial, h->nobody) == 0)
		prior = PyObject_CallOneArg(set, h->partial);
	if (prior) {
		now = h;
		h->untraced = !trace_begin(generated); /* then the function would run */
		r = h->untraced ? NULL : PyObject_CallNoArgs(fn);
		if (!r && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
			PyErr_SetInterrupt(); /* it came meanwhile and belongs to the program */
		PyErr_Clear();
		Py_XDECREF(r);
		trace_end();
		now = NULL;
		r = PyObject_CallOneArg(set, prior);
		Py_XDECREF(r);
	}
	PyErr_Clear();
	Py_CLEAR(h->nobody);
	Py_XDECREF(prior);
	return prior && h->seen;
}

/* ---- one call ---------------------------------------------------------------------------------------------- */

/* A function with this code that can be called without arguments. */
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

/* For each entry a GuardedCode, in a wrapper if this version of torch needs one.  They are made first, so that no
   Python code runs while the cache is empty. */
static PyObject *answers_of(const struct cache_list *c)
{
	PyObject *make = attrs_get(ATTR_GUARDED), *wrap = attrs_get(ATTR_GUARDED_WRAP), *list = PyList_New(0), *g, *w;
	const struct cache_slot *s;

	for (s = c->slot; make && list && s < c->slot + c->n; s++) {
		g = PyObject_CallFunctionObjArgs(make, s->code, s->manager, s->id, s->note, NULL);
		w = g && wrap ? PyObject_CallOneArg(wrap, g) : Py_XNewRef(g);
		if (w)
			PyList_Append(list, w);
		Py_XDECREF(w);
		Py_XDECREF(g);
	}
	if (list && (!make || (size_t)PyList_GET_SIZE(list) != c->n))
		Py_CLEAR(list);
	PyErr_Clear();
	Py_XDECREF(wrap);
	Py_XDECREF(make);
	return list;
}

static PyObject *leave_alone(void)
{
	PyObject *make = attrs_get(ATTR_FRAME_RETURN), *kw = PyDict_New(), *none = PyTuple_New(0), *r = NULL;

	if (make && kw && none && PyDict_SetItemString(kw, "apply_to_code", Py_False) == 0)
		r = PyObject_Call(make, none, kw);
	PyErr_Clear();
	Py_XDECREF(none);
	Py_XDECREF(kw);
	Py_XDECREF(make);
	return r;
}

/* ---- the whole list ------------------------------------------------------------------------------------------- */

/* One change of the cache, and what Dynamo does at calls of this code. torch has no function that returns the
   latter, so it is found out by a call. */
struct writing {
	const struct cache_list *c;
	bool behind;								   /* Dynamo puts a new entry last */
	PyObject *answers, *leave, *fn, *reset, *hook_set, *set, *partial, *never; /* owned */
	PyObject *set_strategy, *strategy[STRATEGIES];				   /* owned */
	PyObject *loaded; /* owned: precompiled entries, to be restored */
	PyObject *state;  /* owned: the state of automatic dynamic shapes */
	enum strategy was;
	enum { ASK, WRITE, CHANGE } task;
	enum strategy to; /* for CHANGE */
	bool asked;	  /* Dynamo called the callback: the cache can be written */
	bool untraced;	  /* it was not asked: see insert_call */
	bool moved;	  /* nothing was changed: the cache has other entries than those that were read */
	int is;		  /* for WRITE: the result of cache_list_is() afterwards */
};
static _Thread_local struct writing *work; /* call_tracing() passes no arguments */

static _Thread_local bool looked_up; /* Dynamo went through its cache */

static PyObject *never(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	looked_up = true;
	Py_RETURN_FALSE;
}

static PyMethodDef never_def = { "cdbg_never", never, METH_VARARGS, NULL };

static void reset(struct writing *w)
{
	Py_XDECREF(PyObject_CallOneArg(w->reset, (PyObject *)w->c->co));
	PyErr_Clear();
}

/* If this version of torch has no function for it, the callback returns a flag, or makes Dynamo skip the function,
   which loses the entries. */
static void strategy_to(struct writing *w, enum strategy to)
{
	struct insert_call h = {
		.co = w->c->co,
		.leave = w->leave,
		.partial = w->partial,
		.backend = (PyObject *)w->c->co,
		.answer = w->strategy[to],
	};

	if (w->set_strategy) {
		Py_XDECREF(PyObject_CallFunctionObjArgs(w->set_strategy, (PyObject *)w->c->co, w->strategy[to], NULL));
	} else if (to == STRATEGY_ASKS) {
		reset(w);
	} else if (to == STRATEGY_SKIPS) {
		Py_XDECREF(PyObject_CallOneArg(w->strategy[to], (PyObject *)w->c->co));
	} else {
		if (to == STRATEGY_EAGER)
			reset(w);
		insert_call(&h, w->fn, w->set, NULL);
	}
	PyErr_Clear();
}

/* Finds out by a call that changes nothing whether Dynamo calls the callback, and reads its state of
   dynamic shapes. */
static bool ask_once(struct writing *w)
{
	struct insert_call h = {
		.co = w->c->co,
		.answer = w->leave,
		.leave = w->leave,
		.partial = w->partial,
		.backend = (PyObject *)w->c->co,
	};
	bool asked = insert_call(&h, w->fn, w->set, NULL);

	w->state = h.state ? h.state : w->state;
	w->untraced = h.untraced;
	return asked;
}

static void ask(struct writing *w)
{
	struct cache_list there = { 0 };
	struct err err;

	looked_up = false;
	w->asked = ask_once(w);
	if (w->asked || w->untraced)
		return;
	if (!w->hook_set && cache_list_read(w->c->co, &there, &err) == 0) {
		looked_up = there.n > 0; /* a skipped function has no such state */
		cache_list_release(&there);
	}
	w->was = looked_up ? STRATEGY_RUNS_ONLY : STRATEGY_SKIPS;
	if (w->task == ASK && !w->set_strategy) {
		w->asked = true; /* that would lose the entries */
		return;
	}
	strategy_to(w, STRATEGY_ASKS);
	w->asked = ask_once(w);
}

static void hand_all(struct writing *w)
{
	struct insert_call h = { .co = w->c->co, .leave = w->leave, .partial = w->partial, .all = w->c };
	size_t i, at;

	reset(w);
	h.saved = w->state ? w->state : (PyObject *)w->c->co;
	for (i = 0; i < w->c->n; i++) {
		at = w->behind ? i : w->c->n - 1 - i;
		h.answer = PyList_GET_ITEM(w->answers, (Py_ssize_t)at);
		h.backend = w->c->slot[at].backend;
		insert_call(&h, w->fn, w->set, w->c->slot[at].code);
	}
	if (!w->c->n) { /* a call restores the state of dynamic shapes, too */
		h.answer = w->leave;
		h.backend = (PyObject *)w->c->co;
		insert_call(&h, w->fn, w->set, NULL);
	}
}

/* ... and restore what Dynamo does at calls of the function. */
static void ask_or_write(struct writing *w)
{
	ask(w);
	if (w->asked && w->task == WRITE)
		hand_all(w);
	if (w->was != STRATEGY_ASKS && (w->task == WRITE || w->set_strategy))
		strategy_to(w, w->was);
}

/* Guards that look at no argument pass in our calls as well, and then Dynamo would not call the callback.  All
   entries made for one gradient mode fail in the other one, so switch this thread to that mode for the moment.
   Returns what to restore, or NULL. */
static PyObject *grad_other(void)
{
	PyObject *get = insert_call_guarded() ? attrs_get(ATTR_GRAD) : NULL, *set = attrs_get(ATTR_GRAD_SET);
	PyObject *was = get && set ? PyObject_CallNoArgs(get) : NULL;

	if (was)
		Py_XDECREF(PyObject_CallOneArg(set, was == Py_True ? Py_False : Py_True));
	PyErr_Clear();
	Py_XDECREF(set);
	Py_XDECREF(get);
	return was;
}

static void grad_back(PyObject *was)
{
	PyObject *set = was ? attrs_get(ATTR_GRAD_SET) : NULL;

	if (set)
		Py_XDECREF(PyObject_CallOneArg(set, was));
	PyErr_Clear();
	Py_XDECREF(set);
	Py_XDECREF(was);
}

static PyObject *do_work(PyObject *self, PyObject *args)
{
	struct writing *w = work;
	PyObject *prior, *grad, *r;

	(void)self;
	(void)args;
	w->moved = w->task == WRITE && cache_list_moved(w->c);
	if (w->moved)
		Py_RETURN_NONE;
	prior = w->hook_set ? PyObject_CallOneArg(w->hook_set, w->never) : NULL;
	PyErr_Clear();
	grad = grad_other();
	precompiled_out(w->loaded);
	if (w->task == CHANGE)
		strategy_to(w, w->to);
	else
		ask_or_write(w);
	precompiled_in(w->loaded);
	if (w->task == WRITE)
		w->is = cache_list_is(w->c);
	grad_back(grad);
	r = prior ? PyObject_CallOneArg(w->hook_set, prior) : NULL;
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(prior);
	Py_RETURN_NONE;
}

static PyMethodDef work_def = { "cdbg_write_cache", do_work, METH_NOARGS, NULL };

/* Dynamo does nothing inside trace functions, and a stop may be inside one: call_tracing() leaves that state for
   the call. */
static void run_writing(void *arg)
{
	PyObject *sys = PyImport_ImportModuleLevel("sys", NULL, NULL, NULL, 0), *go = PyCFunction_New(&work_def, NULL),
		 *none = PyTuple_New(0);
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
	PyObject *type = attrs_get(ATTR_STRATEGY_TYPE), *actions = attrs_get(ATTR_ACTION), *s = NULL;
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

static bool strategies_make(struct writing *w)
{
	w->set_strategy = attrs_get(ATTR_STRATEGY);
	if (w->set_strategy) {
		w->strategy[STRATEGY_ASKS] = strategy_new("DEFAULT", "DEFAULT");
		w->strategy[STRATEGY_RUNS_ONLY] = strategy_new("RUN_ONLY", "RUN_ONLY"); /* as after the limit */
		w->strategy[STRATEGY_SKIPS] = strategy_new("SKIP", "DEFAULT");
		w->strategy[STRATEGY_EAGER] = strategy_new("SKIP", "SKIP");
	} else {
		w->strategy[STRATEGY_ASKS] = Py_NewRef(Py_None);
		w->strategy[STRATEGY_RUNS_ONLY] = attrs_get(ATTR_LIMIT_FLAG);
		w->strategy[STRATEGY_SKIPS] = attrs_get(ATTR_SKIP_CODE);
		w->strategy[STRATEGY_EAGER] = attrs_get(ATTR_SKIP_FLAG);
	}
	return w->strategy[STRATEGY_ASKS] && w->strategy[STRATEGY_RUNS_ONLY] && w->strategy[STRATEGY_SKIPS] &&
	       w->strategy[STRATEGY_EAGER];
}

static int writing_make(struct writing *w, struct err *err)
{
	w->answers = answers_of(w->c);
	w->leave = leave_alone();
	w->fn = function_of(w->c->co);
	w->reset = attrs_get(ATTR_RESET_CODE);
	w->hook_set = attrs_get(ATTR_COMPLETE_HOOK);
	w->set = attrs_get(ATTR_SET_EVAL_FRAME);
	w->partial = insert_call_partial();
	w->never = PyCFunction_New(&never_def, NULL);
	if (!strategies_make(w) || !w->answers || !w->fn || !w->reset || !w->set || !w->partial || !w->never)
		return err_set(err, "this version of torch does not allow inserting entries; 'info dynamo' lists "
				    "what is missing");
	return precompiled_of(w->c->co, &w->loaded, err);
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
	Py_XDECREF(w->loaded);
	Py_XDECREF(w->state);
}

static int work_on(struct writing *w, struct err *err)
{
	int ret = writing_make(w, err);

	if (ret == 0)
		ret = exclusive_run(w->c->co, run_writing, w, err);
	writing_release(w);
	return ret;
}

int insert_list(const struct cache_list *c, bool behind, int *is, struct err *err)
{
	struct writing w = { .c = c, .behind = behind, .task = WRITE };
	int ret = work_on(&w, err);

	*is = w.is;
	if (ret == 0 && w.moved)
		return CACHE_LIST_MOVED;
	if (ret == 0 && !w.asked)
		ret = err_set(err,
			      w.untraced ?
				      "nothing is changed: the program refuses sys.settrace (an audit hook), or lacks "
				      "memory for it; cdbg needs it to stop the call that changes the entries" :
				      "Dynamo did not look up this function: nothing is changed");
	return ret;
}

/* ---- whether Dynamo asks ---------------------------------------------------------------------------------- */

bool insert_strategy_keeps(void)
{
	return attrs_have(ATTR_STRATEGY);
}

int insert_strategy(PyCodeObject *co, enum strategy *out, struct err *err)
{
	struct cache_list none = { .co = co };
	struct writing w = { .c = &none, .task = ASK };
	int ret = work_on(&w, err);

	*out = w.was;
	return ret;
}

int insert_strategy_set(PyCodeObject *co, enum strategy to, struct err *err)
{
	struct cache_list none = { .co = co };
	struct writing w = { .c = &none, .task = CHANGE, .to = to };
	int ret = work_on(&w, err);

	host->code.appeared();
	return ret;
}
