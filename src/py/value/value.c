/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries of values that run no code of the program: only exact built-in types are looked into. */
#include <Python.h>
#include <limits.h>
#include <string.h>
#include "base/buf.h"
#include "base/visible.h"
#include "py/value/value.h"

#define NESTED_MAX 4 /* values in values */

struct show {
	struct buf *out;
	size_t start, max; /* bytes of out that may be used, from start */
	int nested;
	bool data; /* also the contents of values that formatters of plugins can read */
};

static struct value_format *formats;

void value_add_format(struct value_format *f)
{
	struct value_format **end = &formats;

	for (; *end; end = (struct value_format **)&(*end)->next)
		if (*end == f) /* a second session: its plugin is started again */
			return;
	f->next = NULL;
	*end = f;
}

void value_drop_format(struct value_format *f)
{
	struct value_format **p = &formats;

	while (*p && *p != f)
		p = (struct value_format **)&(*p)->next;
	if (*p)
		*p = (struct value_format *)f->next;
}

static bool (*unreadable[4])(struct py_obj *v, struct buf *out); /* NULL after the last */

void value_add_unreadable(bool (*show)(struct py_obj *v, struct buf *out))
{
	size_t i;

	for (i = 0; i < sizeof(unreadable) / sizeof(*unreadable) && unreadable[i] != show; i++)
		if (!unreadable[i]) {
			unreadable[i] = show;
			return;
		}
}

bool value_unreadable(struct py_obj *v, struct buf *out)
{
	size_t i;

	for (i = 0; i < sizeof(unreadable) / sizeof(*unreadable) && unreadable[i]; i++)
		if (unreadable[i](v, out))
			return true;
	return false;
}

const char *value_type(struct py_obj *v)
{
	const char *name = Py_TYPE((PyObject *)v)->tp_name;
	const char *dot = strrchr(name, '.');

	return visible(dot ? dot + 1 : name);
}

static void show_object(struct show *s, PyObject *v);

static size_t show_left(const struct show *s)
{
	size_t used = s->out->len - s->start;

	return used < s->max ? s->max - used : 0;
}

static void show_str(struct show *s, PyObject *text)
{
	value_text((struct py_obj *)text, s->out, s->max);
}

/* The type's own repr, for types of CPython whose repr calls no code that the program can define. */
static void show_builtin(struct show *s, PyObject *v)
{
	PyObject *text = Py_TYPE(v)->tp_repr(v);

	PyErr_Clear();
	if (text)
		value_text((struct py_obj *)text, s->out, SIZE_MAX / 4); /* bounded by its caller */
	else
		buf_addf(s->out, "<%s at %p>", value_type((struct py_obj *)v), (void *)v);
	Py_XDECREF(text);
}

static void show_int(struct show *s, PyObject *v)
{
	size_t bits = _PyLong_NumBits(v);

	if (bits < sizeof(long) * CHAR_BIT)
		buf_number(s->out, PyLong_AsLong(v), 0);
	else if (bits <= 512)
		show_builtin(s, v);
	else
		buf_addf(s->out, "<int of %zu bits>", bits);
}

/* Text and bytes: takes as many characters as can be shown; both quotes are always shown. */
static void show_quoted(struct show *s, PyObject *v)
{
	size_t left = show_left(s), n, keep = left > 8 ? left - 5 : 3;
	PyObject *part;

	if (PyUnicode_Check(v)) {
		n = (size_t)PyUnicode_GET_LENGTH(v);
		part = n <= keep ? Py_NewRef(v) : PyUnicode_Substring(v, 0, (Py_ssize_t)keep);
	} else {
		n = (size_t)PyBytes_GET_SIZE(v);
		part = n <= keep ? Py_NewRef(v) : PyBytes_FromStringAndSize(PyBytes_AS_STRING(v), (Py_ssize_t)keep);
	}
	if (part)
		show_builtin(s, part);
	else
		PyErr_Clear();
	Py_XDECREF(part);
	if (n > keep)
		buf_adds(s->out, "...");
}

