/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers for the program itself, cdbg.explain() for example: see ask.h.  Outside the floors. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "ask.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "cmd/cmd.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "py/interp/lookup.h"
#include "view/view.h"

static PyObject *object_of_val(const struct val *v)
{
	PyObject *out, *item;
	size_t i;

	switch (v ? v->type : VAL_NULL) {
	case VAL_BOOL:
		return PyBool_FromLong(v->u.b);
	case VAL_INT:
		return PyLong_FromLongLong(v->u.i);
	case VAL_REAL:
		return PyFloat_FromDouble(v->u.r);
	case VAL_STR:
		return PyUnicode_DecodeUTF8(v->u.s, (Py_ssize_t)strlen(v->u.s), "replace");
	case VAL_LIST:
		out = PyList_New(0);
		for (i = 0; out && i < v->u.list.n; i++) {
			item = object_of_val(v->u.list.item[i]);
			if (!item || PyList_Append(out, item) < 0)
				Py_CLEAR(out);
			Py_XDECREF(item);
		}
		return out;
	case VAL_MAP:
		out = PyDict_New();
		for (i = 0; out && i < v->u.list.n; i++) {
			item = object_of_val(v->u.list.item[i]);
			if (!item || PyDict_SetItemString(out, v->u.list.key[i], item) < 0)
				Py_CLEAR(out);
			Py_XDECREF(item);
		}
		return out;
	default:
		return Py_NewRef(Py_None);
	}
}

static PyObject *rows_object(const struct rows *r)
{
	PyObject *list = PyList_New(0), *row, *item;
	size_t i;
	int k;

	for (i = 0; list && i < r->n; i++) {
		row = PyDict_New();
		for (k = 0; row && k < r->ncols; k++) {
			if (r->ops->cols[k].screen)
				continue;
			item = object_of_val(r->cell[i * (size_t)r->ncols + (size_t)k].v);
			if (!item || PyDict_SetItemString(row, r->ops->cols[k].name, item) < 0)
				Py_CLEAR(row);
			Py_XDECREF(item);
		}
		if (!row || PyList_Append(list, row) < 0)
			Py_CLEAR(list);
		Py_XDECREF(row);
	}
	return list;
}

static void keep_first_code(void *arg, struct py_code *co)
{
	struct py_code **first = arg;

	if (!*first)
		*first = co;
}

/* The code of a value: ask the plugins first (they know compiled wrappers), then the value itself. */
static struct py_code *ask_code(struct session *s, struct py_obj *about)
{
	struct py_code *co = NULL;

	plug_unwrap(s, about, keep_first_code, &co);
	if (!co)
		lookup_code(about, keep_first_code, &co);
	return co;
}

struct py_obj *ask(struct session *s, const char *line, struct py_obj *about, struct err *err)
{
	struct py_code *co = about ? ask_code(s, about) : NULL;
	char *whole = about ? mem_fmt("%s code@%p", line, (void *)co) : mem_str(line);
	const char *rest = whole;
	struct reply reply = { .rows = NULL };
	struct buf word = { 0 };
	const struct cmd_def *c;
	PyObject *text, *rows, *out = NULL;

	if (about && !co) {
		err_set(err, "this value has no code: pass a function, a compiled function or a module");
	} else {
		c = cmd_word(&rest, &word) ? cmd_find(word.s, err) : NULL;
		if (c && cmd_flags(c, rest) & (CMD_RESUMES | CMD_CHANGES | CMD_NEEDS_STOP))
			err_set(err, "'%s' needs a stopped program and cannot be used here", c->name);
		else if (c && cmd_invoke(s, c, rest, &reply, err) == 0) {
			if (reply.rows && !reply.text.len)
				view_text(s, reply.rows, &reply.text);
			text = PyUnicode_DecodeUTF8(buf_str(&reply.text), (Py_ssize_t)reply.text.len, "replace");
			rows = reply.rows ? rows_object(reply.rows) : Py_NewRef(Py_None);
			out = text && rows ? PyTuple_Pack(2, text, rows) : NULL;
			if (!out) {
				PyErr_Clear();
				err_set(err, "no memory for the answer");
			}
			Py_XDECREF(text);
			Py_XDECREF(rows);
		}
	}
	reply_release(&reply);
	buf_release(&word);
	free(whole);
	return (struct py_obj *)out;
}
