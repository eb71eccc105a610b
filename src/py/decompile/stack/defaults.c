/* SPDX-License-Identifier: BSD-3-Clause */
/* Defaults of a function object, as the line of its definition would have them: literals, and names by which its
   module knows other objects.  Runs none of the program's code, and knows no instructions. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/run.h"
#include "py/py.h"

enum { NESTED = 3, ITEMS = 16 }; /* containers in containers, items of each: larger ones are objects by name */

static struct expr *default_attr(struct dec *d, struct expr *of, PyObject *name)
{
	struct expr *e = dec_expr(d, E_ATTR, NULL, 1, of);

	e->obj = dec_hold(d, Py_NewRef(name));
	return e;
}

/* The key of this very object in a module's dictionary, borrowed; NULL: it has none that a person would write. */
static PyObject *default_key(PyObject *dict, PyObject *v, const char *hidden)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;

	while (PyDict_Next(dict, &at, &key, &value)) {
		const char *s = value == v && PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;

		if (s && strncmp(s, hidden, strlen(hidden)) != 0 && dec_is_identifier(key))
			return key;
		PyErr_Clear();
	}
	return NULL;
}

/* A name of the module, or of a module that it knows: NULL, torch.float32. */
static struct expr *default_named(struct dec *d, PyObject *globals, PyObject *v)
{
	PyObject *key = default_key(globals, v, "__"), *name, *module;
	Py_ssize_t at = 0;

	if (key)
		return dec_name(d, dec_hold(d, Py_NewRef(key)));
	while (PyDict_Next(globals, &at, &name, &module)) {
		if (!PyModule_Check(module) || !PyUnicode_Check(name) || !dec_is_identifier(name) ||
		    !PyUnicode_CompareWithASCIIString(name, "__builtins__"))
			continue;
		key = default_key(PyModule_GetDict(module), v, "_");
		if (key)
			return default_attr(d, dec_name(d, dec_hold(d, Py_NewRef(name))), key);
	}
	return NULL;
}

/* A member of an enumeration that has a name. */
static struct expr *enumerated(struct dec *d, PyObject *globals, PyObject *v)
{
	PyObject *type = (PyObject *)Py_TYPE(v), *dict = (PyObject *)py_type_dict((struct py_obj *)type),
		 *map = dict ? PyDict_GetItemString(dict, "_member_map_") : NULL, *key, *of;
	Py_ssize_t at = 0;
	struct expr *e;

	if (!map || !PyDict_CheckExact(map))
		return NULL;
	while (PyDict_Next(map, &at, &key, &of))
		if (of == v && PyUnicode_CheckExact(key) && dec_is_identifier(key)) {
			e = default_named(d, globals, type);
			return e ? default_attr(d, e, key) : NULL;
		}
	return NULL;
}

static struct expr *default_at(struct dec *d, PyObject *globals, PyObject *v, int depth);

/* The items of a list, tuple or dictionary, as they are now; NULL: another type, or too large. */
static struct expr *container(struct dec *d, PyObject *globals, PyObject *v, int depth)
{
	struct expr *kid[2 * ITEMS];
	PyObject *key, *value;
	Py_ssize_t i, n, at = 0;

	if (depth > NESTED || !(PyTuple_CheckExact(v) || PyList_CheckExact(v) || PyDict_CheckExact(v)))
		return NULL;
	n = PyDict_CheckExact(v) ? PyDict_GET_SIZE(v) : Py_SIZE(v);
	if (n > ITEMS)
		return NULL;
	if (PyDict_CheckExact(v)) {
		for (i = 0; PyDict_Next(v, &at, &key, &value); i++) {
			kid[2 * i] = default_at(d, globals, key, depth + 1);
			kid[2 * i + 1] = default_at(d, globals, value, depth + 1);
		}
		return dec_expr_n(d, E_DICT, NULL, kid, 2 * (int)n);
	}
	for (i = 0; i < n; i++)
		kid[i] = default_at(d, globals, PySequence_Fast_GET_ITEM(v, i), depth + 1);
	return dec_expr_n(d, PyTuple_CheckExact(v) ? E_TUPLE : E_LIST, NULL, kid, (int)n);
}

/* {1, 2}, set() or frozenset({1, 2}); NULL: another type, or too large. */
static struct expr *set_of(struct dec *d, PyObject *globals, PyObject *v, int depth)
{
	struct expr *kid[ITEMS], *e;
	PyObject *list;
	Py_ssize_t i, n;

	if (depth > NESTED || !PyAnySet_CheckExact(v) || (n = PySet_GET_SIZE(v)) > ITEMS)
		return NULL;
	list = dec_hold(d, PySequence_List(v));
	for (i = 0; list && i < n; i++)
		kid[i] = default_at(d, globals, PyList_GET_ITEM(list, i), depth + 1);
	if (!list)
		return NULL;
	e = dec_expr_n(d, E_SET, NULL, kid, (int)n);
	if (PySet_CheckExact(v) && n)
		return e;
	return dec_expr(d, E_CALL, NULL, n ? 2 : 1, dec_bound(d, (PyObject *)Py_TYPE(v)), e);
}

static struct expr *default_at(struct dec *d, PyObject *globals, PyObject *v, int depth)
{
	struct expr *e = NULL;

	if (!dec_is_literal(v))
		e = default_named(d, globals, v);
	if (!e && !dec_is_literal(v))
		e = enumerated(d, globals, v);
	if (!e && !dec_is_literal(v))
		e = container(d, globals, v, depth);
	if (!e)
		e = set_of(d, globals, v, depth);
	return e ? e : dec_const(d, v);
}

struct expr *default_expr(struct dec *d, PyObject *globals, PyObject *v)
{
	return default_at(d, globals, v, 0);
}

static struct item *default_item(struct dec *d, enum ekind kind, struct expr **kid, int n)
{
	struct item *i = dec_alloc(d, sizeof(*i));

	i->kind = I_VALUE;
	i->e = dec_expr_n(d, kind, NULL, kid, n);
	return i;
}

void default_items(struct dec *d, struct function *f, PyObject *function)
{
	PyObject *globals = PyFunction_GET_GLOBALS(function), *v = PyFunction_GET_DEFAULTS(function), *key, *value;
	struct expr **kid;
	Py_ssize_t i, n, at = 0;

	if (v && PyTuple_CheckExact(v)) {
		n = PyTuple_GET_SIZE(v);
		kid = dec_alloc(d, (size_t)(n + 1) * sizeof(struct expr *));
		for (i = 0; i < n; i++)
			kid[i] = default_at(d, globals, PyTuple_GET_ITEM(v, i), 0);
		f->defaults = default_item(d, E_TUPLE, kid, (int)n);
	}
	v = PyFunction_GET_KW_DEFAULTS(function);
	if (!v || !PyDict_CheckExact(v))
		return;
	n = PyDict_GET_SIZE(v);
	kid = dec_alloc(d, (size_t)(2 * n + 1) * sizeof(struct expr *));
	for (i = 0; PyDict_Next(v, &at, &key, &value); i++) {
		kid[2 * i] = dec_const(d, key);
		kid[2 * i + 1] = default_at(d, globals, value, 0);
	}
	f->kwdefaults = default_item(d, E_DICT, kid, 2 * (int)n);
}
