/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what the next instruction pushes, as far as constants, variables and operands of plain types determine it.
   Executes nothing and runs no code of the program. */
#include <Python.h>
#include <string.h>
#include "base/buf.h"
#include "py/code/op.h"
#include "py/frame/frame.h"
#include "py/value/value.h"
#include "py/version/facts.h"
#include "py/version/opcodes.h"

enum { TEXT_MAX = 60, SCAN_MAX = 20000 };

static bool add_object(PyObject *v, struct buf *out)
{
	if (v)
		value_show_data((struct py_obj *)v, out, TEXT_MAX);
	return v != NULL;
}

/* The object k slots below the top, NULL for anything else. */
static PyObject *operand(struct py_frame *f, int depth, int k)
{
	struct stack_slot v;

	if (k < 0 || k >= depth)
		return NULL;
	frame_slot(f, depth - 1 - k, &v);
	return v.kind == SLOT_OBJECT ? (PyObject *)v.value : NULL;
}

static bool same_key(PyObject *a, PyObject *b)
{
	if (a == b)
		return true;
	if (PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b))
		return PyUnicode_Compare(a, b) == 0;
	return PyLong_CheckExact(a) && PyLong_CheckExact(b) && PyObject_RichCompareBool(a, b, Py_EQ) > 0;
}

/* The value for a str or int key in a dict, found without calling __eq__ of the program's keys. Borrowed. */
static PyObject *dict_item(PyObject *dict, PyObject *key)
{
	PyObject *k, *v;
	Py_ssize_t at = 0;

	if (!dict || !PyDict_CheckExact(dict) || PyDict_GET_SIZE(dict) > SCAN_MAX ||
	    !(PyUnicode_CheckExact(key) || PyLong_CheckExact(key)))
		return NULL;
	while (PyDict_Next(dict, &at, &k, &v))
		if (same_key(k, key))
			return v;
	return NULL;
}

static PyObject *list_item(PyObject *list, PyObject *key)
{
	Py_ssize_t n = PyList_CheckExact(list) ? PyList_GET_SIZE(list) : PyTuple_GET_SIZE(list);
	Py_ssize_t i = PyLong_CheckExact(key) ? PyLong_AsSsize_t(key) : n;

	PyErr_Clear();
	i = i < 0 ? i + n : i;
	if (i < 0 || i >= n)
		return NULL;
	return PyList_CheckExact(list) ? PyList_GET_ITEM(list, i) : PyTuple_GET_ITEM(list, i);
}

static PyObject *get_subscript(PyObject *v, PyObject *key)
{
	if (!v || !key)
		return NULL;
	if (PyList_CheckExact(v) || PyTuple_CheckExact(v))
		return list_item(v, key);
	return dict_item(v, key);
}

static PyObject *global(struct py_frame *f, PyObject *name)
{
	PyObject *builtins, *v = dict_item((PyObject *)frame_globals(f), name);

	if (v)
		return v;
	builtins = PyFrame_GetBuiltins((PyFrameObject *)f);
	v = dict_item(builtins, name); /* the frame keeps them */
	Py_XDECREF(builtins);
	return v;
}

static bool put_global(struct py_frame *f, PyObject *name, bool null, struct buf *out)
{
	PyObject *v = name ? global(f, name) : NULL;

	if (!v)
		return false;
	if (null && !py_facts.null_above)
		buf_adds(out, "NULL, ");
	add_object(v, out);
	if (null && py_facts.null_above)
		buf_adds(out, ", NULL");
	return true;
}

static bool put_locals(struct py_frame *f, int first, int second, struct buf *out)
{
	PyObject *a = (PyObject *)frame_local(f, first), *b = second >= 0 ? (PyObject *)frame_local(f, second) : NULL;

	if (!a || (second >= 0 && !b))
		return false;
	add_object(a, out);
	if (b) {
		buf_adds(out, ", ");
		add_object(b, out);
	}
	return true;
}

/* The top n slots, the lowest or the highest first. */
static bool put_items(PyObject *items, Py_ssize_t n, struct buf *out)
{
	Py_ssize_t i;

	if (!items || !(PyTuple_CheckExact(items) || PyList_CheckExact(items)) || n > 8 ||
	    (PyTuple_CheckExact(items) ? PyTuple_GET_SIZE(items) : PyList_GET_SIZE(items)) != n)
		return false;
	for (i = n - 1; i >= 0; i--) {
		add_object(PyTuple_CheckExact(items) ? PyTuple_GET_ITEM(items, i) : PyList_GET_ITEM(items, i), out);
		if (i)
			buf_adds(out, ", ");
	}
	return true;
}

