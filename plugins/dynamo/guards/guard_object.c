/* SPDX-License-Identifier: BSD-3-Clause */
/* The expected and the actual value of guards on types and identities, by the name that the program has for it.
   Knows no view. */
#include "guards/guard_object.h"
#include "torch/attrs.h"
#include "guards/guard_eval.h"
#include "guards/guard_model.h"
#include <stdint.h>
#include <string.h>

/* "..., type=<class 'collections.OrderedDict'>": its name. */
const char *guard_class(const struct guard *g, size_t *n)
{
	const char *p = strstr(g->text, "type=<class '");

	if (!p)
		return NULL;
	p += 13;
	*n = strcspn(p, "'");
	return p;
}

static long long id_in(const struct guard *g)
{
	const char *p = strrchr(g->text, ')'), *q = strstr(g->text, "), type=");

	p = q ? q : p;
	while (p && p > g->text && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return p ? atoll(p) : 0;
}

void guard_full_type(PyTypeObject *t, struct buf *out)
{
	PyObject *module = attr((PyObject *)t, "__module__"), *name = attr((PyObject *)t, "__qualname__");
	const char *m = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
	const char *n = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	if (m && strcmp(m, "builtins"))
		buf_addf(out, "%s.", m);
	buf_addf(out, "%s", n ? n : _PyType_Name(t));
	PyErr_Clear();
	Py_XDECREF(name);
	Py_XDECREF(module);
}

void guard_type_expected(const struct guard *g, struct buf *out)
{
	const char *class;
	size_t n;

	class = guard_class(g, &n);
	if (class)
		buf_add(out, class, n);
	else
		buf_addf(out, "the type at %#llx", id_in(g));
}

void guard_type_live(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		     struct buf *live)
{
	(void)k;
	guard_full_type(Py_TYPE(v), live);
	if (verdict == VERDICT_FAILS && expected->s && live->s && !strcmp(expected->s, live->s)) {
		buf_addf(expected, " at %#llx", id_in(g));
		buf_addf(live, " at %p, another class of that name", (void *)Py_TYPE(v));
	}
}

void guard_id_expected(const struct guard *g, struct buf *out)
{
	const char *class;
	size_t n;

	class = guard_class(g, &n);
	if (class)
		buf_addf(out, "%.*s at %#llx", (int)n, class, id_in(g));
	else if (id_in(g))
		buf_addf(out, "the object at %#llx", id_in(g));
	else
		buf_addf(out, "%s", g->text);
}

/* The program's name for the object at this address, as "torch.sin": the shortest name in any module.  Only
   addresses are compared, so an object that died is not found, and no code runs. */
static bool object_name(uintptr_t at, struct buf *out)
{
	PyObject *modules = PyImport_GetModuleDict(), *key, *m, *name, *v;
	const char *module, *best_module = NULL, *best = NULL, *s;
	Py_ssize_t pos = 0, inner;
	size_t length, least = SIZE_MAX;

	while (PyDict_Next(modules, &pos, &key, &m)) {
		module = PyUnicode_Check(key) && PyModule_Check(m) ? PyUnicode_AsUTF8(key) : NULL;
		for (inner = 0; module && PyDict_Next(PyModule_GetDict(m), &inner, &name, &v);) {
			s = (uintptr_t)(void *)v == at && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
			length = !s || !strcmp(module, "__main__") ? 0 : strlen(module) + strlen(s);
			if (length && (strstr(module, "._") || *module == '_'))
				length += 100;
			if (s && length < least) {
				least = length;
				best_module = module;
				best = s;
			}
		}
	}
	PyErr_Clear();
	if (best && strcmp(best_module, "__main__") && strcmp(best_module, "builtins"))
		buf_addf(out, "%s.", best_module);
	if (best)
		buf_addf(out, "%s at %#llx", best, (unsigned long long)at);
	return best != NULL;
}

/* The same for a member of this enumeration: "__main__.Color.RED". */
static bool member_at(PyTypeObject *type, uintptr_t at, struct buf *out)
{
	PyObject *members = type->tp_dict ? PyDict_GetItemString(type->tp_dict, "_member_map_") : NULL, *name, *v;
	Py_ssize_t pos = 0;

	while (members && PyDict_Check(members) && PyDict_Next(members, &pos, &name, &v))
		if ((uintptr_t)(void *)v == at && PyUnicode_Check(name) && PyUnicode_AsUTF8(name)) {
			out->len = 0;
			guard_full_type(type, out);
			buf_addf(out, ".%s", PyUnicode_AsUTF8(name));
			return true;
		}
	PyErr_Clear();
	return false;
}

void guard_id_live(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		   struct buf *live)
{
	PyObject *name = verdict == VERDICT_FAILS ? attr(v, "__qualname__") : NULL;
	struct buf found = { 0 };

	(void)k;
	if (member_at(Py_TYPE(v), (uintptr_t)(void *)v, live)) {
		member_at(Py_TYPE(v), (uintptr_t)id_in(g), expected);
		Py_XDECREF(name);
		return;
	}
	if (verdict == VERDICT_FAILS && object_name((uintptr_t)id_in(g), &found)) {
		expected->len = 0;
		buf_addf(expected, "%s", found.s);
	}
	buf_release(&found);
	if (verdict == VERDICT_FAILS && object_name((uintptr_t)(void *)v, live)) {
		Py_XDECREF(name);
		return;
	}
	guard_full_type(Py_TYPE(v), live);
	if (name && PyUnicode_Check(name) && PyUnicode_AsUTF8(name))
		buf_addf(live, " %s", PyUnicode_AsUTF8(name));
	buf_addf(live, " at %p", (void *)v);
	PyErr_Clear();
	Py_XDECREF(name);
}
