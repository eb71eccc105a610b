/* SPDX-License-Identifier: BSD-3-Clause */
/* Digests of values: see digest.h.  Items, attributes and slots are read from memory, the contents of arrays by way of
   their buffers, and no method of the program is called. */
#include <Python.h>
#include <string.h>
#include <structmember.h>
#include "py/py.h"
#include "py/value/digest.h"
#include "py/value/value.h"

enum { DEEP_MOST = 200, FEW = 16 };
#define TAG_INT 0x5851f42d4c957f2du /* integers are the most frequent items: their type takes no step of its own */

/* Objects that were met, by address: each is read once. */
struct met {
	const void *few[FEW], **slot; /* slot: NULL, or an open table of cap places */
	size_t n, cap;
};

struct walk {
	struct digest *d;
	int (*ask)(void *arg, struct py_obj *v, struct buf *out);
	void *arg;
	uint64_t h;
	long parts;
	size_t bytes;
	int deep;
	bool identity;
	struct met met;
};

static void walk_value(struct walk *w, PyObject *v);

/* ---- numbers ------------------------------------------------------------------------------------- */

static void mix_number(struct walk *w, uint64_t n)
{
	w->h = (w->h ^ n) * 0x9e3779b97f4a7c15u;
	w->h ^= w->h >> 29;
}

static void mix_bytes(struct walk *w, const void *p, size_t n)
{
	const char *s = p;
	uint64_t part;

	mix_number(w, n);
	if (n > DIGEST_BYTES - w->bytes) {
		n = DIGEST_BYTES - w->bytes;
		w->d->cut = true;
	}
	w->bytes += n;
	for (; n >= sizeof(part); s += sizeof(part), n -= sizeof(part)) {
		memcpy(&part, s, sizeof(part));
		mix_number(w, part);
	}
	part = 0;
	memcpy(&part, s, n);
	mix_number(w, part);
}

static void mix_address(struct walk *w, const void *p)
{
	mix_number(w, (uintptr_t)p);
}

static void mix_double(struct walk *w, double d)
{
	uint64_t n;

	memcpy(&n, &d, sizeof(n));
	mix_number(w, n);
}

static void mix_int(struct walk *w, PyObject *v)
{
	int over;
	long long n = PyLong_AsLongLongAndOverflow(v, &over);
	PyObject *text;

	mix_number(w, (uint64_t)n ^ TAG_INT);
	if (!over)
		return;
	text = PyNumber_ToBase(v, 16);
	if (text && PyUnicode_Check(text))
		mix_bytes(w, PyUnicode_DATA(text), (size_t)PyUnicode_GET_LENGTH(text));
	PyErr_Clear();
	Py_XDECREF(text);
}

/* Text and bytes never change: their hash, which they keep, stands for them. */
static void mix_hash(struct walk *w, PyObject *v, Py_ssize_t n)
{
	mix_number(w, (uint64_t)n);
	mix_number(w, (uint64_t)PyObject_Hash(v));
}

/* Values that hold nothing that could change; false: v is another one. */
static bool mix_plain(struct walk *w, PyObject *v)
{
	if (PyLong_CheckExact(v)) {
		mix_int(w, v);
	} else if (PyFloat_CheckExact(v)) {
		mix_number(w, 2);
		mix_double(w, PyFloat_AS_DOUBLE(v));
	} else if (PyUnicode_CheckExact(v)) {
		mix_number(w, 3);
		mix_hash(w, v, PyUnicode_GET_LENGTH(v));
	} else if (PyBytes_CheckExact(v)) {
		mix_number(w, 4);
		mix_hash(w, v, PyBytes_GET_SIZE(v));
	} else if (PyComplex_CheckExact(v)) {
		mix_number(w, 5);
		mix_double(w, PyComplex_RealAsDouble(v));
		mix_double(w, PyComplex_ImagAsDouble(v));
	} else if (v == Py_None || PyBool_Check(v) || v == Py_Ellipsis || v == Py_NotImplemented || PyType_Check(v) ||
		   PyFunction_Check(v) || PyCFunction_Check(v) || PyMethod_Check(v) || PyModule_Check(v) ||
		   PyCode_Check(v) || PyRange_Check(v) || PySlice_Check(v) || PyWeakref_Check(v)) {
		mix_number(w, 6);
		mix_address(w, v);
	} else {
		return false;
	}
	return true;
}

/* ---- what was met --------------------------------------------------------------------------------- */

