/* SPDX-License-Identifier: BSD-3-Clause */
/* Source of the decompiler compiled again, as code that can take the place of the original.  Knows no expressions. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/dec_print.h"
#include "py/value/value.h"

/* ---- compiling the text -------------------------------------------------------------------------- */

/* The code objects among the constants, in order. */
static PyObject *nested_code(PyObject *code, int i)
{
	return (PyObject *)code_nested(code_get((struct py_code *)code), i);
}

/* The number behind this prefix, less than n; -1: the name is not of that form. */
static int numbered(const char *s, const char *prefix, int n)
{
	char *end;
	long i;

	if (!s || strncmp(s, prefix, strlen(prefix)) || !s[strlen(prefix)])
		return -1;
	i = strtol(s + strlen(prefix), &end, 10);
	return *end || i < 0 || i >= n ? -1 : (int)i;
}

static PyObject *renamed(struct work *w, PyObject *names)
{
	PyObject *out = PyTuple_New(PyTuple_GET_SIZE(names)), *v;
	const char *s;
	Py_ssize_t i;
	int k;

	for (i = 0; out && i < PyTuple_GET_SIZE(names); i++) {
		v = PyTuple_GET_ITEM(names, i);
		s = PyUnicode_AsUTF8(v);
		k = numbered(s, "_name_", w->p.nodd);
		if (k >= 0)
			v = w->p.odd[k];
		Py_INCREF(v);
		PyTuple_SET_ITEM(out, i, v);
	}
	return out;
}

/* LOAD_GLOBAL of a placeholder becomes LOAD_CONST of the object, in place: there is room, and no jump moves. */
static int bind(struct work *w, PyObject *code, unsigned char *raw, PyObject *consts)
{
	struct code *c = code_get((struct py_code *)code);
	int load = op_named("LOAD_CONST"), nop = op_named("NOP"), null = op_named("PUSH_NULL"),
	    extended = op_named("EXTENDED_ARG");
	bool last = op_named("CALL_KW") >= 0; /* the NULL stands behind the callable */
	PyObject *name, *v;
	const char *s;
	int i, k, at, end, where, start;
	Py_ssize_t j;

	code_decode(c);
	for (i = 0; i < c->n; i++) {
		if (strcmp(py_op_name(op_plain(c->instr[i].op)), "LOAD_GLOBAL"))
			continue;
		name = (PyObject *)code_arg_object(c, i);
		s = name ? PyUnicode_AsUTF8(name) : NULL;
		k = numbered(s, "__const_", w->p.nbound);
		if (k < 0)
			continue;
		v = w->p.bound[k];
		for (j = 0; j < PyList_GET_SIZE(consts) && PyList_GET_ITEM(consts, j) != v; j++)
			;
		if (j == PyList_GET_SIZE(consts) && PyList_Append(consts, v) < 0)
			return -1;
		where = (int)j;
		for (start = i; start > 0 && (c->instr[start - 1].flags & INSTR_PREFIX); start--)
			;
		at = c->instr[start].offset;
		end = c->instr[i].offset + 2 + 2 * py_op_caches(c->instr[i].op);
		k = at;
		if ((c->instr[i].arg & 1) && !last) {
			raw[k++] = (unsigned char)null;
			raw[k++] = 0;
		}
		if (where > 255) {
			raw[k++] = (unsigned char)extended;
			raw[k++] = (unsigned char)(where >> 8);
		}
		raw[k++] = (unsigned char)load;
		raw[k++] = (unsigned char)where;
		if ((c->instr[i].arg & 1) && last) {
			raw[k++] = (unsigned char)null;
			raw[k++] = 0;
		}
		while (k < end) {
			raw[k++] = (unsigned char)nop;
			raw[k++] = 0;
		}
		if (where > 65535)
			return -1;
	}
	return 0;
}

static PyObject *finished(struct work *w, PyObject *code, PyCodeObject *original);

