/* SPDX-License-Identifier: BSD-3-Clause */
/* What Dynamo read while it compiled: values by their source, code that it inlined, results that it took once.  Each is
   kept as a key by which a later value can be compared, and keeps nothing of the program alive but code objects and
   constants.  Does not depend on guards. */
#include "model/reads.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/weak.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 256, MOST_TEXT = 200 }; /* items of a container that are compared; bytes of a str that is held */

static unsigned long long mix(unsigned long long h, unsigned long long v)
{
	h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
	return h * 0xff51afd7ed558ccdULL;
}

/* A value that its type and its hash tell: no code of the program runs for it. */
static bool is_atom(PyObject *v)
{
	return v == Py_None || PyBool_Check(v) || PyLong_CheckExact(v) || PyFloat_CheckExact(v) ||
	       PyUnicode_CheckExact(v) || PyBytes_CheckExact(v) || PyComplex_CheckExact(v);
}

static unsigned long long hash_of(PyObject *v)
{
	Py_hash_t h = is_atom(v) ? PyObject_Hash(v) : 0;

	PyErr_Clear();
	return is_atom(v) ? mix((uintptr_t)(void *)Py_TYPE(v), (unsigned long long)h) : (uintptr_t)(void *)v;
}

static unsigned long long items_of(PyObject *v)
{
	unsigned long long h = 0;
	PyObject *key, *value;
	Py_ssize_t at = 0, i, n;

	if (PyDict_Check(v)) {
		for (i = 0; i < MOST_ITEMS && PyDict_Next(v, &at, &key, &value); i++)
			h = mix(mix(h, hash_of(key)), hash_of(value));
		return h;
	}
	n = PyList_Check(v) ? PyList_GET_SIZE(v) : PyTuple_Check(v) ? PyTuple_GET_SIZE(v) : 0;
	for (i = 0; i < n && i < MOST_ITEMS; i++)
		h = mix(h, hash_of(PyList_Check(v) ? PyList_GET_ITEM(v, i) : PyTuple_GET_ITEM(v, i)));
	return h;
}

static Py_ssize_t length_of(PyObject *v)
{
	return PyDict_Check(v)	 ? PyDict_GET_SIZE(v) :
	       PyList_Check(v)	 ? PyList_GET_SIZE(v) :
	       PyTuple_Check(v)	 ? PyTuple_GET_SIZE(v) :
	       PyAnySet_Check(v) ? PySet_GET_SIZE(v) :
				   -1;
}

static bool is_tensor(PyObject *v)
{
	static PyObject *tensor;

	if (!tensor)
		tensor = attrs_get(ATTR_TENSOR);
	return tensor && PyType_Check(tensor) && PyType_IsSubtype(Py_TYPE(v), (PyTypeObject *)tensor);
}

static unsigned long long defaults_of(PyObject *function)
{
	PyObject *positional = ((PyFunctionObject *)function)->func_defaults;
	PyObject *named = ((PyFunctionObject *)function)->func_kwdefaults;

	return mix(positional ? items_of(positional) : 0, named ? items_of(named) : 0);
}

/* A bound method is made anew at each access: its function and its object count. */
static void method_key(PyObject *v, struct read_key *k)
{
	PyObject *function = PyMethod_GET_FUNCTION(v);

	k->kind = KEY_CODE;
	k->id = (uintptr_t)(void *)function;
	k->part = mix((uintptr_t)(void *)PyMethod_GET_SELF(v), 0);
	if (PyFunction_Check(function))
		k->held = Py_NewRef(PyFunction_GET_CODE(function));
}

static void builtin_key(PyObject *v, struct read_key *k)
{
	k->kind = KEY_OBJECT;
	k->id = (uintptr_t)(void *)((PyCFunctionObject *)v)->m_ml;
	k->part = (uintptr_t)(void *)((PyCFunctionObject *)v)->m_self;
	k->name = py_text_keep(((PyCFunctionObject *)v)->m_ml->ml_name);
}