/* ---- containers --------------------------------------------------------------------------------- */

/* The bytes of ", ... 12 more]". */
static size_t omitted(Py_ssize_t n)
{
	size_t digits = 1;

	for (; n > 9; n /= 10)
		digits++;
	return digits + 12;
}

/* Writes the comma before item i of n, or the number of omitted items. False: stop here. */
static bool show_more(struct show *s, Py_ssize_t i, Py_ssize_t n)
{
	if (i)
		buf_adds(s->out, ", ");
	if (!i || show_left(s) + 2 >= omitted(n - i))
		return true;
	buf_addf(s->out, "... %zd more", n - i);
	return false;
}

/* Shows item i of n, and keeps space for what comes after it.  False: it does not fit, and is omitted with those
   after it.  before: where the comma before it begins. */
static bool show_item(struct show *s, PyObject *v, size_t before, Py_ssize_t i, Py_ssize_t n)
{
	size_t after = i + 1 < n ? omitted(n - i - 1) : 1, kept = s->max < after ? s->max : after;

	s->max -= kept;
	show_object(s, v);
	s->max += kept;
	if (!i || show_left(s) >= after)
		return true;
	s->out->len = before;
	s->out->s[before] = '\0';
	buf_addf(s->out, ", ... %zd more", n - i);
	return false;
}

static void show_sequence(struct show *s, PyObject *v, char open, char close)
{
	Py_ssize_t i, n = PySequence_Fast_GET_SIZE(v);
	size_t before;

	buf_addc(s->out, open);
	for (i = 0, before = s->out->len; i < n && show_more(s, i, n); i++, before = s->out->len)
		if (!show_item(s, PySequence_Fast_GET_ITEM(v, i), before, i, n))
			break;
	if (PyTuple_Check(v) && n == 1)
		buf_addc(s->out, ',');
	buf_addc(s->out, close);
}

static void show_dict(struct show *s, PyObject *v)
{
	Py_ssize_t pos = 0, i = 0, n = PyDict_GET_SIZE(v);
	PyObject *key, *value;
	size_t before;

	buf_addc(s->out, '{');
	for (before = s->out->len; PyDict_Next(v, &pos, &key, &value) && show_more(s, i, n); before = s->out->len) {
		show_object(s, key);
		buf_adds(s->out, ": ");
		if (!show_item(s, value, before, i, n))
			break;
		i++;
	}
	buf_addc(s->out, '}');
}

static void show_set(struct show *s, PyObject *v)
{
	Py_ssize_t i = 0, n = PySet_GET_SIZE(v);
	PyObject *iter, *item;

	if (PyFrozenSet_CheckExact(v))
		buf_adds(s->out, n ? "frozenset(" : "frozenset()");
	else if (!n)
		buf_adds(s->out, "set()");
	if (!n)
		return;
	iter = PyObject_GetIter(v); /* the set's own method: no code of the program */
	buf_addc(s->out, '{');
	while (iter && (item = PyIter_Next(iter))) {
		size_t before = s->out->len;
		bool on = show_more(s, i, n) && show_item(s, item, before, i, n);

		i++;
		Py_DECREF(item);
		if (!on)
			break;
	}
	PyErr_Clear();
	Py_XDECREF(iter);
	buf_adds(s->out, PyFrozenSet_CheckExact(v) ? "})" : "}");
}

/* ---- the rest ----------------------------------------------------------------------------------- */

/* The full name of a type, from its own dict. */
static void show_type_name(struct show *s, PyTypeObject *type)
{
	PyObject *module;

	if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
		buf_adds(s->out, type->tp_name);
		return;
	}
	module = type->tp_dict ? PyDict_GetItemString(type->tp_dict, "__module__") : NULL;
	if (module && PyUnicode_Check(module) && PyUnicode_CompareWithASCIIString(module, "builtins")) {
		show_str(s, module);
		buf_addc(s->out, '.');
	}
	show_str(s, ((PyHeapTypeObject *)type)->ht_qualname);
}

