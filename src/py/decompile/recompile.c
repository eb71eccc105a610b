/* SPDX-License-Identifier: BSD-3-Clause */
/* Source of the decompiler compiled again, as code that can take the place of the original.  Knows no expressions. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"
#include "py/decompile/text/print.h"
#include "py/value/value.h"

/* Compiles text silently: keeps assertions whatever the interpreter's options are, and shows no warning. */

/* The list of filters that the interpreter asks; a new reference, NULL: there is none. */
static PyObject *warning_filters(void)
{
	PyObject *modules = PyImport_GetModuleDict(), *m = PyDict_GetItemString(modules, "warnings"), *list;

	if (!m) /* those that are built in */
		m = PyDict_GetItemString(modules, "_warnings");
	list = m ? PyObject_GetAttrString(m, "filters") : NULL;
	PyErr_Clear();
	if (list && !PyList_CheckExact(list))
		Py_CLEAR(list);
	return list;
}

/* The program has shown the warnings of its text before.  While compile() runs, a filter comes before the program's:
   no Python code runs meanwhile, and no other thread, since the collector waits. */
static PyObject *compiled_silently(PyObject *compile, const char *text)
{
	PyObject *list = warning_filters(), *out,
		 *filter = Py_BuildValue("(sOOOi)", "ignore", Py_None, PyExc_SyntaxWarning, Py_None, 0),
		 *args = Py_BuildValue("(sssiOi)", text, "<decompiled>", "exec", 0, Py_True, 0);
	int collects = PyGC_Disable(), put = list && filter && PyList_Insert(list, 0, filter) == 0;

	PyErr_Clear();
	out = args ? PyObject_Call(compile, args, NULL) : NULL;
	if (put && PyList_GET_SIZE(list) && PyList_GET_ITEM(list, 0) == filter)
		PyList_SetSlice(list, 0, 1, NULL);
	if (collects)
		PyGC_Enable();
	Py_XDECREF(list);
	Py_XDECREF(filter);
	Py_XDECREF(args);
	return out;
}

/* The code of a module of this text; a new reference, NULL with an exception. */
static PyObject *compile_silently(const char *text)
{
	PyObject *builtins = PyImport_ImportModuleLevel("builtins", NULL, NULL, NULL, 0),
		 *f = builtins ? PyObject_GetAttrString(builtins, "compile") : NULL, *out = NULL;

	if (f)
		out = compiled_silently(f, text);
	Py_XDECREF(f);
	Py_XDECREF(builtins);
	return out;
}

/* ---- compiling the text ------------------------------------------------------------------------- */

/* The code objects among the constants, in order. */
static PyObject *nested_code(PyObject *code, int i)
{
	return (PyObject *)code_nested(code_get((struct py_code *)code), i);
}

static bool has_all(PyObject *names, PyObject *wanted)
{
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(wanted); i++)
		if (PySequence_Contains(names, PyTuple_GET_ITEM(wanted, i)) != 1)
			return false;
	return true;
}

/* Is it fit to take the place of the original?  Edited text may make more variables cells: the code makes them itself
   when it begins. */
