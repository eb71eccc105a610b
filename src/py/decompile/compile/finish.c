/* SPDX-License-Identifier: BSD-3-Clause */
/* The code that the decompiler's text compiles to becomes the original's: its objects and names in the place of
   stand-ins, its lines and file, and what the compiler puts into the bodies of classes.  Knows no text. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"
#include "py/decompile/text/print.h"
#include "py/value/value.h"

static PyObject *renamed(struct work *w, PyObject *names)
{
	PyObject *out = PyTuple_New(PyTuple_GET_SIZE(names)), *v;
	const char *s;
	Py_ssize_t i;
	int k;

	for (i = 0; out && i < PyTuple_GET_SIZE(names); i++) {
		v = PyTuple_GET_ITEM(names, i);
		s = PyUnicode_AsUTF8(v);
		k = bind_number(s, "_name_", w->p.nodd);
		v = k >= 0 ? Py_NewRef(w->p.odd[k]) : bind_looked_up(v);
		if (!v)
			Py_CLEAR(out);
		else
			PyTuple_SET_ITEM(out, i, v);
	}
	return out;
}

static bool ins_names(const struct code *c, int i, const char *name)
{
	return !strcmp(py_op_name(op_plain(c->instr[i].op)), name);
}

/* The instruction that loads what a class's body stores to this name, and that constant, owned by the caller; -1: there
   is none. */
static int class_load(struct code *c, const char *stored, PyObject **value)
{
	PyObject *name;
	int i;

	code_decode(c);
	for (i = 1; i < c->n; i++) {
		if (!ins_names(c, i, "STORE_NAME"))
			continue;
		name = (PyObject *)code_arg_object(c, i);
		if (!name || PyUnicode_CompareWithASCIIString(name, stored))
			continue;
		*value = ins_names(c, i - 1, "LOAD_SMALL_INT") ? PyLong_FromLong(c->instr[i - 1].arg) :
								 Py_XNewRef((PyObject *)code_arg_object(c, i - 1));
		return *value ? i - 1 : -1;
	}
	return -1;
}

/* What the compiler puts into the body of a class by itself is as it was in the original. */
static int class_facts(PyObject *code, PyCodeObject *original, unsigned char *raw, PyObject *consts)
{
	static const char *const names[] = { "__qualname__", "__firstlineno__", "__static_attributes__" };
	struct code *c = code_get((struct py_code *)code);
	PyObject *was = NULL, *is = NULL;
	int i, at, from, rc = 0;

	for (i = 0; i < 3 && !rc; i++) {
		from = class_load(code_get((struct py_code *)original), names[i], &was);
		at = class_load(c, names[i], &is);
		if (at < 0 || from < 0) {
			rc = at >= 0 || from >= 0 ? -1 : 0;
		} else if (PyList_GET_SIZE(consts) > 255 || c->instr[at].flags & INSTR_PREFIX ||
			   (at && c->instr[at - 1].flags & INSTR_PREFIX)) {
			rc = -1;
		} else {
			raw[c->instr[at].offset] = (unsigned char)op_named("LOAD_CONST");
			raw[c->instr[at].offset + 1] = (unsigned char)PyList_GET_SIZE(consts);
			rc = PyList_Append(consts, was);
		}
		Py_CLEAR(was);
		Py_CLEAR(is);
	}
	if (rc && !PyErr_Occurred())
		PyErr_SetString(PyExc_ValueError,
				"__qualname__ or another attribute that the compiler gives to a class would differ");
	return rc;
}

/* around: the innermost code object that it is in whose original is known, and that original; not of a lambda. */
struct around {
	PyCodeObject *compiled, *original;
	const struct around *outer; /* around that; NULL: nothing */
};
static PyObject *finished(struct work *w, PyObject *code, PyCodeObject *original, const struct around *around);

