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

/* The number after this prefix, less than n; -1: the name does not have that form. */
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
	bool last = op_named("CALL_KW") >= 0; /* the NULL is after the callable */
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

	/* a lambda, or what gives the annotations, in the line of a definition */
	if (PyUnicode_READ_CHAR(((PyCodeObject *)code)->co_name, 0) == '<' ||
	    !PyUnicode_CompareWithASCIIString(((PyCodeObject *)code)->co_name, "__annotate__"))
		return NULL;
	for (i = 0; i < w->p.nmade; i++)
		if (w->p.made[i].line == ((PyCodeObject *)code)->co_firstlineno)
			return (PyCodeObject *)w->p.made[i].code->co;
	return NULL;
}

/* ---- lines: an instruction has that of the first instruction that its statement was made from ---- */

static void compile_add_varint(struct buf *b, unsigned v)
{
	for (; v >= 64; v >>= 6)
		buf_addc(b, (char)(0x40 | (v & 63)));
	buf_addc(b, (char)v);
}

/* The original's line for a line of the text; 0: none. */
static int original_line(struct work *w, const struct code *original, int text_line)
{
	int from = text_line > 0 && text_line <= w->p.nlines ? w->p.line[text_line - 1].from : -1;

	return from >= 0 && from < original->n ? original->instr[from].line : 0;
}

/* The format is described in CPython's Objects/locations.md: form 13 has a line and no columns, 15 has neither. */
static PyObject *line_table(struct work *w, PyObject *code, PyCodeObject *original)
{
	struct code *c = code_get((struct py_code *)code), *o = code_get((struct py_code *)original);
	struct buf b = { NULL, 0, 0 };
	int i, line, before = original->co_firstlineno, units, step, delta;
	PyObject *table;

	code_decode(c);
	code_decode(o);
	for (i = 0; i < c->n; i++) {
		line = original_line(w, o, c->instr[i].line);
		units = (i + 1 < c->n ? c->instr[i + 1].offset / 2 : c->units) - c->instr[i].offset / 2;
		for (; units > 0; units -= step) {
			step = units > 8 ? 8 : units;
			buf_addc(&b, (char)(0x80 | ((line ? 13 : 15) << 3) | (step - 1)));
			if (!line)
				continue;
			delta = line - before;
			compile_add_varint(&b, delta < 0 ? ((unsigned)-delta << 1) | 1 : (unsigned)delta << 1);
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

static int dict_put(PyObject *dict, const char *key, PyObject *v)
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
		rc = dict_put(fields, "co_code", Py_NewRef(copy)) |
		     dict_put(fields, "co_consts", PyList_AsTuple(list)) |
		     dict_put(fields, "co_names", renamed(w, ((PyCodeObject *)code)->co_names)) |
		     dict_put(fields, "co_varnames", renamed(w, vars)) |
		     dict_put(fields, "co_cellvars", renamed(w, cells)) |
		     dict_put(fields, "co_freevars", renamed(w, frees));
		if (original)
			rc |= dict_put(fields, "co_name", Py_NewRef(original->co_name)) |
			      dict_put(fields, "co_qualname", Py_NewRef(original->co_qualname)) |
			      dict_put(fields, "co_filename", Py_NewRef(original->co_filename)) |
			      dict_put(fields, "co_firstlineno", PyLong_FromLong(original->co_firstlineno)) |
			      dict_put(fields, "co_linetable", line_table(w, code, original)) |
			      /* what types.coroutine() sets, and no text says */
			      dict_put(fields, "co_flags",
				       PyLong_FromLong(((PyCodeObject *)code)->co_flags |
						       (original->co_flags & CO_ITERABLE_COROUTINE)));
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

/* Is it fit to take the place of the original? */
static bool same_outside(PyCodeObject *a, PyCodeObject *b, struct err *err)
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
		return err_set(err, "cannot recompile '%s': its arguments are others", PyUnicode_AsUTF8(a->co_name)),
		       false;

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
	if (code && has_more(module)) {
		err_set(err, "cannot recompile '%s': the text has a statement outside of the function", code_name(c));
		Py_DECREF(module);
		return NULL;
	}
	if (code)
		out = finished(w, code, (PyCodeObject *)c->co);
	if (!out && !PyErr_Occurred())
		err_set(err, "cannot recompile '%s': the text defines no function", code_name(c));
	else if (!out)
		refused_by_python(w, err);
	else if (!same_outside((PyCodeObject *)c->co, (PyCodeObject *)out, err))
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
		out = from_text(&w, c, w.text.s, err);
	work_release(&w);
	return out;
}

/* ---- with an editor between ---------------------------------------------------------------------- */

static bool bare_text(struct work *w, struct code *c, struct err *err)
{
	if (work_init(w, c, NULL, true) == 0) {
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
			buf_addf(&out, "# __const_%d: %s '%s'\n", i,
				 PyType_Check(w.p.bound[i]) ? "the type" : "an object of type",
				 PyType_Check(w.p.bound[i]) ? _PyType_Name((PyTypeObject *)w.p.bound[i]) :
							      _PyType_Name(Py_TYPE(w.p.bound[i])));
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

/* The text within what makes its free variables some, and with the names that must stay variables of the function. */
static bool whole_text(struct work *w, struct code *c, const char *text, struct buf *out)
{
	struct buf *before = w->p.out;
	bool around = has_free(c), open = false;
	size_t n, end;
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
		buf_adds(out, around && *text != '\n' ? "    " : "");
		buf_add(out, text, n);
		for (end = n; end && strchr(" \t\r\n", text[end - 1]); end--)
			;
		if (!open && line_begins_block(text) && end && text[end - 1] == ':') {
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
