/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in a value: see children.h.  Reads memory through CPython's own functions for built-in types, whatever a
   class defines in their place. */
#include <Python.h>
#include <string.h>
#include <structmember.h>
#include "base/err.h"
#include "py/py.h"
#include "py/value/children.h"
#include "py/value/value.h"

enum { LABEL_MAX = 80, KEY_MAX = 200, KEY_DEEP = 3 };
#define IS_ATTRIBUTE "attribute"
#define IS_ITEM "item"

/* ---- names ---------------------------------------------------------------------------------------- */

/* Does a literal name this key, and nothing that the program defines?  Then its repr is the literal. */
static bool is_literal_key(PyObject *key, int deep)
{
	Py_ssize_t i;

	if (PyTuple_CheckExact(key) && deep < KEY_DEEP) {
		for (i = 0; i < PyTuple_GET_SIZE(key); i++)
			if (!is_literal_key(PyTuple_GET_ITEM(key, i), deep + 1))
				return false;
		return true;
	}
	return PyUnicode_CheckExact(key) || PyLong_CheckExact(key) || PyBytes_CheckExact(key) || PyBool_Check(key) ||
	       PyFloat_CheckExact(key) || key == Py_None;
}

/* "[key]"; false: the key has no literal, or a long one: then a summary is written. */
static bool add_item_key(PyObject *key, struct buf *out)
{
	PyObject *text = is_literal_key(key, 0) && (!PyLong_CheckExact(key) || _PyLong_NumBits(key) < 512) ?
				 PyObject_Repr(key) :
				 NULL;
	bool whole = text && PyUnicode_GET_LENGTH(text) <= KEY_MAX;

	buf_addc(out, '[');
	if (!whole || !value_text((struct py_obj *)text, out, 4 * KEY_MAX)) {
		whole = false;
		out->len = 1;
		value_show((struct py_obj *)key, out, LABEL_MAX);
	}
	buf_addc(out, ']');
	PyErr_Clear();
	Py_XDECREF(text);
	return whole;
}

/* "['key']", as it is searched for, names this key, or may do so: text without an escape is compared before its repr
   is made. */
static bool may_be(PyObject *key, const char *only)
{
	size_t n = only ? strlen(only) : 0;
	Py_ssize_t len;
	const char *text;

	if (n < 5 || only[1] != '\'' || strpbrk(only, "\\\"") || !PyUnicode_CheckExact(key))
		return true;
	text = PyUnicode_AsUTF8AndSize(key, &len);
	if (!text)
		PyErr_Clear();
	return text && (size_t)len == n - 4 && !memcmp(text, only + 2, n - 4);
}

static void give_child(struct child_sink *k, const char *label, const char *suffix, const char *kind, PyObject *v)
{
	struct child c = { .label = label, .suffix = suffix, .kind = kind, .v = (struct py_obj *)v };

	if (v)
		k->add(k, &c);
}

static void give_attribute(struct child_sink *k, PyObject *name, PyObject *v)
{
	struct buf label = { 0 };
	bool whole;

	if (k->only && !PyUnicode_CheckExact(name))
		return;
	buf_addc(&label, '.');
	whole = value_text((struct py_obj *)name, &label, LABEL_MAX) && PyUnicode_IsIdentifier(name);
	give_child(k, label.s, whole ? label.s : NULL, IS_ATTRIBUTE, v);
	buf_release(&label);
}

/* ---- items ------------------------------------------------------------------------------------------ */

static PyObject *in_type(PyTypeObject *t, const char *name)
{
	return (PyObject *)value_of_class((struct py_obj *)t, name);
}

/* Does [] of this class do what it does for the built-in one? */
static bool same_items(PyObject *v, PyTypeObject *base)
{
	return in_type(Py_TYPE(v), "__getitem__") == in_type(base, "__getitem__");
}

/* The names of a named tuple's items; NULL: v is another value. */
static PyObject *field_names(PyObject *v)
{
	PyObject *names = PyTuple_CheckExact(v) ? NULL : in_type(Py_TYPE(v), "_fields");

	return names && PyTuple_CheckExact(names) && PyTuple_GET_SIZE(names) == PyTuple_GET_SIZE(v) ? names : NULL;
}

/* Its items are attributes, too. */
static bool is_struct_sequence(PyObject *v)
{
	return PyTuple_Check(v) && in_type(Py_TYPE(v), "n_sequence_fields");
}

