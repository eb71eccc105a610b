/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that guards are checked with: the arguments of a frame as they were at the call.  A variable that the
   frame has assigned or deleted since is left out, so that no other value is used instead.  Knows no guard. */
#include "code/dynamo_code.h"
#include "guards/guard_args.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/func.h"
#include <string.h>

void scene_compiling(PyObject *frame, struct scene *out)
{
	PyObject *now = frame ? PyObject_GetAttrString(frame, "f_locals") : NULL;

	memset(out, 0, sizeof(*out));
	if (now && PyDict_Check(now))
		out->locals = Py_NewRef(now);
	else if (now && (out->locals = PyDict_New()) && PyDict_Update(out->locals, now) < 0) /* CPython 3.13: a proxy */
		Py_CLEAR(out->locals);
	PyErr_Clear();
	Py_XDECREF(now);
	out->whole = out->locals != NULL;
}

/* Code that may have run before this instruction ends before the returned index: all code above it, and the loop, if a
   loop jumps back over it. */
static int ran_before(const struct code *c, int index)
{
	int end = index, i;
	bool more = true;

	while (more) {
		more = false;
		for (i = end; i < c->n; i++)
			if (c->instr[i].target >= 0 && c->instr[i].target < end && c->instr[i].target < i) {
				end = i + 1;
				more = true;
			}
	}
	return end;
}

static bool rebinds(const char *op)
{
	return strstr(op, "STORE_FAST") || strstr(op, "DELETE_FAST") || strstr(op, "STORE_DEREF") ||
	       strstr(op, "DELETE_DEREF") || strstr(op, "AND_CLEAR");
}

/* "x", or of instructions in one: "x, y". */
static void drop_names(PyObject *locals, const char *names, bool first)
{
	PyObject *name;
	size_t n;

	for (; *names; names += n + strspn(names + n, ", ")) {
		n = strcspn(names, ", ");
		name = PyUnicode_FromStringAndSize(names, (Py_ssize_t)n);
		if (name && PyDict_Contains(locals, name) > 0)
			PyDict_DelItem(locals, name);
		Py_XDECREF(name);
		PyErr_Clear();
		if (first)
			return;
	}
}

static void drop_rebound(struct code *c, int index, PyObject *locals)
{
	struct buf names = { 0 };
	const char *op;
	int i, end;

	host->code.decode(c);
	end = ran_before(c, index < 0 ? 0 : index);
	for (i = 0; i < end; i++) {
		op = host->code.op_name(c->instr[i].op);
		if (!rebinds(op))
			continue;
		names.len = 0;
		host->code.arg_text(c, i, &names);
		if (names.len)
			drop_names(locals, names.s, !strcmp(op, "STORE_FAST_LOAD_FAST"));
	}
	buf_release(&names);
}

/* Every argument and free variable is bound when a function is called. */
static bool has_arguments(PyCodeObject *co, PyObject *locals)
{
	int i, n = co->co_argcount + co->co_kwonlyargcount + !!(co->co_flags & CO_VARARGS) +
		   !!(co->co_flags & CO_VARKEYWORDS);
	PyObject *names = PyCode_GetVarnames(co);
	bool all = names != NULL;

	for (i = 0; all && i < n && i < PyTuple_GET_SIZE(names); i++)
		all = PyDict_Contains(locals, PyTuple_GET_ITEM(names, i)) > 0;
	PyErr_Clear();
	Py_XDECREF(names);
	return all;
}

/* In a graph that runs, finds the generated code that called it; NULL: there is none, as in a backward graph. */
static void leave_graph(struct selected_frame *at)
{
	PyFrameObject *f, *back;
	PyCodeObject *co;

	if (!at->frame || !at->code || at->code->kind != KIND_GRAPH)
		return;
	for (f = (PyFrameObject *)at->frame; f; f = back) {
		co = PyFrame_GetCode(f);
		if (model_entry(co)) {
			Py_DECREF((PyObject *)at->code->co);
			at->code = host->code.get((struct py_code *)co);
			host->code.decode(at->code);
			at->index = host->code.index(at->code, PyFrame_GetLasti(f));
			break;
		}
		Py_DECREF(co);
		back = PyFrame_GetBack(f);
		Py_DECREF(f);
	}
	at->frame = (struct py_frame *)f;
}

void scene_selected(struct func *f, struct scene *out)
{
	struct compiling *top = compiling_top();
	struct err err = { "" };
	struct selected_frame at;
	PyCodeObject *co;
	struct entry *e;

	memset(out, 0, sizeof(*out));
	if (selected_frame_get(&at, &err) < 0)
		return;
	if (!at.frame && top && top->func == f)
		scene_compiling(top->frame, out);
	leave_graph(&at);
	co = at.code ? (PyCodeObject *)at.code->co : NULL;
	e = co ? model_entry(co) : NULL;
	if (at.frame && co && (co == f->co || (e && e->func == f))) {
		out->runs = e;
		out->locals = (PyObject *)host->frames.locals(at.frame);
		if (out->locals) {
			drop_rebound(at.code, at.index, out->locals);
			out->whole = has_arguments(co, out->locals);
		}
	}
	selected_frame_release(&at);
}

void scene_release(struct scene *s)
{
	Py_CLEAR(s->locals);
}
