/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions as people write them: with the class, and for a decorator's wrapper the name of the wrapped
   function.  Runs none of the program's code; knows no view. */
#include "model/qualname.h"
#include "torch/py_text.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/func.h"
#include <stdlib.h>
#include <string.h>

const char *qualname_plain(PyCodeObject *co)
{
	const char *name = py_text_utf8_kept(co->co_qualname), *local;

	for (; (local = strstr(name, "<locals>.")); name = local + strlen("<locals>."))
		;
	return name;
}

/* "outer.inner" fits outer.<locals>.inner; "C.m" and "m" fit C.m. */
bool qualname_fits(const char *typed, const char *qualname)
{
	size_t typed_len = strlen(typed), plain_len = 0;
	char *plain = mem_str(qualname);
	const char *p = qualname;
	bool fits;

	while (*p) {
		if (!strncmp(p, "<locals>.", 9))
			p += 9;
		else
			plain[plain_len++] = *p++;
	}
	plain[plain_len] = '\0';
	fits = !strcmp(typed, qualname) ||
	       (typed_len && plain_len >= typed_len && !strcmp(plain + plain_len - typed_len, typed) &&
		(plain_len == typed_len || plain[plain_len - typed_len - 1] == '.'));
	free(plain);
	return fits;
}

/* The innermost function inside the __wrapped__ that functools.wraps() sets: a new reference. */
static PyObject *unwrapped(PyObject *function)
{
	PyObject *dict, *next;
	int depth;

	Py_INCREF(function);
	for (depth = 0; depth < 50; depth++) {
		dict = PyFunction_Check(function) ? ((PyFunctionObject *)function)->func_dict : NULL;
		next = dict ? PyDict_GetItemString(dict, "__wrapped__") : NULL;
		if (!next || !PyFunction_Check(next))
			break;
		Py_INCREF(next);
		Py_DECREF(function);
		function = next;
	}
	return function;
}

static char *wrapped_name(PyObject *function)
{
	PyObject *inner = unwrapped(function);
	char *name = mem_str(qualname_plain((PyCodeObject *)PyFunction_GET_CODE(inner)));

	Py_DECREF(inner);
	return name;
}

/* Is this the function with that code, or one that it wraps? */
static bool leads_to(PyObject *function, PyCodeObject *co)
{
	PyObject *dict;
	int depth;

	for (depth = 0; depth < 50 && function && PyFunction_Check(function); depth++) {
		if (PyFunction_GET_CODE(function) == (PyObject *)co)
			return true;
		dict = ((PyFunctionObject *)function)->func_dict;
		function = dict ? PyDict_GetItemString(dict, "__wrapped__") : NULL;
	}
	return false;
}

/* For a method: the function that the one in the class of the first argument wraps. */
static char *wrapped_method(PyCodeObject *co, PyObject *locals)
{
	PyObject *names = PyCode_GetVarnames(co), *mro, *dict, *key, *value, *self;
	Py_ssize_t i, at;
	char *name = NULL;

	self = names && co->co_argcount && PyTuple_GET_SIZE(names) && PyDict_Check(locals) ?
		       PyDict_GetItemWithError(locals, PyTuple_GET_ITEM(names, 0)) :
		       NULL;
	mro = self ? Py_TYPE(self)->tp_mro : NULL;
	for (i = 0; mro && !name && i < PyTuple_GET_SIZE(mro); i++) {
		dict = ((PyTypeObject *)PyTuple_GET_ITEM(mro, i))->tp_dict;
		at = 0;
		while (dict && !name && PyDict_Next(dict, &at, &key, &value))
			if (leads_to(value, co))
				name = wrapped_name(value);
	}
	PyErr_Clear();
	Py_XDECREF(names);
	return name;
}

/* For a function of (*args, **kwargs) made inside another one, with one function in its closure: the latter. */
static char *wrapped_closure(PyCodeObject *co, PyObject *closure)
{
	PyObject *only = NULL, *value;
	Py_ssize_t i;

	if (!(co->co_flags & CO_VARARGS) || !(co->co_flags & CO_VARKEYWORDS) || !PyTuple_Check(closure))
		return NULL;
	for (i = 0; i < PyTuple_GET_SIZE(closure); i++) {
		value = PyCell_Check(PyTuple_GET_ITEM(closure, i)) ? PyCell_GET(PyTuple_GET_ITEM(closure, i)) : NULL;
		if (!value || !PyFunction_Check(value))
			continue;
		if (only)
			return NULL;
		only = value;
	}
	return only ? wrapped_name(only) : NULL;
}

/* "BertModel.forward": what the function of this code wraps, when it is called with these locals and this closure; both
   may be NULL.  Owned by the caller; NULL: it is not a wrapper of a decorator. */
static char *qualname_wrapped(PyCodeObject *co, PyObject *locals, PyObject *closure)
{
	char *name;

	if (!strstr(py_text_utf8_kept(co->co_qualname), "<locals>."))
		return NULL;
	name = locals ? wrapped_method(co, locals) : NULL;
	if (!name && closure)
		name = wrapped_closure(co, closure);
	if (name && !strcmp(name, qualname_plain(co))) {
		free(name);
		name = NULL;
	}
	return name;
}

void qualname_note(struct compiling *c, PyObject *locals, PyObject *closure)
{
	struct func *f = c->func;

	free(c->wraps);
	c->wraps = f->co ? qualname_wrapped(f->co, locals, closure) : NULL;
	if (!c->wraps)
		return;
	f->wraps_many = f->wraps_many || (f->wraps && strcmp(f->wraps, c->wraps));
	free(f->wraps);
	f->wraps = mem_str(c->wraps);
}

void qualname_set(struct entry *e, const char *wraps)
{
	free(e->wraps);
	e->wraps = mem_str(wraps);
	free(e->title);
	e->title = mem_fmt("generated code of %s, entry %s", qualname_entry(e), e->id);
}

/* A resume function's name is Dynamo's: people know the function that it continues.  NULL: it is not a resume function,
   or the line is not known. */
static const char *resumed_name(struct func *f)
{
	if (!f->resumed && f->root && f->resume_line)
		f->resumed = mem_fmt("%s (resumed at line %d)", qualname_func(f->root), f->resume_line);
	return f->resumed;
}

static const char *reader_name(struct func *f, const char *wraps)
{
	const char *resumed = resumed_name(f);

	return resumed ? resumed : wraps ? wraps : f->qualname;
}

const char *qualname_func(struct func *f)
{
	return reader_name(f, f->wraps_many ? NULL : f->wraps);
}

const char *qualname_entry(const struct entry *e)
{
	return reader_name(e->func, e->wraps);
}

const char *qualname_compiling(const struct compiling *c)
{
	return reader_name(c->func, c->wraps);
}