static void give_sequence(struct child_sink *k, PyObject *v)
{
	bool list = PyList_Check(v);
	bool named = same_items(v, list ? &PyList_Type : &PyTuple_Type);
	/* "[0]" finds the item of a named tuple, too */
	PyObject *fields = list || (k->only && *k->only == '[') ? NULL : field_names(v);
	size_t n = (size_t)Py_SIZE(v), first = k->total, i;
	char label[32];

	if (is_struct_sequence(v))
		return;
	for (i = k->from > first ? k->from - first : 0; i < n && first + i < k->to; i++) {
		PyObject *item = list ? PyList_GET_ITEM(v, (Py_ssize_t)i) : PyTuple_GET_ITEM(v, (Py_ssize_t)i);

		if (fields && PyUnicode_Check(PyTuple_GET_ITEM(fields, (Py_ssize_t)i))) {
			give_attribute(k, PyTuple_GET_ITEM(fields, (Py_ssize_t)i), item);
			continue;
		}
		snprintf(label, sizeof(label), "[%zu]", i);
		give_child(k, label, named ? label : NULL, IS_ITEM, item);
	}
	k->total = first + n;
}

static void give_dict(struct child_sink *k, PyObject *v)
{
	bool named = same_items(v, &PyDict_Type), literal;
	size_t n = (size_t)PyDict_GET_SIZE(v), first = k->total, i = first;
	PyObject *key, *value;
	struct buf label = { 0 };
	Py_ssize_t at = 0;

	while (i < k->to && PyDict_Next(v, &at, &key, &value)) {
		if (i++ < k->from || !may_be(key, k->only))
			continue;
		buf_reset(&label);
		literal = add_item_key(key, &label);
		give_child(k, label.s, named && literal ? label.s : NULL, IS_ITEM, value);
	}
	k->total = first + n;
	buf_release(&label);
}

/* Of a set or a deque, by the iterator of the built-in type. */
static void give_iterated(struct child_sink *k, PyObject *v, getiterfunc iterate, size_t n, bool numbered)
{
	size_t first = k->total, i = first;
	PyObject *it = i < k->to ? iterate(v) : NULL, *item;
	char label[32];

	while (it && i < k->to && (item = PyIter_Next(it))) {
		snprintf(label, sizeof(label), numbered ? "[%zu]" : "{%zu}", i - first);
		if (i++ >= k->from)
			give_child(k, label, numbered ? label : NULL, IS_ITEM, item);
		Py_DECREF(item);
	}
	PyErr_Clear();
	Py_XDECREF(it);
	k->total = first + n;
}

static bool is_deque(PyObject *v)
{
	PyObject *m = PyDict_GetItemString(PyImport_GetModuleDict(), "_collections");

	return m && PyModule_Check(m) && PyDict_GetItemString(PyModule_GetDict(m), "deque") == (PyObject *)Py_TYPE(v);
}

static size_t deque_length(PyObject *v)
{
	return (size_t)Py_TYPE(v)->tp_as_sequence->sq_length(v);
}

static void give_items(struct child_sink *k, PyObject *v)
{
	if (PyList_Check(v) || PyTuple_Check(v))
		give_sequence(k, v);
	else if (PyDict_Check(v))
		give_dict(k, v);
	else if (PyAnySet_Check(v))
		give_iterated(k, v, PySet_Type.tp_iter, (size_t)PySet_GET_SIZE(v), false);
	else if (is_deque(v))
		give_iterated(k, v, Py_TYPE(v)->tp_iter, deque_length(v), true);
}

/* ---- attributes ---------------------------------------------------------------------------------------- */

static bool has_dict(PyTypeObject *t)
{
	return t->tp_dictoffset || t->tp_flags & Py_TPFLAGS_MANAGED_DICT;
}

static bool is_dunder(const char *name)
{
	return !strncmp(name, "__", 2);
}

/* Slots, and what types of C say of their objects. */
static void give_members(struct child_sink *k, PyObject *v)
{
	PyObject *mro = Py_TYPE(v)->tp_mro, *value, *name;
	PyMemberDef *m;
	Py_ssize_t i;

	for (i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
		m = ((PyTypeObject *)PyTuple_GET_ITEM(mro, i))->tp_members;
		/* one that CPython reports to audit hooks, which are the program's, is left out */
		for (; m && m->name; m++) {
			if (is_dunder(m->name) || m->flags & ~READONLY)
				continue;
			value = PyMember_GetOne((char *)v, m);
			name = value ? PyUnicode_FromString(m->name) : NULL;
			if (name && child_wanted(k))
				give_attribute(k, name, value);
			PyErr_Clear(); /* a slot without a value */
			Py_XDECREF(name);
			Py_XDECREF(value);
		}
	}
}

