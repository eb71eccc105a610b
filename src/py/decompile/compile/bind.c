/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-ins in compiled text: the instruction that loads a global of such a name becomes those that load what it stands
   for, in place: there is room, and no jump moves.  Knows no text. */
#include <Python.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"
#include "py/decompile/text/print.h"

int bind_number(const char *s, const char *prefix, int n)
{
	char *end;
	long i;

	if (!s || strncmp(s, prefix, strlen(prefix)) || !s[strlen(prefix)])
		return -1;
	i = strtol(s + strlen(prefix), &end, 10);
	return (*end && strcmp(end, "__") != 0) || i < 0 || i >= n ? -1 : (int)i;
}

PyObject *bind_looked_up(PyObject *name)
{
	const char *s = PyUnicode_AsUTF8(name);

	PyErr_Clear();
	if (!s || strncmp(s, LOOKED_UP, strlen(LOOKED_UP)) != 0)
		return Py_NewRef(name);
	return PyUnicode_InternFromString(s + strlen(LOOKED_UP));
}

/* Where instructions are put: from at to end, which is after the one that they take the place of. */
struct room {
	unsigned char *raw;
	int at, end;
	bool null, null_last; /* the one replaced leaves a NULL, too: below, or above what it loads */
};

static void bind_put(struct room *to, int op, int arg)
{
	if (arg > 255) {
		to->raw[to->at++] = (unsigned char)op_named("EXTENDED_ARG");
		to->raw[to->at++] = (unsigned char)(arg >> 8);
	}
	to->raw[to->at++] = (unsigned char)op;
	to->raw[to->at++] = (unsigned char)arg;
}

static void room_begin(struct room *to)
{
	if (to->null && !to->null_last)
		bind_put(to, op_named("PUSH_NULL"), 0);
}

static void room_end(struct room *to)
{
	if (to->null && to->null_last)
		bind_put(to, op_named("PUSH_NULL"), 0);
	while (to->at < to->end)
		bind_put(to, op_named("NOP"), 0);
}

/* Of a class: names are looked up in its dictionary first. */
static bool uses_names(const struct code *c)
{
	return code_kind_is_class(c);
}

static struct room room_of(struct code *c, int i, unsigned char *raw)
{
	struct room to = { .raw = raw };
	int start;

	for (start = i; start > 0 && (c->instr[start - 1].flags & INSTR_PREFIX); start--)
		;
	to.at = c->instr[start].offset;
	to.end = c->instr[i].offset + 2 + 2 * py_op_caches(c->instr[i].op);
	to.null = (c->instr[i].arg & 1) && !uses_names(c);
	to.null_last = op_named("CALL_KW") >= 0;
	return to;
}

static int bind_index(PyObject *names, const char *name)
{
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(names); i++)
		if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), name))
			return (int)i;
	return -1;
}

static int bind_constant(struct room to, bool class, PyObject *v, PyObject *consts)
{
	Py_ssize_t j;

	for (j = 0; j < PyList_GET_SIZE(consts) && PyList_GET_ITEM(consts, j) != v; j++)
		;
	if (j == PyList_GET_SIZE(consts) && PyList_Append(consts, v) < 0)
		return -1;
	if (j > 65535 || (class && j > 255 && to.end - to.at < 4)) {
		PyErr_SetString(PyExc_ValueError, "too many constants");
		return -1;
	}
	room_begin(&to);
	bind_put(&to, op_named("LOAD_CONST"), (int)j);
	room_end(&to);
	return 0;
}

/* The name is looked up in the variables of a class first: name, in names, is that with a prefix. */
static int bind_in_class(struct room to, PyCodeObject *co, PyObject *name)
{
	const char *plain = PyUnicode_AsUTF8(name) + strlen(LOOKED_UP);
	int class = bind_index(co->co_localsplusnames, "__classdict__"),
	    own = bind_index(co->co_localsplusnames, plain),
	    in_names = bind_index(co->co_names, PyUnicode_AsUTF8(name));

	if (class < 0 || class > 65535 || own > 65535 || in_names > 65535) {
		PyErr_Format(PyExc_ValueError, "'%s' cannot be looked up in a class", plain);
		return -1;
	}
	room_begin(&to);
	bind_put(&to, op_named("LOAD_DEREF"), class);
	bind_put(&to, op_named(own < 0 ? "LOAD_FROM_DICT_OR_GLOBALS" : "LOAD_FROM_DICT_OR_DEREF"),
		 own < 0 ? in_names : own);
	room_end(&to);
	return 0;
}

/* An edited text names an object that the code does not have. */
static int refuse_unknown(struct work *w, const char *s)
{
	if (bind_number(s, "__const_", INT_MAX) < 0 || bind_index(((PyCodeObject *)w->f.code->co)->co_names, s) >= 0)
		return 0;
	if (w->p.nbound)
		PyErr_Format(PyExc_ValueError,
			     "there is no object '%s': the comments above the text say which there are", s);
	else
		PyErr_Format(PyExc_ValueError, "there is no object '%s': the text has no such names", s);
	return -1;
}

int bind_code(struct work *w, PyObject *code, unsigned char *raw, PyObject *consts)
{
	struct code *c = code_get((struct py_code *)code);
	const bool class = uses_names(c);
	int i, k, rc = 0;
	PyObject *name;
	const char *s;

	code_decode(c);
	for (i = 0; i < c->n && !rc; i++) {
		if (strcmp(py_op_name(op_plain(c->instr[i].op)), class ? "LOAD_NAME" : "LOAD_GLOBAL"))
			continue;
		name = (PyObject *)code_arg_object(c, i);
		s = name ? PyUnicode_AsUTF8(name) : NULL;
		k = bind_number(s, "__const_", w->p.nbound);
		if (k >= 0)
			rc = bind_constant(room_of(c, i, raw), class, w->p.bound[k], consts);
		else if (s && !class && !strncmp(s, LOOKED_UP, strlen(LOOKED_UP)))
			rc = bind_in_class(room_of(c, i, raw), (PyCodeObject *)code, name);
		else
			rc = refuse_unknown(w, s);
	}
	return rc;
}