static bool same_outside(PyCodeObject *a, PyCodeObject *b, bool edited, struct err *err)
{
	PyObject *(*const ask[])(PyCodeObject *) = { PyCode_GetFreevars, PyCode_GetCellvars };
	static const char *const what[] = { "free variables", "cells" };
	int i, same;
	const int kinds = CO_VARARGS | CO_VARKEYWORDS, runs = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
	int n = a->co_argcount + a->co_kwonlyargcount + !!(a->co_flags & CO_VARARGS) + !!(a->co_flags & CO_VARKEYWORDS);

	for (i = 0; i < n && i < PyTuple_GET_SIZE(b->co_localsplusnames); i++)
		if (PyUnicode_Compare(PyTuple_GET_ITEM(a->co_localsplusnames, i),
				      PyTuple_GET_ITEM(b->co_localsplusnames, i)))
			break;
	if (i < n || a->co_argcount != b->co_argcount || a->co_kwonlyargcount != b->co_kwonlyargcount ||
	    (a->co_flags & kinds) != (b->co_flags & kinds))
		return err_set(err,
			       "cannot recompile '%s': the text has other arguments than the code: "
			       "keep their names and order",
			       PyUnicode_AsUTF8(a->co_name)),
		       false;

	for (i = 0; i < 2; i++) {
		PyObject *x = ask[i](a), *y = ask[i](b);

		same = x && y ? i && edited ? has_all(y, x) : PyObject_RichCompareBool(x, y, Py_EQ) : -1;
		Py_XDECREF(x);
		Py_XDECREF(y);
		if (same != 1) {
			PyErr_Clear();
			return err_set(err, "cannot recompile '%s': its %s come out in another order",
				       PyUnicode_AsUTF8(a->co_name), what[i]),
			       false;
		}
	}
	if ((a->co_flags & runs) != (b->co_flags & runs))
		return err_set(err, "cannot recompile '%s': only one of both texts has a 'yield' or an 'await'",
			       PyUnicode_AsUTF8(a->co_name)),
		       false;
	return true;
}

static bool has_free(struct code *c)
{
	int i;

	for (i = 0; i < code_nlocals(c); i++)
		if (code_local_kind(c, i) == LOCAL_FREE)
			return true;
	return false;
}

static void not_covered(struct work *w, struct code *c, struct err *err)
{
	if (w->d.why_index >= 0 && w->d.why_index < c->n)
		err_set(err, "cannot recompile '%s': %s, at line %d", code_name(c), w->d.why,
			c->instr[w->d.why_index].line);
	else
		err_set(err, "cannot recompile '%s': %s", code_name(c), w->d.why);
}

/* A SyntaxError tells the line of the text as it was edited. */
static void own_line(struct work *w)
{
	PyObject *type, *value, *tb, *number;
	long line;

	if (!w->put_at || !PyErr_ExceptionMatches(PyExc_SyntaxError))
		return;
	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	number = value ? PyObject_GetAttrString(value, "lineno") : NULL;
	line = number && PyLong_Check(number) ? PyLong_AsLong(number) - w->put_before : 0;
	Py_XDECREF(number);
	if (line > w->put_at)
		line -= w->put_there;
	number = line > 0 ? PyLong_FromLong(line) : NULL;
	if (number)
		PyObject_SetAttrString(value, "lineno", number);
	PyErr_Clear();
	Py_XDECREF(number);
	PyErr_Restore(type, value, tb);
}

static void refused_by_python(struct work *w, struct err *err)
{
	own_line(w);
	err_from_python(err, "cannot recompile");
}

/* Does the text do anything beside defining one function?  An editor can add what would be lost. */
static bool has_more(PyObject *module)
{
	struct code *c = code_get((struct py_code *)module);
	int i, stores = 0;
	const char *name;

	code_decode(c);
	for (i = 0; i < c->n; i++) {
		name = py_op_name(op_plain(c->instr[i].op));
		stores += !strcmp(name, "STORE_NAME") ? 1 : !strcmp(name, "POP_TOP") ? 2 : 0;
	}
	return stores > 1;
}

/* The code object that this text, which w was written for, compiles to. */
static struct py_code *from_text(struct work *w, struct code *c, const char *text, struct err *err)
{
	PyObject *module = compile_silently(text), *code = module ? nested_code(module, 0) : NULL, *out = NULL;

	if (code && has_free(c))
		code = nested_code(code, 0);
	if (code && print_within(c))
		code = nested_code(code, 0);
	if (code && has_more(module)) {
		err_set(err, "cannot recompile '%s': the text has a statement outside of the function", code_name(c));
		Py_DECREF(module);
		return NULL;
	}
	if (code)
		out = finish_code(w, code, (PyCodeObject *)c->co);
	if (!out && !PyErr_Occurred())
		err_set(err, "cannot recompile '%s': the text defines no function", code_name(c));
	else if (!out)
		refused_by_python(w, err);
	else if (!same_outside((PyCodeObject *)c->co, (PyCodeObject *)out, w->p.bare, err))
		Py_CLEAR(out);
	Py_XDECREF(module);
	return (struct py_code *)out;
}