static bool show_container(struct show *s, PyObject *v)
{
	bool list = PyList_CheckExact(v), tuple = PyTuple_Check(v), dict = PyDict_CheckExact(v);

	if (!list && !tuple && !dict && !PyAnySet_CheckExact(v))
		return false;
	if (tuple && !PyTuple_CheckExact(v)) /* a named tuple; what its class defines may not run here */
		show_type_name(s, Py_TYPE(v));
	if (s->nested > NESTED_MAX)
		buf_adds(s->out, list ? "[...]" : tuple ? "(...)" : "{...}");
	else if (list || tuple)
		show_sequence(s, v, list ? '[' : '(', list ? ']' : ')');
	else if (dict)
		show_dict(s, v);
	else
		show_set(s, v);
	return true;
}

static void show_exception(struct show *s, PyObject *v)
{
	PyObject *args = ((PyBaseExceptionObject *)v)->args;

	buf_adds(s->out, value_type((struct py_obj *)v));
	if (s->nested > NESTED_MAX) {
		buf_adds(s->out, "(...)");
		return;
	}
	if (args && PyTuple_CheckExact(args) && PyTuple_GET_SIZE(args) != 1) {
		show_container(s, args);
		return;
	}
	buf_addc(s->out, '(');
	if (args && PyTuple_CheckExact(args))
		show_object(s, PyTuple_GET_ITEM(args, 0));
	buf_addc(s->out, ')');
}

static void show_slice(struct show *s, PyObject *v)
{
	PySliceObject *slice = (PySliceObject *)v;

	if (s->nested > NESTED_MAX) {
		buf_adds(s->out, "slice(...)");
		return;
	}
	buf_adds(s->out, "slice(");
	show_object(s, slice->start);
	buf_adds(s->out, ", ");
	show_object(s, slice->stop);
	buf_adds(s->out, ", ");
	show_object(s, slice->step);
	buf_addc(s->out, ')');
}

static void show_word(struct show *s, const char *word, PyObject *name)
{
	buf_addf(s->out, "%s ", word);
	show_str(s, name);
}

/* Objects that are shown by their names. False: it has none. */
static bool show_named(struct show *s, PyObject *v)
{
	if (PyFunction_Check(v)) {
		show_word(s, "function", ((PyFunctionObject *)v)->func_name);
	} else if (PyCode_Check(v)) {
		show_word(s, "code", ((PyCodeObject *)v)->co_name);
	} else if (PyMethod_Check(v) && PyFunction_Check(PyMethod_GET_FUNCTION(v))) {
		show_word(s, "method", ((PyFunctionObject *)PyMethod_GET_FUNCTION(v))->func_qualname);
	} else if (PyCFunction_Check(v)) {
		buf_addf(s->out, "builtin %s", ((PyCFunctionObject *)v)->m_ml->ml_name);
	} else if (PyModule_CheckExact(v)) {
		show_word(s, "module", PyDict_GetItemString(PyModule_GetDict(v), "__name__"));
	} else if (PyGen_CheckExact(v)) {
		show_word(s, "generator", (PyObject *)py_generator_name((struct py_obj *)v));
	} else if (PyCoro_CheckExact(v)) {
		show_word(s, "coroutine", (PyObject *)py_generator_name((struct py_obj *)v));
	} else if (PyType_Check(v)) {
		buf_adds(s->out, "class ");
		show_type_name(s, (PyTypeObject *)v);
	} else if (PyCell_Check(v)) {
		buf_adds(s->out, "cell ");
		if (s->nested > NESTED_MAX)
			buf_adds(s->out, "...");
		else
			show_object(s, PyCell_GET(v));
	} else {
		return false;
	}
	return true;
}