/* The nested code object that this line's text was made from. */
static PyCodeObject *made_from(struct work *w, PyObject *code)
{
	int i;

	for (i = 0; i < w->p.nmade; i++)
		if (w->p.made[i].line == ((PyCodeObject *)code)->co_firstlineno)
			return (PyCodeObject *)w->p.made[i].code->co;
	return NULL;
}

/* ---- lines: an instruction has that of the first instruction that its statement was made from ---- */

static void add_varint(struct buf *b, unsigned v)
{
	for (; v >= 64; v >>= 6)
		buf_addc(b, (char)(0x40 | (v & 63)));
	buf_addc(b, (char)v);
}

/* The original's line for a line of the text; 0: none. */
static int line_of(struct work *w, const struct code *original, int text_line)
{
	int from = text_line > 0 && text_line <= w->p.nlines ? w->p.line[text_line - 1].from : -1;

	return from >= 0 && from < original->n ? original->instr[from].line : 0;
}

/* The format is told in CPython's Objects/locations.md: form 13 has a line and no columns, 15 has neither. */
static PyObject *line_table(struct work *w, PyObject *code, PyCodeObject *original)
{
	struct code *c = code_get((struct py_code *)code), *o = code_get((struct py_code *)original);
	struct buf b = { NULL, 0, 0 };
	int i, line, before = original->co_firstlineno, units, step, delta;
	PyObject *table;

	code_decode(c);
	code_decode(o);
	for (i = 0; i < c->n; i++) {
		line = line_of(w, o, c->instr[i].line);
		units = (i + 1 < c->n ? c->instr[i + 1].offset / 2 : c->units) - c->instr[i].offset / 2;
		for (; units > 0; units -= step) {
			step = units > 8 ? 8 : units;
			buf_addc(&b, (char)(0x80 | ((line ? 13 : 15) << 3) | (step - 1)));
			if (!line)
				continue;
			delta = line - before;
			add_varint(&b, delta < 0 ? ((unsigned)-delta << 1) | 1 : (unsigned)delta << 1);
			before = line;
		}
	}
	table = PyBytes_FromStringAndSize(buf_str(&b), (Py_ssize_t)b.len);
	buf_release(&b);
	return table;
}

