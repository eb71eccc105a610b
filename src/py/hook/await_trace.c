/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: an activation that runs without events until a call that it makes returns.  The eval-frame hook sees
   the return of a Python function; that it is one is read from the value stack before the call.  Knows no stop. */
#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE
#include <Python.h>
#include <opcode.h>
#include <internal/pycore_dict.h>
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#include "py/hook/reach_trace.h"

#if PY_VERSION_HEX >> 16 != 0x030B
#error "await_trace.c is for CPython 3.11 only"
#endif

#define LEAST 8 /* instructions that must pass for it to be worth asking */

/* The number of values on the stack that an instruction takes or exchanges; -1: not known here. */
static int touched(const struct instr *in)
{
	switch (in->op) {
	case NOP:
	case EXTENDED_ARG:
	case LOAD_FAST:
	case LOAD_CONST:
	case LOAD_GLOBAL:
	case LOAD_DEREF:
	case PUSH_NULL:
	case COPY:
	case DELETE_FAST:
	case KW_NAMES:
	case PRECALL:
		return 0;
	case LOAD_ATTR:
	case LOAD_METHOD:
	case POP_TOP:
	case STORE_FAST:
		return 1;
	case BINARY_SUBSCR:
		return 2;
	case BUILD_LIST:
	case BUILD_TUPLE:
	case SWAP:
		return in->arg;
	case CALL:
		return in->arg + 2;
	default:
		return -1;
	}
}

/* Can a flagged instruction be reached from here by an exception? */
static bool raises_ahead(const struct code *c, const struct reach *r, int i)
{
	int k;

	for (k = 0; k < c->nexcept; k++)
		if (c->except[k].start <= i && i < c->except[k].end &&
		    r->ahead[code_unit(c, c->except[k].target)] != REACH_NONE)
			return true;
	return false;
}

/* The call of what LOAD_GLOBAL has put on the stack before instruction i, if all that runs before it is known and is
   not flagged; -1: there is none. */
static int consuming_call(const struct code *c, const struct reach *r, int i)
{
	const struct instr *in = &c->instr[i];
	int at = in->depth - 2, k;

	if (i < 1 || in[-1].op != LOAD_GLOBAL || !(in[-1].arg & 1) || in[-1].depth != at || in->flags & INSTR_NO_EVENT)
		return -1;
	for (k = i; k < c->n; k++) {
		in = &c->instr[k];
		if (c->flags[code_unit(c, k)] || in->target >= 0 || in->depth < at + 2 || raises_ahead(c, r, k))
			return -1;
		if (in->op == CALL && in->depth - in->arg - 2 == at)
			return k - i >= LEAST ? k : -1;
		if (touched(in) < 0 || in->depth - touched(in) < at + 2)
			return -1;
	}
	return -1;
}

/* The index in co_names of what the first asking place asks about, if the code begins with loading it: a frame can be
   asked before it begins.  -1: it does not. */
static int first_asked(const struct code *c, const struct reach *r)
{
	const struct instr *in;
	int i;

	for (i = 0; r->asks && i < c->n; i++) {
		in = &c->instr[i];
		if (c->flags[code_unit(c, i)] || raises_ahead(c, r, i))
			return -1;
		if (in->op == LOAD_GLOBAL)
			return i + 1 < c->n && code_unit(c, i + 1) == r->ask[0].at ? in->arg >> 1 : -1;
		if (in->op != RESUME && in->op != COPY_FREE_VARS && in->op != MAKE_CELL && in->op != EXTENDED_ARG)
			return -1;
	}
	return -1;
}

void await_trace_find(const struct code *c, struct reach *r)
{
	int i, call;

	r->asks = 0;
	for (i = 1; i < c->n && r->asks < REACH_ASKS; i++) {
		call = r->ahead[code_unit(c, i)] == REACH_LATER ? consuming_call(c, r, i) : -1;
		if (call < 0)
			continue;
		r->ask[r->asks++] = (struct reach_ask){ .at = code_unit(c, i),
							.call = code_unit(c, call),
							.depth = c->instr[i].depth };
		i = call;
	}
	r->first = first_asked(c, r);
	r->version = 0;
}

static int call_asked_at(const struct reach *r, int unit)
{
	int i;

	for (i = 0; i < r->asks; i++)
		if (r->ask[i].at == unit)
			return r->ask[i].call;
	return -1;
}

bool await_trace_begin(struct hook_state *st, struct act *a, const struct reach *r)
{
	int unit = _PyInterpreterFrame_LASTI(a->f), depth = a->code->instr[a->code->unit_index[unit]].depth;
	PyObject **top = a->f->localsplus + a->f->f_code->co_nlocalsplus + depth;
	int call = call_asked_at(r, unit);

	if (call < 0 || st->awaits || a->f->stacktop != a->f->f_code->co_nlocalsplus + depth || top[-2] ||
	    !PyFunction_Check(top[-1]))
		return false;
	a->call = call;
	st->awaits = a;
	return true;
}

/* Is the global of this name a Python function?  Runs no code of the program; a change of the dictionary changes its
   version, which no other dictionary has. */
static bool is_function(struct reach *r, const PyDictObject *globals, PyObject *name)
{
	uint64_t version = globals->ma_version_tag;
	PyObject *called;

	if (version == r->version)
		return true;
	if (!PyDict_CheckExact(globals) || globals->ma_keys->dk_kind == DICT_KEYS_GENERAL)
		return false;
	called = PyDict_GetItemWithError((PyObject *)globals, name);
	if (!called || !PyFunction_Check(called))
		return false;
	r->version = version;
	return true;
}

bool await_trace_start(struct hook_state *st, struct act *a, struct reach *r)
{
	const Frame *f = a->f;

	if (r->first < 0 || st->awaits || f->owner != FRAME_OWNED_BY_THREAD || _PyInterpreterFrame_LASTI(f) >= 0 ||
	    !is_function(r, (PyDictObject *)f->f_globals, PyTuple_GET_ITEM(f->f_code->co_names, r->first)))
		return false;
	a->call = r->ask[0].call;
	a->loaded = r->ask[0].at;
	a->depth = r->ask[0].depth;
	st->awaits = a;
	return true;
}

bool await_trace_returned(const struct hook_state *st, bool sees)
{
	const _PyCFrame *cf = st->ts->cframe;
	const struct act *a = st->awaits;

	return a && cf->current_frame == a->f && cf->previous == a->outer &&
	       (_PyInterpreterFrame_LASTI(a->f) == a->call || !sees || (a->loaded && !await_expected(a)));
}

struct act *await_trace_of(struct hook_state *st, PyFrameObject *fo)
{
	struct act *a = st->awaits && st->awaits->f == fo->f_frame ? st->awaits : st->lined;
	const _PyCFrame *cf = st->ts->cframe;

	if (!a || a->fo || a->f != fo->f_frame)
		return NULL;
	while (cf && cf->previous != a->outer)
		cf = cf->previous;
	if (!cf || act_of_cframe(st, cf) != a)
		return NULL;
	a->fo = fo;
	return a;
}
