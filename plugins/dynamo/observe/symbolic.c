/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo's symbolic values as text.  Realizes no value, so Dynamo adds no guard.  Knows no event. */
#include "observe/symbolic.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/wrapper.h"
#include "observe/compile_trace.h"
#include <string.h>

enum { DEEP = 3, WIDE = 8, SUMMARY = 120 };

/* An attribute, a new reference; NULL without an exception. */
static bool add_attr_text(PyObject *v, const char *name, struct buf *out)
{
	PyObject *a = attr(v, name);
	const char *s = a && PyUnicode_Check(a) ? PyUnicode_AsUTF8(a) : NULL;

	PyErr_Clear();
	if (s)
		buf_addf(out, "%s", s);
	Py_XDECREF(a);
	return s != NULL;
}

static const char *variable_kind(PyObject *v)
{
	const char *name = strrchr(Py_TYPE(v)->tp_name, '.');

	return name ? name + 1 : Py_TYPE(v)->tp_name;
}

/* Calls a method of a tracker, if its class defines it.  An attribute that the class lacks would make Dynamo look
   at a lazy value, and guard it.  A new reference, or NULL. */
static PyObject *answer(PyObject *v, const char *question)
{
	PyObject *a = NULL;

	if (PyObject_HasAttrString((PyObject *)Py_TYPE(v), question))
		a = PyObject_CallMethod(v, question, NULL);
	PyErr_Clear();
	return a;
}

static bool is_unread(PyObject *v)
{
	PyObject *yes = answer(v, "is_realized");
	bool unread = yes == Py_False;

	Py_XDECREF(yes);
	return unread;
}

static void add_source(PyObject *v, struct buf *out)
{
	PyObject *source = attr(v, "source"), *name = attr(source, "name"), *text = name;

	if (name && PyCallable_Check(name)) /* a method before torch 2.9 */
		text = PyObject_CallNoArgs(name);
	else
		Py_XINCREF(text);
	if (text && PyUnicode_Check(text) && PyUnicode_GET_LENGTH(text))
		buf_addf(out, "<not read yet: %s>", py_text_utf8_kept(text));
	else
		buf_adds(out, "<not read yet>");
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(name);
	Py_XDECREF(source);
}

static void add_variable(PyObject *v, struct buf *out, int deep);

/* A symbolic number is shown as its expression: Dynamo adds a guard when its value is read. */
static void add_example(PyObject *example, struct buf *out)
{
	bool symbolic = !strncmp(_PyType_Name(Py_TYPE(example)), "Sym", 3);
	PyObject *text = symbolic ? PyObject_Str(example) : NULL;

	buf_adds(out, " ");
	if (text)
		buf_addf(out, "%s %s", _PyType_Name(Py_TYPE(example)), py_text_utf8_kept(text));
	else
		host->values.show((struct py_obj *)example, out, SUMMARY);
	PyErr_Clear();
	Py_XDECREF(text);
}

static bool add_proxy(PyObject *v, struct buf *out)
{
	PyObject *proxy = attr(v, "proxy"), *node = attr(proxy, "node"), *meta = attr(node, "meta"), *example;

	if (node) {
		buf_addf(out, "%%");
		add_attr_text(node, "name", out);
		example = meta && PyDict_Check(meta) ? PyDict_GetItemString(meta, "example_value") : NULL;
		if (example)
			add_example(example, out);
	}
	Py_XDECREF(meta);
	Py_XDECREF(proxy);
	Py_XDECREF(node);
	return node != NULL;
}

static bool add_symbolic_items(PyObject *v, struct buf *out, int deep)
{
	PyObject *items = attr(v, "items");
	bool list = items && PyList_Check(items);
	Py_ssize_t i, n = list ? PyList_GET_SIZE(items) : 0;

	if (list) {
		buf_adds(out, "(");
		for (i = 0; i < n && i < WIDE; i++) {
			buf_addf(out, i ? ", " : "");
			add_variable(PyList_GET_ITEM(items, i), out, deep + 1);
		}
		buf_addf(out, i < n ? ", ...)" : ")");
	}
	Py_XDECREF(items);
	return list;
}

/* A method or another attribute that Dynamo has not looked at: "%sum f32[].item". */
static bool add_getattr(PyObject *v, struct buf *out, int deep)
{
	PyObject *obj = strcmp(variable_kind(v), "GetAttrVariable") || deep >= DEEP ? NULL : attr(v, "obj");

	if (!obj)
		return false;
	add_variable(obj, out, deep + 1);
	buf_adds(out, ".");
	add_attr_text(v, "name", out);
	Py_DECREF(obj);
	return true;
}