static PyObject *constants(struct work *w, PyObject *code)
{
	PyObject *list = PySequence_List(((PyCodeObject *)code)->co_consts), *v;
	Py_ssize_t i;

	for (i = 0; list && i < PyList_GET_SIZE(list); i++) {
		if (!PyCode_Check(PyList_GET_ITEM(list, i)))
			continue;
		v = finished(w, PyList_GET_ITEM(list, i), made_from(w, PyList_GET_ITEM(list, i)));
		if (!v || PyList_SetItem(list, i, v) < 0)
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *replaced(PyObject *code, PyObject *fields)
{
	PyObject *replace = PyObject_GetAttrString(code, "replace"), *none = PyTuple_New(0), *out = NULL;

	if (replace && none)
		out = PyObject_Call(replace, none, fields);
	Py_XDECREF(replace);
	Py_XDECREF(none);
	return out;
}

static int put(PyObject *dict, const char *key, PyObject *v)
{
	int rc = v ? PyDict_SetItemString(dict, key, v) : -1;

	Py_XDECREF(v);
	return rc;
}

/* The compiled code with the objects and the names that its text had stand-ins for. */
static PyObject *finished(struct work *w, PyObject *code, PyCodeObject *original)
{
	PyObject *fields = PyDict_New(), *list = constants(w, code),
		 *bytes = (PyObject *)py_code_bytes((struct py_code *)code), *out = NULL, *copy = NULL;
	PyObject *frees = PyCode_GetFreevars((PyCodeObject *)code), *cells = PyCode_GetCellvars((PyCodeObject *)code),
		 *vars = PyCode_GetVarnames((PyCodeObject *)code);
	int rc = -1;

	copy = bytes ? PyBytes_FromStringAndSize(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes)) : NULL;
	if (fields && list && copy && frees && cells && vars &&
		bind(w, code, (unsigned char *)PyBytes_AS_STRING(copy), list) == 0) {
		rc = put(fields, "co_code", Py_NewRef(copy)) | put(fields, "co_consts", PyList_AsTuple(list)) |
		     put(fields, "co_names", renamed(w, ((PyCodeObject *)code)->co_names)) |
		     put(fields, "co_varnames", renamed(w, vars)) | put(fields, "co_cellvars", renamed(w, cells)) |
		     put(fields, "co_freevars", renamed(w, frees));
		if (original)
			rc |= put(fields, "co_name", Py_NewRef(original->co_name)) |
			      put(fields, "co_qualname", Py_NewRef(original->co_qualname)) |
			      put(fields, "co_filename", Py_NewRef(original->co_filename)) |
			      put(fields, "co_firstlineno", PyLong_FromLong(original->co_firstlineno)) |
			      put(fields, "co_linetable", line_table(w, code, original));
		out = rc ? NULL : replaced(code, fields);
	}
	Py_XDECREF(fields);
	Py_XDECREF(list);
	Py_XDECREF(bytes);
	Py_XDECREF(copy);
	Py_XDECREF(frees);
	Py_XDECREF(cells);
	Py_XDECREF(vars);
	return out;
}

static PyObject *compiled(const char *text)
{
	PyObject *builtins = PyImport_ImportModule("builtins"),
		 *f = builtins ? PyObject_GetAttrString(builtins, "compile") : NULL, *out = NULL;

	if (f)
		out = PyObject_CallFunction(f, "sssiO", text, "<decompiled>", "exec", 0, Py_True);
	Py_XDECREF(f);
	Py_XDECREF(builtins);
	return out;
}

/* Is it fit to take the place of the original? */
static bool same_outside(PyCodeObject *a, PyCodeObject *b, struct err *err)
{
	PyObject *(*const ask[])(PyCodeObject *) = { PyCode_GetFreevars, PyCode_GetCellvars };
	static const char *const what[] = { "free variables", "cells" };
	int i, same;

	for (i = 0; i < 2; i++) {
		PyObject *x = ask[i](a), *y = ask[i](b);

		same = x && y ? PyObject_RichCompareBool(x, y, Py_EQ) : -1;
		Py_XDECREF(x);
		Py_XDECREF(y);
		if (same != 1) {
			PyErr_Clear();
			return err_set(err, "cannot recompile '%s': its %s come out in another order",
				       PyUnicode_AsUTF8(a->co_name), what[i]),
			       false;
		}
	}
	return true;
}

struct py_code *recompile(struct code *c, struct err *err)
{
	struct work w;
	PyObject *module = NULL, *code, *out = NULL;
	bool around = false;
	int i;

	for (i = 0; i < code_nlocals(c); i++)
		around = around || code_local_kind(c, i) == LOCAL_FREE;
	if (work_init(&w, c, NULL, true) < 0 || !work_text(&w, "_made")) {
		if (w.d.why_index >= 0 && w.d.why_index < c->n)
			err_set(err, "cannot recompile '%s': %s, at line %d", code_name(c), w.d.why,
				c->instr[w.d.why_index].line);
		else
			err_set(err, "cannot recompile '%s': %s", code_name(c), w.d.why);
		work_release(&w);
		return NULL;
	}
	module = compiled(w.text.s);
	code = module ? nested_code(module, 0) : NULL;
	if (code && around)
		code = nested_code(code, 0);
	if (code)
		out = finished(&w, code, (PyCodeObject *)c->co);
	if (!out)
		err_from_python(err, "cannot recompile");
	else if (!same_outside((PyCodeObject *)c->co, (PyCodeObject *)out, err))
		Py_CLEAR(out);
	Py_XDECREF(module);
	work_release(&w);
	return (struct py_code *)out;
}