static void give_field(struct child_sink *k, const char *label, PyObject *v)
{
	if (v && child_wanted(k))
		give_child(k, label, label, IS_ATTRIBUTE, v);
}

/* What built-in types keep in fields of their own. */
static void give_fields(struct child_sink *k, PyObject *v)
{
	PyBaseExceptionObject *e = (PyBaseExceptionObject *)v;

	if (PyExceptionInstance_Check(v)) {
		give_field(k, ".args", e->args);
		give_field(k, ".__cause__", e->cause);
		give_field(k, ".__context__", e->context);
	} else if (PyCell_Check(v)) {
		give_field(k, ".cell_contents", PyCell_GET(v));
	} else if (PyFunction_Check(v)) {
		give_field(k, ".__defaults__", ((PyFunctionObject *)v)->func_defaults);
		give_field(k, ".__kwdefaults__", ((PyFunctionObject *)v)->func_kwdefaults);
		give_field(k, ".__closure__", ((PyFunctionObject *)v)->func_closure);
	} else if (PyMethod_Check(v)) {
		give_field(k, ".__self__", PyMethod_GET_SELF(v));
		give_field(k, ".__func__", PyMethod_GET_FUNCTION(v));
	}
}

static void give_attributes(struct child_sink *k, PyObject *v)
{
	PyObject *dict = (PyObject *)value_own_dict((struct py_obj *)v), *name, *value;
	Py_ssize_t at = 0;

	while (dict && PyDict_Next(dict, &at, &name, &value))
		if (PyUnicode_Check(name) && child_wanted(k))
			give_attribute(k, name, value);
	if (!PyType_Check(v) && !PyModule_Check(v))
		give_members(k, v);
	give_fields(k, v);
}

/* ---- all ------------------------------------------------------------------------------------------------ */

/* Values that are shown whole, or have nothing that a person looks for. */
static bool is_partless(PyObject *v)
{
	return PyUnicode_CheckExact(v) || PyBytes_CheckExact(v) || PyLong_CheckExact(v) || PyBool_Check(v) ||
	       PyFloat_CheckExact(v) || PyComplex_CheckExact(v) || v == Py_None || v == Py_Ellipsis ||
	       v == Py_NotImplemented || PyCFunction_Check(v) || PyCode_Check(v) || PyCapsule_CheckExact(v);
}

void children_of(struct py_obj *value, child_ask *ask, void *arg, struct child_sink *sink)
{
	PyObject *v = (PyObject *)value;
	/* owned; a pending exception stays pending */
	PyObject *type, *exc, *tb;
	int gc, answer = 0;

	if (!v || is_partless(v))
		return;
	gc = PyGC_Disable(); /* a finalizer could change what is being read */
	PyErr_Fetch(&type, &exc, &tb);
	Py_INCREF(v);
	give_items(sink, v);
	if (ask)
		answer = ask(arg, value, sink);
	if (answer < 2)
		give_attributes(sink, v);
	Py_DECREF(v);
	PyErr_Clear();
	PyErr_Restore(type, exc, tb);
	if (gc)
		PyGC_Enable();
}

static void count_only(struct child_sink *k, const struct child *c)
{
	(void)k;
	(void)c;
}

bool children_possible(struct py_obj *value, child_ask *ask, void *arg)
{
	PyObject *v = (PyObject *)value;
	struct child_sink count = { .add = count_only };

	if (!v || is_partless(v))
		return false;
	if (PyFunction_Check(v))
		return ((PyFunctionObject *)v)->func_closure || ((PyFunctionObject *)v)->func_defaults;
	if (has_dict(Py_TYPE(v)) || PyType_Check(v) || PyModule_Check(v))
		return true;
	children_of(value, ask, arg, &count);
	return count.total > 0;
}

bool children_numbered(struct py_obj *value)
{
	PyObject *v = (PyObject *)value;

	return PyList_Check(v) || (PyTuple_Check(v) && !is_struct_sequence(v)) || is_deque(v);
}

long long children_items(struct py_obj *value)
{
	PyObject *v = (PyObject *)value;

	if (PyDict_Check(v))
		return (long long)PyDict_GET_SIZE(v);
	if (PyAnySet_Check(v))
		return (long long)PySet_GET_SIZE(v);
	if (!children_numbered(value))
		return -1;
	return (long long)(is_deque(v) ? deque_length(v) : (size_t)Py_SIZE(v));
}

bool children_computed(struct py_obj *of_class, bool before_own)
{
	PyTypeObject *t = Py_TYPE((PyObject *)of_class);

	if (!strcmp(t->tp_name, "_collections._tuplegetter"))
		return !before_own; /* a field of a named tuple, which is read as an item */
	if (before_own)
		return t->tp_descr_set && t != &PyMemberDescr_Type && t != &PyGetSetDescr_Type;
	return t->tp_descr_get && !PyFunction_Check((PyObject *)of_class);
}

