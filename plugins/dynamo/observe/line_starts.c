/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the lines that Dynamo evaluates while it compiles, in the function and in all that it inlines: a line
   that puts nothing into a graph leaves no other trace.  Changes nothing; knows no breakpoint and no region. */
#include "model/compiling.h"
#include "model/evaluated.h"
#include "model/func.h"
#include "model/qualname.h"
#include "model/source_line.h"
#include "observe/dynamo_observe.h"
#include "observe/phase_times.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/wrapper.h"
#include <string.h>

enum { MOST_LINES = 100000 }; /* for each code object; further lines are not recorded */

/* The record of this code object; the one that was used last is tried first. own: the compiled function itself runs
   the code. */
static struct evaluated *record_of(struct evaluated **list, PyCodeObject *co, bool own)
{
	const char *file = py_text_utf8_kept(co->co_filename), *function = qualname_plain(co);
	struct evaluated **p, *v;

	/* py_text_utf8_kept() returns one address for equal texts */
	for (p = list; (v = *p); p = &v->next)
		if (v->first == co->co_firstlineno && v->own == own && v->file == file && v->function == function)
			break;
	if (v) {
		*p = v->next;
	} else {
		v = mem_alloc(sizeof(*v));
		v->file = file;
		v->function = function;
		v->first = co->co_firstlineno;
		v->own = own;
	}
	v->next = *list;
	*list = v;
	return v;
}

static void set_line(struct evaluated *v, int line)
{
	int at = line - v->first;
	size_t cap = (size_t)v->nbytes, old = cap;

	if (at < 0 || at >= MOST_LINES)
		return;
	if (at / 8 >= v->nbytes) {
		v->bits = mem_grow(v->bits, &cap, (size_t)at / 8 + 1, 1);
		memset(v->bits + old, 0, cap - old);
		v->nbytes = (int)cap;
	}
	v->bits[at / 8] |= (unsigned char)(1 << at % 8);
}

/* Is this the translator of the compiled function itself, not of an inlined one? */
static bool is_outermost(PyObject *tx)
{
	return !strcmp(_PyType_Name(Py_TYPE(tx)), "InstructionTranslator");
}

void evaluated_again(struct compiling *c, PyObject *tx)
{
	if (!c || !tx || !is_outermost(tx))
		return;
	evaluated_free(c->parts.evaluated);
	c->parts.evaluated = NULL;
	c->parts.under_way = !c->func || !c->func->root;
}

/* A resume function begins in the middle of a line, which began in the function before it. */
static bool goes_on_here(struct compiling *c, int line)
{
	if (!c->parts.under_way)
		c->parts.under_way = line != c->func->line && line != c->func->resume_line;
	return !c->parts.under_way;
}

/* InstructionTranslatorBase.starts_line(self, lineno) */
static void line_starts(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *tx = call_arg(call, 0, "self"), *number = call_arg(call, 1, "lineno"), *code;
	struct evaluated *v;
	const char *file;
	int line = number && PyLong_Check(number) ? (int)PyLong_AsLong(number) : -1;
	bool own;

	if (!c || !tx || line <= 0)
		return;
	own = is_outermost(tx);
	code = attr(tx, "f_code");
	if (code && PyCode_Check(code) && own && goes_on_here(c, line)) {
		file = py_text_utf8_kept(((PyCodeObject *)code)->co_filename);
		if (source_line_counts(file))
			phase_times_line(file, line);
	} else if (code && PyCode_Check(code)) {
		v = record_of(&c->parts.evaluated, (PyCodeObject *)code, own);
		if (!v->told) {
			v->told = true;
			v->counts = source_line_counts(v->file);
		}
		if (v->counts)
			phase_times_line(v->file, line);
		set_line(v, line);
	}
	Py_XDECREF(code);
}

const struct watcher watch_starts_line = { .before = line_starts };
