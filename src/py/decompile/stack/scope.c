/* SPDX-License-Identifier: BSD-3-Clause */
/* Which names of a code object are its variables, and which need a global or nonlocal statement.  Knows no
   expressions. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

static void note_name(struct run *r, PyObject *set, PyObject *name)
{
	if (PySet_Add(set, name) < 0) {
		PyErr_Clear();
		dec_refuse(r->d, r->index, "a name that cannot be kept");
	}
}

/* Has the code a variable of that name, or a free variable?  One name may be both a class body's. */
static bool names_variable(struct code *c, PyObject *name, bool free)
{
	PyObject *names = ((PyCodeObject *)c->co)->co_localsplusnames;
	int i;

	for (i = 0; i < PyTuple_GET_SIZE(names); i++)
		if ((PyTuple_GET_ITEM(names, i) == name || !PyUnicode_Compare(PyTuple_GET_ITEM(names, i), name)) &&
		    (!free || code_local_kind(c, i) == LOCAL_FREE))
			return true;
	return false;
}

bool run_has_variable(struct code *c, PyObject *name)
{
	return names_variable(c, name, false);
}

bool run_is_local(struct run *r, PyObject *name)
{
	return run_has_variable(r->d->c, name);
}

bool run_has_global(struct code *c, PyObject *name)
{
	PyObject *names = ((PyCodeObject *)c->co)->co_names, *arg;
	const char *op;
	Py_ssize_t n;
	int k;

	for (n = PyTuple_GET_SIZE(names); n && PyUnicode_Compare(PyTuple_GET_ITEM(names, n - 1), name); n--)
		;
	for (k = 0; n && k < c->n; k++) {
		op = py_op_name(op_plain(c->instr[k].op));
		arg = (PyObject *)code_arg_object(c, k);
		if (arg &&
		    (!strcmp(op, "LOAD_GLOBAL") || !strcmp(op, "STORE_GLOBAL") || !strcmp(op, "DELETE_GLOBAL")) &&
		    !PyUnicode_Compare(arg, name))
			return true;
	}
	return false;
}

/* ---- names that are variables and globals ------------------------------------------------------- */

PyObject *run_own_variable(struct code *c, PyObject *name)
{
	PyCodeObject *co = (PyCodeObject *)c->co;
	const int args = co->co_argcount + co->co_kwonlyargcount + !!(co->co_flags & CO_VARARGS) +
			 !!(co->co_flags & CO_VARKEYWORDS);
	PyObject *found = NULL, *v;
	int i;

	for (i = 0; i < PyTuple_GET_SIZE(co->co_localsplusnames); i++) {
		v = PyTuple_GET_ITEM(co->co_localsplusnames, i);
		if (PyUnicode_Compare(v, name))
			continue;
		if (i < args || code_local_kind(c, i) != LOCAL_FAST || found)
			return NULL;
		found = v;
	}
	return found;
}

/* How these instructions use a variable of that name: whether its value is needed, stored, or only saved. */
static void uses_variable(const struct ins *ins, int n, PyObject *name, bool *needed, bool *stored, bool *saved)
{
	int i;

	for (i = 0; i < n; i++) {
		if (ins[i].obj != name)
			continue;
		*needed = *needed || ins[i].op == D_FAST || ins[i].op == D_DELETE_FAST || ins[i].op == D_CLOSURE;
		*stored = *stored || ins[i].op == D_STORE_FAST;
		*saved = *saved || ins[i].op == D_FAST_CLEAR;
	}
}

static bool part_has_own(const struct part *p, PyObject *name)
{
	int i;

	for (i = 0; i < p->nown && p->own[i] != name; i++)
		;
	return i < p->nown;
}

/* Is it a variable where a global of that name is read or written?  Code has a variable that it does not use for each
   global that a comprehension within it assigns; and a comprehension's own variable is not one of the function. */
static bool is_variable_too(const struct dec *d, PyObject *name)
{
	const struct part *p;
	int i;

	if (!run_has_variable(d->c, name))
		return false;
	name = run_own_variable(d->c, name);
	if (!name)
		return true;
	for (i = 0; i < d->made.nall; i++) {
		bool needed = false, stored = false, saved = false;

		p = d->made.all[i].part;
		uses_variable(p ? p->ins : &d->made.all[i], p ? p->n : 1, name, &needed, &stored, &saved);
		if (p && part_has_own(p, name) ? p == d->made.part && needed : needed || (stored && !saved))
			return true;
	}
	return false;
}

static bool is_free(struct run *r, PyObject *name)
{
	return names_variable(r->d->c, name, true);
}

void run_only_global(struct run *r, PyObject *name)
{
	if (is_variable_too(r->d, name))
		dec_refuse(r->d, r->index, "a name that is a global and a local variable");
}

void run_note_store(struct run *r, const struct ins *in)
{
	if (in->op == D_STORE_GLOBAL) {
		run_only_global(r, in->obj);
		note_name(r, r->d->globals, in->obj);
	} else if (in->op == D_STORE_DEREF && is_free(r, in->obj)) {
		note_name(r, r->d->nonlocals, in->obj);
	}
}

void run_note_delete(struct run *r, const struct ins *in)
{
	if (in->op == D_DELETE_GLOBAL) {
		run_only_global(r, in->obj);
		note_name(r, r->d->globals, in->obj);
	}
	if (in->op == D_DELETE_DEREF && is_free(r, in->obj))
		note_name(r, r->d->nonlocals, in->obj);
}

static void note_for_scope(struct run *r, PyObject *set, PyObject *names, bool (*of)(struct run *r, PyObject *name))
{
	PyObject *list;
	Py_ssize_t i;

	if (!PySet_GET_SIZE(names))
		return;
	list = PySequence_List(names);
	if (!list || PyList_Append(r->d->bound, list) < 0) {
		PyErr_Clear();
		Py_XDECREF(list);
		dec_refuse(r->d, r->index, "names that cannot be listed");
	}
	Py_DECREF(list); /* d->bound has it: a refusal leaves by a jump */
	for (i = 0; i < PyList_GET_SIZE(list); i++)
		if (of(r, PyList_GET_ITEM(list, i)))
			note_name(r, set, PyList_GET_ITEM(list, i));
}

void run_note_global(struct run *r, PyObject *name)
{
	const struct dec *o;

	for (o = r->d->outer; o && !is_variable_too(o, name); o = o->outer)
		;
	if (!o)
		return;
	if (code_name(r->d->c)[0] == '<')
		dec_refuse(r->d, r->index, "a global whose name is also a variable of the enclosing function");
	note_name(r, r->d->globals, name);
}

static bool is_global(struct run *r, PyObject *name)
{
	run_only_global(r, name);
	return true;
}

void run_note_comprehension(struct run *r, const struct function *f)
{
	note_for_scope(r, r->d->globals, f->globals, is_global);
	note_for_scope(r, r->d->nonlocals, f->nonlocals, is_free);
}

struct expr *run_keyword(struct run *r, PyObject *name, struct expr *value)
{
	struct expr *e = dec_expr(r->d, E_KEYWORD, NULL, 1, value);

	if (!PyUnicode_Check(name) || !dec_is_identifier(name))
		dec_refuse(r->d, r->index, "a keyword argument that is not an identifier");
	e->obj = name;
	return e;
}