/* ---- properties ------------------------------------------------------------------------------------------- */

static void properties_of_class(PyTypeObject *t, PyObject *in, void (*each)(void *arg, const char *name), void *arg)
{
	PyObject *dict = (PyObject *)value_own_dict((struct py_obj *)in), *name, *value;
	struct buf text = { 0 };
	Py_ssize_t at = 0;

	while (dict && PyDict_Next(dict, &at, &name, &value)) {
		if (!PyObject_TypeCheck(value, &PyProperty_Type) || !PyUnicode_CheckExact(name))
			continue;
		buf_reset(&text);
		if (value_text((struct py_obj *)name, &text, LABEL_MAX) && *text.s != '_' &&
		    PyUnicode_IsIdentifier(name) && in_type(t, text.s) == value)
			each(arg, text.s);
	}
	buf_release(&text);
}

void children_properties(struct py_obj *value, void (*each)(void *arg, const char *name), void *arg)
{
	PyTypeObject *t = Py_TYPE((PyObject *)value);
	PyObject *mro = t->tp_mro; /* kept alive by the type, which nobody changes meanwhile: each() runs no code */
	Py_ssize_t i;

	for (i = 0; mro && i < PyTuple_GET_SIZE(mro); i++)
		properties_of_class(t, PyTuple_GET_ITEM(mro, i), each, arg);
}

/* ---- forms ------------------------------------------------------------------------------------------------ */

const char *children_formats(struct py_obj *value)
{
	PyObject *v = (PyObject *)value;

	if (PyLong_CheckExact(v))
		return "value hex oct bin type id";
	return PyBytes_CheckExact(v) || PyByteArray_CheckExact(v) ? "value hex repr type id" : "value repr str type id";
}

static bool show_number(PyObject *v, int base, struct buf *out, size_t max)
{
	PyObject *text = PyLong_CheckExact(v) && !PyBool_Check(v) ? PyNumber_ToBase(v, base) : NULL;
	bool shown = text != NULL;

	if (text)
		value_text((struct py_obj *)text, out, max);
	PyErr_Clear();
	Py_XDECREF(text);
	return shown;
}

static bool show_bytes(PyObject *v, struct buf *out, size_t max)
{
	bool bytes = PyBytes_CheckExact(v);
	const unsigned char *p;
	size_t n, i;

	if (!bytes && !PyByteArray_CheckExact(v))
		return false;
	p = (const unsigned char *)(bytes ? PyBytes_AS_STRING(v) : PyByteArray_AS_STRING(v));
	n = (size_t)Py_SIZE(v);
	for (i = 0; i < n && 3 * i + 6 < max; i++)
		buf_addf(out, "%s%02x", i ? " " : "", p[i]);
	if (i < n)
		buf_adds(out, "...");
	return true;
}

static bool show_type(PyObject *v, struct buf *out)
{
	PyTypeObject *t = Py_TYPE(v);
	PyObject *module = t->tp_flags & Py_TPFLAGS_HEAPTYPE ? in_type(t, "__module__") : NULL;

	if (module && PyUnicode_CheckExact(module)) {
		value_text((struct py_obj *)module, out, KEY_MAX);
		buf_addc(out, '.');
		value_text((struct py_obj *)((PyHeapTypeObject *)t)->ht_qualname, out, KEY_MAX);
	} else {
		buf_adds(out, t->tp_name);
	}
	return true;
}

bool children_show(struct py_obj *value, const char *format, struct buf *out, size_t max)
{
	PyObject *v = (PyObject *)value;
	size_t had = out->len;
	struct err err;
	bool cut, done;

	if (!strcmp(format, "hex") && show_bytes(v, out, max))
		return true;
	if (!strcmp(format, "hex") || !strcmp(format, "oct") || !strcmp(format, "bin"))
		return show_number(v, *format == 'h' ? 16 : *format == 'o' ? 8 : 2, out, max);
	if (!strcmp(format, "type"))
		return show_type(v, out);
	if (!strcmp(format, "id")) {
		buf_addf(out, "%p", (void *)v);
		return true;
	}
	if (!strcmp(format, "repr"))
		done = value_repr(value, out, max, &cut, &err) == 0;
	else
		done = !strcmp(format, "str") && value_str(value, out, max, &err) == 0;
	if (!done && out->s) {
		out->len = had;
		out->s[had] = '\0';
	}
	return done;
}