static void fill_key(PyObject *v, struct read_key *k)
{
	memset(k, 0, sizeof(*k));
	k->length = -1;
	k->type = (uintptr_t)(void *)Py_TYPE(v);
	if (is_atom(v)) {
		k->kind = KEY_ATOM;
		k->items = hash_of(v);
		if (!PyUnicode_CheckExact(v) || PyUnicode_GET_LENGTH(v) < MOST_TEXT)
			k->held = Py_NewRef(v);
	} else if (PyFunction_Check(v)) {
		k->kind = KEY_CODE;
		k->id = (uintptr_t)(void *)v;
		k->held = Py_NewRef(PyFunction_GET_CODE(v));
		k->part = (uintptr_t)defaults_of(v);
	} else if (PyMethod_Check(v)) {
		method_key(v, k);
	} else if (PyCFunction_CheckExact(v)) {
		builtin_key(v, k);
	} else if (is_tensor(v)) {
		k->kind = KEY_TENSOR;
		k->id = (uintptr_t)(void *)v;
	} else if (length_of(v) >= 0) {
		k->kind = KEY_ITEMS;
		k->length = length_of(v);
		k->items = items_of(v);
	} else {
		k->kind = PyModule_Check(v) ? KEY_MODULE : PyType_Check(v) ? KEY_CLASS : KEY_OBJECT;
		k->id = (uintptr_t)(void *)v;
	}
}

void reads_key_of(PyObject *v, struct read_key *k)
{
	fill_key(v, k);
	if (!k->name)
		k->name = py_text_keep(_PyType_Name(k->kind == KEY_CLASS ? (PyTypeObject *)v : Py_TYPE(v)));
	if (k->kind == KEY_CODE || k->kind == KEY_CLASS || k->kind == KEY_OBJECT)
		k->weak = PyMethod_Check(v) || PyCFunction_Check(v) ? NULL : PyWeakref_NewRef(v, NULL);
	PyErr_Clear();
}

void reads_key_release(struct read_key *k)
{
	Py_CLEAR(k->held);
	Py_CLEAR(k->weak);
}

bool reads_key_same(const struct read_key *was, PyObject *now)
{
	struct read_key k;
	bool same;

	fill_key(now, &k);
	same = k.kind == was->kind && k.type == was->type && k.id == was->id && k.part == was->part &&
	       k.length == was->length && k.items == was->items && (was->kind != KEY_CODE || k.held == was->held);
	/* the address of an object that died may be another's by now */
	same = same && (!was->weak || weak_is(was->weak, now));
	reads_key_release(&k);
	return same;
}

bool reads_key_same_code(const struct read_key *was, PyObject *now)
{
	return PyFunction_Check(now) && (uintptr_t)(void *)now == was->id && PyFunction_GET_CODE(now) == was->held &&
	       (!was->weak || weak_is(was->weak, now));
}

void reads_key_text(const struct read_key *k, struct buf *out)
{
	PyCodeObject *co = k->kind == KEY_CODE ? (PyCodeObject *)k->held : NULL;

	if (k->kind == KEY_ATOM && k->held)
		host->values.show((struct py_obj *)k->held, out, 60);
	else if (k->kind == KEY_ATOM)
		buf_adds(out, "a long text");
	else if (co)
		buf_addf(out, "the function at %s:%d", py_text_file_name(py_text_utf8_kept(co->co_filename)),
			 co->co_firstlineno);
	else if (k->length >= 0)
		buf_addf(out, "%s of %zd", k->name, k->length);
	else if (k->kind == KEY_CLASS)
		buf_addf(out, "class %s", k->name);
	else
		buf_addf(out, "%s at %#llx", k->name, (unsigned long long)k->id);
}

struct reads *reads_new(void)
{
	struct reads *r = mem_alloc(sizeof(*r));

	r->known = PyDict_New();
	memset(r->state, -1, sizeof(r->state));
	PyErr_Clear();
	return r;
}

struct read *reads_add(struct reads *r, enum read_kind kind)
{
	r->read = mem_grow(r->read, &r->cap, (size_t)r->n + 1, sizeof(*r->read));
	memset(&r->read[r->n], 0, sizeof(*r->read));
	r->read[r->n].kind = kind;
	r->read[r->n].key.length = -1;
	return &r->read[r->n++];
}

void reads_done(struct reads *r)
{
	if (r)
		Py_CLEAR(r->known);
}

void reads_free(struct reads *r)
{
	int i;

	for (i = 0; r && i < r->n; i++) {
		Py_XDECREF(r->read[i].name);
		Py_XDECREF(r->read[i].owner);
		Py_XDECREF(r->read[i].holder);
		reads_key_release(&r->read[i].key);
	}
	for (i = 0; r && i < r->nclasses; i++) {
		Py_XDECREF(r->class[i].weak);
		Py_XDECREF(r->class[i].names);
	}
	for (i = 0; r && i < SETTINGS; i++)
		Py_XDECREF(r->settings[i]);
	if (r) {
		Py_XDECREF(r->known);
		Py_XDECREF(r->asked);
		free(r->class);
		free(r->read);
	}
	free(r);
}