/* The nested code object that this line's text was made from. */
static PyCodeObject *made_from(struct work *w, PyObject *code)
{
	int i;

	/* a lambda in the line of a definition */
	if (PyUnicode_READ_CHAR(((PyCodeObject *)code)->co_name, 0) == '<')
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
static PyObject *line_table(struct work *w, PyObject *code, PyCodeObject *original, int before)
{
	struct code *c = code_get((struct py_code *)code), *o = code_get((struct py_code *)original);
	struct buf b = { NULL, 0, 0 };
	int i, line, units, step, delta;
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

static PyObject *constants(struct work *w, PyObject *code, PyCodeObject *original, const struct around *outer)
{
	const struct around own = { (PyCodeObject *)code, original, outer },
			    *around = original || !outer ? &own : outer;
	PyObject *list = PySequence_List(((PyCodeObject *)code)->co_consts), *v;
	Py_ssize_t i;

	for (i = 0; list && i < PyList_GET_SIZE(list); i++) {
		if (!PyCode_Check(PyList_GET_ITEM(list, i)))
			continue;
		v = finished(w, PyList_GET_ITEM(list, i), made_from(w, PyList_GET_ITEM(list, i)), around);
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

/* The qualified name as it would be in the original: a new reference; NULL: it is not that of something in there. */
static PyObject *name_within(PyObject *name, const struct around *in)
{
	PyObject *from = in->compiled->co_qualname, *to = in->original->co_qualname, *rest = NULL, *out = NULL;

	if (PyUnicode_Tailmatch(name, from, 0, PY_SSIZE_T_MAX, -1) == 1)
		rest = PyUnicode_Substring(name, PyUnicode_GET_LENGTH(from), PY_SSIZE_T_MAX);
	if (rest)
		out = PyUnicode_Concat(to, rest);
	Py_XDECREF(rest);
	return out;
}

/* The name, the file and the lines of what has no original of its own: as in the code around it. */
static int within_another(struct work *w, PyObject *code, const struct around *around, PyObject *fields)
{
	const struct around *in;
	PyObject *name = NULL;
	int line = original_line(w, code_get((struct py_code *)around->original),
				 ((PyCodeObject *)code)->co_firstlineno);

	line = line > 0 ? line : around->original->co_firstlineno;
	for (in = around; in && in->original && !name && !PyErr_Occurred(); in = in->outer)
		name = name_within(((PyCodeObject *)code)->co_qualname, in);
	if (!name)
		return PyErr_Occurred() ? -1 : 0;
	return dict_put(fields, "co_qualname", name) |
	       dict_put(fields, "co_filename", Py_NewRef(around->original->co_filename)) |
	       dict_put(fields, "co_firstlineno", PyLong_FromLong(line)) |
	       dict_put(fields, "co_linetable", line_table(w, code, around->original, line));
}

/* The compiled code with the objects and the names that its text had stand-ins for. */
static PyObject *finished(struct work *w, PyObject *code, PyCodeObject *original, const struct around *around)
{
	PyObject *fields = PyDict_New(), *list = constants(w, code, original, around),
		 *bytes = (PyObject *)py_code_bytes((struct py_code *)code), *out = NULL, *copy = NULL;
	PyObject *frees = PyCode_GetFreevars((PyCodeObject *)code), *cells = PyCode_GetCellvars((PyCodeObject *)code),
		 *vars = PyCode_GetVarnames((PyCodeObject *)code);
	int rc = -1;

	copy = bytes ? PyBytes_FromStringAndSize(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes)) : NULL;
	if (fields && list && copy && frees && cells && vars &&
	    bind_code(w, code, (unsigned char *)PyBytes_AS_STRING(copy), list) == 0 &&
	    (!original || !code_kind_is_class(code_get((struct py_code *)original)) ||
	     class_facts(code, original, (unsigned char *)PyBytes_AS_STRING(copy), list) == 0)) {
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
			      dict_put(fields, "co_linetable",
				       line_table(w, code, original, original->co_firstlineno)) |
			      /* set by types.coroutine(); no source text can set it */
			      dict_put(fields, "co_flags",
				       PyLong_FromLong(((PyCodeObject *)code)->co_flags |
						       (original->co_flags & CO_ITERABLE_COROUTINE)));
		else if (around && around->original)
			rc |= within_another(w, code, around, fields);
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

/* ---- functions within that are as they were stay the same objects: others may know code by its identity ---- */

static bool are_equal(PyObject *a, PyObject *b)
{
	return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

/* Do both do the same under the same names?  Only lines and columns may differ. */
static bool is_alike(PyCodeObject *made, PyCodeObject *original)
{
	PyObject *fields = PyDict_New(), *copy = NULL;
	bool alike = false;

	if (fields && dict_put(fields, "co_firstlineno", PyLong_FromLong(original->co_firstlineno)) == 0 &&
	    dict_put(fields, "co_linetable", Py_NewRef(original->co_linetable)) == 0)
		copy = replaced((PyObject *)made, fields);
	if (copy)
		alike = made->co_flags == original->co_flags &&
			are_equal(made->co_localspluskinds, original->co_localspluskinds) &&
			are_equal(made->co_qualname, original->co_qualname) &&
			are_equal(made->co_filename, original->co_filename) && are_equal(copy, (PyObject *)original);
	PyErr_Clear();
	Py_XDECREF(copy);
	Py_XDECREF(fields);
	return alike;
}

static PyObject *with_kept(PyObject *code, PyCodeObject *original);

/* What stands for the constant: the first of the original's code objects from *from on that it is like, or itself, with
   those within it kept; a new reference, NULL with an exception set. */
static PyObject *kept(PyObject *v, PyCodeObject *original, Py_ssize_t *from)
{
	PyObject *was, *own;
	Py_ssize_t i;

	for (i = *from; i < PyTuple_GET_SIZE(original->co_consts); i++) {
		was = PyTuple_GET_ITEM(original->co_consts, i);
		if (!PyCode_Check(was) || !are_equal(((PyCodeObject *)v)->co_name, ((PyCodeObject *)was)->co_name))
			continue;
		own = with_kept(v, (PyCodeObject *)was);
		if (own && is_alike((PyCodeObject *)own, (PyCodeObject *)was)) {
			*from = i + 1;
			Py_DECREF(own);
			return Py_NewRef(was);
		}
		if (!own || ((PyCodeObject *)v)->co_firstlineno == ((PyCodeObject *)was)->co_firstlineno)
			return own;
		Py_DECREF(own);
	}
	return Py_NewRef(v);
}

/* The code with the original's objects for each function within that is as it was: a new reference. */
static PyObject *with_kept(PyObject *code, PyCodeObject *original)
{
	PyObject *list = PySequence_List(((PyCodeObject *)code)->co_consts), *fields = NULL, *v, *out = NULL;
	Py_ssize_t i, from = 0;
	bool changed = false;

	for (i = 0; list && i < PyList_GET_SIZE(list); i++) {
		if (!PyCode_Check(PyList_GET_ITEM(list, i)))
			continue;
		v = kept(PyList_GET_ITEM(list, i), original, &from);
		changed |= v != PyList_GET_ITEM(list, i);
		if (!v || PyList_SetItem(list, i, v) < 0)
			Py_CLEAR(list);
	}
	if (list && !changed)
		out = Py_NewRef(code);
	else if (list && (fields = PyDict_New()) && dict_put(fields, "co_consts", PyList_AsTuple(list)) == 0)
		out = replaced(code, fields);
	Py_XDECREF(list);
	Py_XDECREF(fields);
	return out;
}

PyObject *finish_code(struct work *w, PyObject *code, PyCodeObject *original)
{
	PyObject *made = finished(w, code, original, NULL), *out = made ? with_kept(made, original) : NULL;

	Py_XDECREF(made);
	return out;
}