static size_t met_place(const struct met *m, const void *p)
{
	size_t i = ((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u % m->cap;

	while (m->slot[i] && m->slot[i] != p)
		i = (i + 1) % m->cap;
	return i;
}

static void met_grow(struct met *m)
{
	struct met bigger = { .cap = m->cap ? m->cap * 4 : FEW * 8 };
	size_t i, n = m->slot ? m->cap : m->n;

	bigger.slot = mem_alloc(bigger.cap * sizeof(*bigger.slot));
	for (i = 0; i < n; i++)
		if (m->slot ? m->slot[i] : m->few[i])
			bigger.slot[met_place(&bigger, m->slot ? m->slot[i] : m->few[i])] = m->slot ? m->slot[i] :
												      m->few[i];
	free(m->slot);
	m->slot = bigger.slot;
	m->cap = bigger.cap;
}

/* Was it met before?  From now on it was. */
static bool met_before(struct met *m, const void *p)
{
	size_t i;

	for (i = 0; !m->slot && i < m->n; i++)
		if (m->few[i] == p)
			return true;
	if (!m->slot && m->n < FEW) {
		m->few[m->n++] = p;
		return false;
	}
	if (!m->slot || m->n * 2 > m->cap)
		met_grow(m);
	i = met_place(m, p);
	if (m->slot[i])
		return true;
	m->slot[i] = p;
	m->n++;
	return false;
}

/* ---- what holds others ------------------------------------------------------------------------------ */

static void walk_dict(struct walk *w, PyObject *dict)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;

	mix_number(w, (uint64_t)PyDict_GET_SIZE(dict));
	while (PyDict_Next(dict, &at, &key, &value) && !w->d->cut) {
		walk_value(w, key);
		walk_value(w, value);
	}
}

/* The order of a set is not part of its value. */
static void walk_set(struct walk *w, PyObject *set)
{
	uint64_t before = w->h, sum = 0;
	PyObject *it = PySet_Type.tp_iter(set), *key; /* CPython's iterator, also for a subclass */

	while (it && !w->d->cut && (key = PyIter_Next(it))) {
		w->h = before;
		walk_value(w, key);
		Py_DECREF(key);
		sum += w->h;
	}
	PyErr_Clear();
	Py_XDECREF(it);
	w->h = before;
	mix_number(w, (uint64_t)PySet_GET_SIZE(set));
	mix_number(w, sum);
}

static void walk_sequence(struct walk *w, PyObject *v)
{
	Py_ssize_t i;

	mix_number(w, (uint64_t)Py_SIZE(v));
	for (i = 0; i < Py_SIZE(v) && !w->d->cut; i++)
		walk_value(w, PyTuple_Check(v) ? PyTuple_GET_ITEM(v, i) : PyList_GET_ITEM(v, i));
}

/* deque: only exact ones, whose iterator is CPython's. */
static void walk_iterated(struct walk *w, PyObject *v)
{
	PyObject *it = PyObject_GetIter(v), *item;

	while (it && !w->d->cut && (item = PyIter_Next(it))) {
		walk_value(w, item);
		Py_DECREF(item);
	}
	PyErr_Clear();
	Py_XDECREF(it);
}

static bool is_exact(PyObject *v, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(Py_TYPE(v)->tp_name, *names))
			return true;
	return false;
}

/* The elements of an array, in its own order.  False: it gives none. */
static bool walk_buffer(struct walk *w, PyObject *v)
{
	static const char *const names[] = { "array.array", "memoryview", "numpy.ndarray", NULL };
	Py_buffer b;
	char *copy = NULL;

	if (!is_exact(v, names) || PyObject_GetBuffer(v, &b, PyBUF_FULL_RO) < 0) {
		PyErr_Clear();
		return false;
	}
	if (b.format)
		mix_bytes(w, b.format, strlen(b.format));
	if (b.shape)
		mix_bytes(w, b.shape, (size_t)b.ndim * sizeof(*b.shape));
	if (PyBuffer_IsContiguous(&b, 'A')) {
		mix_bytes(w, b.buf, (size_t)b.len);
	} else if (b.len <= DIGEST_BYTES) {
		copy = PyMem_Malloc((size_t)b.len + 1);
		if (copy && PyBuffer_ToContiguous(copy, &b, b.len, 'C') == 0)
			mix_bytes(w, copy, (size_t)b.len);
		PyMem_Free(copy);
	} else {
		w->d->cut = true;
	}
	PyBuffer_Release(&b);
	PyErr_Clear();
	return true;
}