static bool put_built(struct py_frame *f, int depth, int n, bool list, struct buf *out)
{
	PyObject *v;
	int k;

	if (n > 8 || n > depth)
		return false;
	buf_addc(out, list ? '[' : '(');
	for (k = n - 1; k >= 0; k--) {
		v = operand(f, depth, k);
		if (!v)
			return false;
		add_object(v, out);
		buf_adds(out, k ? ", " : n == 1 && !list ? "," : "");
	}
	buf_addc(out, list ? ']' : ')');
	return true;
}

/* Comparing numbers runs no code of the program. */
static bool put_compared(PyObject *a, PyObject *b, const char *how, struct buf *out)
{
	static const struct {
		const char *name;
		int op;
	} ops[] = {
		{ "<", Py_LT }, { "<=", Py_LE }, { "==", Py_EQ }, { "!=", Py_NE }, { ">", Py_GT }, { ">=", Py_GE },
	};
	size_t i;

	if (!a || !b || !how || !(PyLong_CheckExact(a) || PyFloat_CheckExact(a)) ||
	    !(PyLong_CheckExact(b) || PyFloat_CheckExact(b)))
		return false;
	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (!strcmp(ops[i].name, how)) {
			buf_adds(out, PyObject_RichCompareBool(a, b, ops[i].op) > 0 ? "True" : "False");
			return true;
		}
	return false;
}

static bool put_member(PyObject *module, PyObject *name, struct buf *out)
{
	return module && name && PyModule_CheckExact(module) &&
	       add_object(dict_item(PyModule_GetDict(module), name), out);
}

static bool put_simple(struct py_frame *f, const struct instr *in, int depth, PyObject *arg, struct buf *out)
{
	PyObject *top = operand(f, depth, 0), *below = operand(f, depth, 1);
	const char *word;

	switch (op_plain(in->op)) {
	case PUSH_NULL:
		buf_adds(out, "NULL");
		return true;
	case LOAD_SMALL_INT:
		buf_addf(out, "%d", in->arg);
		return true;
	case COPY:
		return add_object(operand(f, depth, in->arg - 1), out);
	case BINARY_SUBSCR:
		return add_object(get_subscript(below, top), out);
	case BINARY_OP:
		word = op_arg_word(in->op, in->arg);
		return word && !strcmp(word, "[]") && add_object(get_subscript(below, top), out);
	case UNPACK_SEQUENCE:
		return put_items(top, in->arg, out);
	case BUILD_TUPLE:
		return put_built(f, depth, in->arg, false, out);
	case BUILD_LIST:
		return put_built(f, depth, in->arg, true, out);
	case IS_OP:
		if (top && below)
			buf_adds(out, (top == below) != (in->arg & 1) ? "True" : "False");
		return top && below;
	case UNARY_NOT:
		if (top && PyBool_Check(top))
			buf_adds(out, top == Py_True ? "False" : "True");
		return top && PyBool_Check(top);
	case LOAD_ATTR:
		return py_op_effect(in->op, in->arg, 0) == 0 && put_member(top, arg, out);
	}
	return false;
}

bool frame_pushes(struct py_frame *f, struct code *c, int index, bool at_event, struct buf *out)
{
	const struct instr *in = &c->instr[index];
	PyObject *arg = (PyObject *)code_arg_object(c, index);
	int depth = frame_depth(f, at_event), i;
	struct op_words words = { 0 };
	size_t had = out->len;
	bool known;

	i = in->has_arg ? py_op_arg_index(in->op, in->arg, &words) : 0;
	switch (op_plain(in->op)) {
	case LOAD_CONST:
		known = add_object(arg, out);
		break;
	case LOAD_FAST:
	case LOAD_FAST_CHECK:
	case LOAD_FAST_AND_CLEAR:
	case LOAD_DEREF:
		known = put_locals(f, i, -1, out);
		break;
	case LOAD_FAST_LOAD_FAST:
		known = put_locals(f, i, words.second, out);
		break;
	case LOAD_GLOBAL:
		known = put_global(f, arg, py_op_effect(in->op, in->arg, 0) == 2, out);
		break;
	case COMPARE_OP:
		known = depth > 1 && put_compared(operand(f, depth, 1), operand(f, depth, 0), op_compare(i), out);
		break;
	default:
		known = depth >= 0 && put_simple(f, in, depth, arg, out);
	}
	if (!known && out->len > had) {
		out->len = had;
		out->s[had] = '\0';
	}
	return known;
}
