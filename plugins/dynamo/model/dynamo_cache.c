/* SPDX-License-Identifier: BSD-3-Clause */
/* The place of an entry in Dynamo's own cache, and its attributes there: read each time, never kept. */
#include "model/dynamo_cache.h"
#include "model/compiling.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "model/entry.h"
#include "model/func.h"
#include <string.h>

/* Dynamo's cache entries for a function, in the order in which they are tried: a new list, or NULL: not known.
   Release the items at once: Dynamo does not keep alive what they point to. */
static PyObject *cache_items(struct func *f)
{
	PyObject *list_of = f->co ? attrs_get(ATTR_ENTRY_LIST) : NULL, *list;

	list = list_of ? PyObject_CallOneArg(list_of, (PyObject *)f->co) : NULL;
	Py_XDECREF(list_of);
	PyErr_Clear();
	if (list && !PyList_Check(list))
		Py_CLEAR(list);
	return list;
}

/* An invalidated entry has no code any more: it is found by its id, the newest with that id. */
static bool is_item(struct entry *e, PyObject *item)
{
	PyObject *code = attr(item, "code"), *id = NULL, *text = NULL;
	struct entry *later;
	bool yes;

	yes = code && code == (PyObject *)e->co;
	if (code == Py_None) {
		id = attr(item, "compile_id");
		text = id ? PyObject_Str(id) : NULL;
		yes = text && PyUnicode_Check(text) && !PyUnicode_CompareWithASCIIString(text, e->raw);
		for (later = e->next; yes && later; later = later->next)
			yes = later->func != e->func || strcmp(later->raw, e->raw);
	}
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(id);
	Py_XDECREF(code);
	return yes;
}

/* Its place in Dynamo's cache, from 1, and an attribute of the item there (a new reference; may be NULL): 0: not there,
   -1: cannot be known. */
int entry_in_cache(struct entry *e, const char *name, PyObject **value)
{
	PyObject *list = cache_items(e->func);
	Py_ssize_t i;
	int found = 0;

	if (value)
		*value = NULL;
	if (!list)
		return e->func->co ? -1 : 0;
	for (i = 0; !found && i < PyList_GET_SIZE(list); i++)
		if (is_item(e, PyList_GET_ITEM(list, i))) {
			found = (int)i + 1;
			if (value)
				*value = attr(PyList_GET_ITEM(list, i), name);
		}
	Py_DECREF(list);
	return found;
}

PyObject *model_invalidated(struct entry *e)
{
	PyObject *manager;

	entry_in_cache(e, "guard_manager", &manager);
	return manager;
}

PyObject *model_backend(struct entry *e)
{
	PyObject *backend;

	entry_in_cache(e, "backend", &backend);
	return backend ? backend : Py_XNewRef(e->edit.backend);
}

/* The backend as Dynamo called it for an entry that is not in its cache yet: a wrapper with its name. */
static PyObject *fresh_backend(const struct entry *e)
{
	const struct compiling *c = e->made.fresh ? compiling_top() : NULL;

	return c && c->entry == e ? Py_XNewRef(c->parts.compiler) : NULL;
}

/* torch.compile's own wrapper around the backend has its name; any other callable is shown by its own. */
char *model_backend_name(struct entry *e)
{
	static const char *const names[] = { "compiler_name", "__qualname__", "__name__" };
	PyObject *backend = e->end ? NULL : model_backend(e), *name = NULL;
	const char *s;
	char *text = NULL;
	size_t i;

	backend = backend ? backend : fresh_backend(e);
	for (i = 0; backend && backend != Py_None && !text && i < sizeof(names) / sizeof(*names); i++) {
		name = attr(backend, names[i]);
		s = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
		text = mem_str(s);
		Py_XDECREF(name);
	}
	if (backend && backend != Py_None && !text)
		text = mem_str(_PyType_Name(Py_TYPE(backend)));
	PyErr_Clear();
	Py_XDECREF(backend);
	return text;
}

int model_order(struct entry *e)
{
	int at = e->co ? entry_in_cache(e, NULL, NULL) : 0;

	return at > 0 ? at : 0;
}

int model_tried(struct func *f, struct entry ***out)
{
	PyObject *list = cache_items(f);
	struct entry *e;
	Py_ssize_t i;
	int n = 0;

	*out = list ? mem_alloc((size_t)PyList_GET_SIZE(list) * sizeof(**out) + 1) : NULL;
	for (i = 0; list && i < PyList_GET_SIZE(list); i++) {
		e = model_entry_item(f, PyList_GET_ITEM(list, i));
		if (e && e->co)
			(*out)[n++] = e;
	}
	Py_XDECREF(list);
	return n;
}

enum { NO_REGION = -1 }; /* Dynamo's number for what every function tries */

static long region_number(PyObject *v)
{
	long n = v && PyLong_Check(v) ? PyLong_AsLong(v) : NO_REGION;

	PyErr_Clear();
	return n;
}

static long region_of(struct entry *e)
{
	PyObject *v;
	long n;

	entry_in_cache(e, "isolate_recompiles_id", &v);
	n = region_number(v);
	Py_XDECREF(v);
	return n;
}

bool model_in_region(struct entry *e, struct entry *served)
{
	PyObject *get = served ? NULL : attrs_get(ATTR_REGION), *v = get ? PyObject_CallNoArgs(get) : NULL;
	long own = region_of(e), here = served ? region_of(served) : region_number(v);

	PyErr_Clear();
	Py_XDECREF(v);
	Py_XDECREF(get);
	return own == NO_REGION || own == here;
}

bool model_listed(struct entry *e)
{
	return e->made.fresh || entry_in_cache(e, NULL, NULL) != 0;
}

struct entry *model_entry_item(struct func *f, PyObject *item)
{
	PyObject *code = attr(item, "code"), *id;
	struct entry *e, *found = NULL;

	if (code && PyCode_Check(code)) {
		found = model_entry((PyCodeObject *)code);
		id = found ? NULL : attr(item, "compile_id");
		if (!found) { /* another tool put it there */
			PyObject *text = id ? PyObject_Str(id) : NULL;

			found = model_add_entry((PyCodeObject *)code, f, py_text_utf8_kept(text));
			found->made.before = true;
			Py_XDECREF(text);
		}
		Py_XDECREF(id);
	} else {
		for (e = model_entries; e; e = e->next)
			if (e->func == f && is_item(e, item))
				found = e;
	}
	PyErr_Clear();
	Py_XDECREF(code);
	return found;
}