static void show_object(struct show *s, PyObject *v)
{
	const struct value_format *f;

	if (!v) {
		buf_adds(s->out, "<NULL>");
		return;
	}
	for (f = formats; f; f = f->next)
		if ((s->data && f->show_data ? f->show_data : f->show)((struct py_obj *)v, s->out))
			return;
	s->nested++;
	if (PyLong_CheckExact(v))
		show_int(s, v);
	else if (PyUnicode_CheckExact(v) || PyBytes_CheckExact(v))
		show_quoted(s, v);
	else if (v == Py_None || v == Py_Ellipsis || v == Py_NotImplemented || PyBool_Check(v) ||
		 PyFloat_CheckExact(v) || PyComplex_CheckExact(v))
		show_builtin(s, v);
	else if (PySlice_Check(v))
		show_slice(s, v);
	else if (PyExceptionInstance_Check(v))
		show_exception(s, v);
	else if (!show_container(s, v) && !show_named(s, v)) {
		buf_addc(s->out, '<');
		show_type_name(s, Py_TYPE(v));
		buf_addf(s->out, " at %p>", (void *)v);
	}
	s->nested--;
}

/* Never cuts a character. */
static void cut_summary(struct buf *out, size_t len)
{
	out->len = text_whole(out->s, len);
	out->s[out->len] = '\0';
}

/* The program chooses the names in a summary, also those of types. */
static void one_line(struct buf *out, size_t start)
{
	const char *text = visible(buf_str(out) + start);
	struct buf safe = { 0 };

	if (text == buf_str(out) + start)
		return;
	buf_adds(&safe, text);
	out->len = start;
	buf_add(out, safe.s, safe.len);
	buf_release(&safe);
}

static void summarize(struct py_obj *v, struct buf *out, size_t max, bool data)
{
	struct show s = { .out = out, .start = out->len, .max = max, .data = data };
	PyObject *type, *value, *tb; /* a pending exception of the program stays pending */
	int gc = PyGC_Disable();     /* no iterator is made, which could start finalizers: items are borrowed */

	PyErr_Fetch(&type, &value, &tb);
	show_object(&s, (PyObject *)v);
	PyErr_Restore(type, value, tb);
	if (gc)
		PyGC_Enable();
	one_line(out, s.start);
	if (out->len - s.start > max) {
		cut_summary(out, s.start + (max > 3 ? max - 3 : 0));
		buf_add(out, "...", max > 3 ? 3 : max);
	}
}

void value_show(struct py_obj *v, struct buf *out, size_t max)
{
	summarize(v, out, max, false);
}

void value_show_data(struct py_obj *v, struct buf *out, size_t max)
{
	summarize(v, out, max, true);
}

struct py_obj *value_own_dict(struct py_obj *value)
{
	PyObject *v = (PyObject *)value, *dict = NULL;
	PyTypeObject *t = Py_TYPE(v);

	if (PyType_Check(v))
		return py_type_dict(value);
	if (PyModule_Check(v))
		return (struct py_obj *)PyModule_GetDict(v);
	if (PyFunction_Check(v))
		return (struct py_obj *)((PyFunctionObject *)v)->func_dict;
	if (t->tp_dictoffset || t->tp_flags & Py_TPFLAGS_MANAGED_DICT)
		dict = PyObject_GenericGetDict(v, NULL);
	if (!dict)
		PyErr_Clear();
	Py_XDECREF(dict); /* v keeps it */
	return dict && PyDict_Check(dict) ? (struct py_obj *)dict : NULL;
}

struct py_obj *value_of_class(struct py_obj *type, const char *name)
{
	PyObject *mro = ((PyTypeObject *)type)->tp_mro, *dict, *found;
	Py_ssize_t i;

	for (i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
		dict = (PyObject *)py_type_dict((struct py_obj *)PyTuple_GET_ITEM(mro, i));
		found = dict ? PyDict_GetItemString(dict, name) : NULL;
		if (found)
			return (struct py_obj *)found;
	}
	return NULL;
}