struct py_code *recompile(struct code *c, struct err *err)
{
	struct work w;
	struct py_code *out = NULL;

	if (work_init(&w, c, NULL, true) < 0 || !work_text(&w, "_made"))
		not_covered(&w, c, err);
	else
		out = from_text(&w, c, buf_str(&w.text), err);
	work_release(&w);
	return out;
}

/* ---- with an editor between --------------------------------------------------------------------- */

static bool bare_text(struct work *w, struct code *c, struct err *err)
{
	static const struct dec_style style = { .edited = true };
	const bool fits = work_init(w, c, &style, true) == 0;

	if (fits) {
		w->p.bare = true;
		if (work_text(w, "edited"))
			return true;
	}
	not_covered(w, c, err);
	return false;
}

char *recompile_text(struct code *c, struct err *err)
{
	struct buf out = { NULL, 0, 0 };
	struct work w;
	bool covered;
	int i;

	covered = bare_text(&w, c, err);
	if (covered) {
		for (i = 0; i < w.p.nbound; i++)
			print_explained(&w.p, i, &out);
		buf_adds(&out, w.text.s);
	}
	work_release(&w);
	return covered ? buf_detach(&out) : NULL;
}

static size_t line_length(const char *s)
{
	size_t n = strcspn(s, "\n");

	return n + (s[n] == '\n');
}

static bool line_begins_block(const char *line)
{
	return !strncmp(line, "def ", 4) || !strncmp(line, "async def ", 10);
}

/* Past the colon that ends the `def` at the beginning of s; NULL: none does, or the function's body is on its line. */
static const char *header_end(const char *s)
{
	struct scan x = { .s = s };

	while (*x.s && (*x.s != ':' || x.quote || x.comment || x.deep > 0))
		scan_step(&x);
	if (!*x.s)
		return NULL;
	s = x.s + 1 + strspn(x.s + 1, " \t\r");
	return !*s || *s == '\n' || *s == '#' ? s : NULL;
}

/* The text within what makes its free variables some, and with the names that must stay variables of the function. */
static bool whole_text(struct work *w, struct code *c, const char *text, struct buf *out)
{
	struct buf *before = w->p.out;
	const char *header = NULL; /* where it ends */
	struct scan at = { 0 };
	bool around = has_free(c), open = false;
	size_t n;
	int i, line = 0;

	w->p.out = out;
	w->p.indent = around;
	if (around)
		buf_adds(out, "def _around():\n");
	for (i = 0; i < code_nlocals(c); i++)
		if (code_local_kind(c, i) == LOCAL_FREE) {
			buf_adds(out, "    ");
			print_name(&w->p, PyTuple_GET_ITEM(((PyCodeObject *)c->co)->co_localsplusnames, i));
			buf_adds(out, " = None\n");
			w->put_before++;
		}
	w->put_before += around;
	for (; *text; text += n) {
		n = line_length(text);
		line++;
		buf_adds(out, around && *text != '\n' && !at.quote ? "    " : "");
		buf_add(out, text, n);
		for (at.s = text; at.s < text + n;)
			scan_step(&at);
		if (!header && line_begins_block(text))
			header = header_end(text);
		if (!open && header && header < text + n) {
			open = true;
			w->p.indent++;
			w->put_at = line;
			w->put_there = -w->p.nlines;
			print_names(&w->p, &w->f);
			w->put_there += w->p.nlines;
			w->p.indent--;
		}
	}
	w->p.out = before;
	return open;
}

struct py_code *recompile_edited(struct code *c, const char *text, struct err *err)
{
	struct buf whole = { NULL, 0, 0 };
	struct py_code *out = NULL;
	struct work w;

	if (bare_text(&w, c, err)) {
		if (whole_text(&w, c, text, &whole)) {
			w.p.nlines = w.p.nmade = 0; /* its lines are others now */
			out = from_text(&w, c, whole.s, err);
		} else {
			err_set(err, "cannot recompile '%s': the text has no line 'def NAME(ARGUMENTS):'",
				code_name(c));
		}
	}
	buf_release(&whole);
	work_release(&w);
	return out;
}