/* How objects of classes that are made by a class statement end. */
static destructor class_dealloc(void)
{
	static destructor found;
	PyObject *made = found ? NULL : PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", "cdbg.C");

	if (made && PyType_Check(made))
		found = ((PyTypeObject *)made)->tp_dealloc;
	PyErr_Clear();
	Py_XDECREF(made);
	return found;
}

static void walk_slots(struct walk *w, PyObject *v)
{
	PyObject *mro = Py_TYPE(v)->tp_mro, *value;
	PyTypeObject *t;
	PyMemberDef *m;
	Py_ssize_t i;

	for (i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
		t = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
		for (m = t->tp_dealloc == class_dealloc() ? t->tp_members : NULL; m && m->name; m++) {
			if (m->type != T_OBJECT_EX)
				continue;
			memcpy(&value, (char *)v + m->offset, sizeof(value));
			walk_value(w, value);
		}
	}
}

/* Attributes of an object of the program's classes. */
static void walk_attributes(struct walk *w, PyObject *v)
{
	PyObject *dict;

	if (!(Py_TYPE(v)->tp_flags & Py_TPFLAGS_HEAPTYPE))
		return;
	dict = (PyObject *)value_own_dict((struct py_obj *)v);
	if (dict)
		walk_dict(w, dict);
	walk_slots(w, v);
}

static void not_seen(struct walk *w, PyObject *v)
{
	if (!*w->d->unseen)
		snprintf(w->d->unseen, sizeof(w->d->unseen), "%s", Py_TYPE(v)->tp_name);
}

/* What a type of C holds.  False: it is not known here. */
static bool walk_builtin(struct walk *w, PyObject *v)
{
	static const char *const deques[] = { "collections.deque", NULL };

	if (PyList_Check(v) || PyTuple_Check(v))
		walk_sequence(w, v);
	else if (PyDict_Check(v))
		walk_dict(w, v);
	else if (PyAnySet_Check(v))
		walk_set(w, v);
	else if (PyByteArray_Check(v))
		mix_bytes(w, PyByteArray_AS_STRING(v), (size_t)PyByteArray_GET_SIZE(v));
	else if (PyLong_Check(v))
		mix_int(w, v);
	else if (PyFloat_Check(v))
		mix_double(w, PyFloat_AS_DOUBLE(v));
	else if (PyExceptionInstance_Check(v))
		walk_value(w, ((PyBaseExceptionObject *)v)->args);
	else if (is_exact(v, deques))
		walk_iterated(w, v);
	else
		return PyUnicode_Check(v) || PyBytes_Check(v) || walk_buffer(w, v);
	return true;
}

static bool digest_asked(struct walk *w, PyObject *v)
{
	struct buf b = { 0 };
	int answer = w->ask ? w->ask(w->arg, (struct py_obj *)v, &b) : 0;

	if (answer)
		mix_bytes(w, buf_str(&b), b.len);
	if (answer == 2)
		not_seen(w, v);
	buf_release(&b);
	return answer > 0;
}

static void walk_object(struct walk *w, PyObject *v)
{
	PyTypeObject *base = Py_TYPE(v);
	bool container = PyList_CheckExact(v) || PyTuple_CheckExact(v) || PyDict_CheckExact(v) ||
			 PyAnySet_CheckExact(v);

	mix_number(w, 7);
	mix_address(w, Py_TYPE(v));
	if (w->identity && !container)
		mix_address(w, v);
	if (met_before(&w->met, v))
		return;
	if (++w->deep > DEEP_MOST) {
		w->d->cut = true;
	} else {
		while (base && base->tp_dealloc == class_dealloc())
			base = base->tp_base;
		if (!walk_builtin(w, v) && base != &PyBaseObject_Type && !digest_asked(w, v))
			not_seen(w, v);
		walk_attributes(w, v);
	}
	w->deep--;
}

static void walk_value(struct walk *w, PyObject *v)
{
	if (++w->parts > DIGEST_PARTS)
		w->d->cut = true;
	else if (!v)
		mix_number(w, 0);
	else if (!mix_plain(w, v))
		walk_object(w, v);
}

void digest_of(struct py_obj *v, bool identity, int (*ask)(void *arg, struct py_obj *v, struct buf *out), void *arg,
	       struct digest *out)
{
	struct walk w = { .d = out, .ask = ask, .arg = arg, .identity = identity };
	/* owned; a pending exception stays pending */
	PyObject *type, *value, *tb;

	PyErr_Fetch(&type, &value, &tb);
	memset(out, 0, sizeof(*out));
	walk_value(&w, (PyObject *)v);
	out->number = w.h;
	free(w.met.slot);
	PyErr_Restore(type, value, tb);
}