static void add_variable(PyObject *v, struct buf *out, int deep)
{
	const char *kind = variable_kind(v);
	PyObject *a;
	int len;

	if (is_unread(v)) {
		add_source(v, out);
		return;
	}
	a = answer(v, "realize"); /* it is realized already: this only unwraps it */
	if (a && a != v && deep < DEEP)
		add_variable(a, out, deep + 1);
	else if (a != v && a)
		buf_addf(out, "<%s>", kind);
	Py_XDECREF(a);
	if (a && a != v)
		return;
	if (!strcmp(kind, "NullVariable")) {
		buf_adds(out, "NULL");
		return;
	}
	if (!strcmp(kind, "ConstantVariable") && (a = attr(v, "value"))) {
		host->values.show((struct py_obj *)a, out, SUMMARY);
		Py_DECREF(a);
		return;
	}
	if (add_proxy(v, out) || add_getattr(v, out, deep))
		return;
	len = (int)strlen(kind);
	if (len > 8 && !strcmp(kind + len - 8, "Variable"))
		len -= 8;
	buf_addf(out, "%.*s", len, kind);
	if (deep < DEEP && add_symbolic_items(v, out, deep))
		return;
	a = attr(v, "fn");
	if (!a)
		a = attr(v, "value");
	if (a) {
		buf_adds(out, "(");
		if (!add_attr_text(a, "__qualname__", out) && !add_attr_text(a, "__name__", out))
			host->values.show((struct py_obj *)a, out, SUMMARY);
		buf_adds(out, ")");
		Py_DECREF(a);
	}
}

static struct val *one(PyObject *v, const char *name)
{
	struct val *map = val_map();
	struct buf text = { 0 };
	const char *kind = variable_kind(v);
	bool null = !strcmp(kind, "NullVariable");

	add_variable(v, &text, 0);
	if (name)
		val_put(map, "name", val_str(name));
	val_put(map, "value", val_str(buf_str(&text)));
	val_put(map, "type", null ? val_null() : val_str(kind));
	val_put(map, "kind", val_str(null ? "null" : "symbolic"));
	buf_release(&text);
	return map;
}

/* A parameter that was not assigned to is shown with the value of its argument. */
static bool is_argument(PyObject *v, PyObject *name)
{
	PyObject *source = attr(v, "source"), *local = attr(source, "local_name");
	bool same = local && PyUnicode_Check(local) && PyUnicode_Compare(local, name) == 0;

	PyErr_Clear();
	Py_XDECREF(local);
	Py_XDECREF(source);
	return same;
}

struct val *symbolic_locals(PyObject *tx)
{
	PyObject *locals = attr(tx, "symbolic_locals"), *items = locals ? PyMapping_Items(locals) : NULL, *pair, *name;
	struct val *list = val_list();
	Py_ssize_t i;

	PyErr_Clear();
	for (i = 0; items && i < PyList_GET_SIZE(items); i++) {
		pair = PyList_GET_ITEM(items, i);
		name = PyTuple_GET_ITEM(pair, 0);
		if (PyUnicode_Check(name) && !is_argument(PyTuple_GET_ITEM(pair, 1), name))
			val_push(list, one(PyTuple_GET_ITEM(pair, 1), py_text_utf8_kept(name)));
	}
	Py_XDECREF(items);
	Py_XDECREF(locals);
	PyErr_Clear();
	return list;
}

struct val *symbolic_stack(PyObject *tx)
{
	/* The stack before the instruction: its handler has popped the operands by now. */
	PyObject *stack = attr(tx, SYMBOLIC_BEFORE);
	struct val *list = val_list();
	Py_ssize_t i;

	if (!stack)
		stack = attr(tx, "stack");
	for (i = 0; stack && PyList_Check(stack) && i < PyList_GET_SIZE(stack); i++)
		val_push(list, one(PyList_GET_ITEM(stack, i), NULL));
	Py_XDECREF(stack);
	PyErr_Clear();
	return list;
}

void symbolic_items(PyObject *list, struct buf *out)
{
	Py_ssize_t i;

	for (i = 0; list && PyList_Check(list) && i < PyList_GET_SIZE(list); i++) {
		buf_addf(out, i ? ", " : "");
		add_variable(PyList_GET_ITEM(list, i), out, 0);
	}
	PyErr_Clear();
}

/* ---- each instruction ------------------------------------------------------------------------------------ */

static unsigned wanted;

void symbolic_steps(unsigned who, bool on)
{
	wanted = on ? wanted | who : wanted & ~who;
	if (wanted)
		attrs_wrap(ATTR_STEP);
	else
		attrs_restore(ATTR_STEP);
}

/* step(tx): the operands are still on the stack; the instruction pops them before it fails. */
static void steps(struct call *call)
{
	PyObject *tx = call_arg(call, 0, "self"), *copy;
	PyObject *stack = wanted & STEPS_BREAKS ? attr(tx, "stack") : NULL;

	copy = stack && PyList_Check(stack) ? PyList_GetSlice(stack, 0, PyList_GET_SIZE(stack)) : NULL;
	if (copy)
		PyObject_SetAttrString(tx, SYMBOLIC_BEFORE, copy);
	PyErr_Clear();
	Py_XDECREF(copy);
	Py_XDECREF(stack);
	if (tx && wanted & STEPS_TRACE)
		compile_trace_step(tx);
}

const struct watcher watch_step = { .before = steps };
