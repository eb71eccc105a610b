/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that Dynamo traced or may trace.  Code objects are held weakly, so that the program's own lifetimes stay as
   they are.  Knows no entry. */
#include "model/func.h"
#include "torch/attrs.h"
#include "torch/cdbg_host.h"
#include "torch/py_text.h"
#include "model/qualname.h"
#include <string.h>

unsigned code_slot(const void *p)
{
	uintptr_t n = (uintptr_t)p >> 4;

	return (unsigned)((n ^ n >> 10) % CODE_SLOTS);
}

PyObject *code_weak(PyCodeObject *co, PyMethodDef *gone, void *record)
{
	PyObject *self = PyCapsule_New(record, NULL, NULL);
	PyObject *call = self ? PyCFunction_New(gone, self) : NULL;
	PyObject *weak = call ? PyWeakref_NewRef((PyObject *)co, call) : NULL;

	Py_XDECREF(call);
	Py_XDECREF(self);
	PyErr_Clear();
	return weak;
}

struct func *model_funcs;
static struct func *func_at[CODE_SLOTS];

static void unlink_func(struct func *f)
{
	struct func **p;

	for (p = &func_at[code_slot(f->co)]; *p; p = &(*p)->chain)
		if (*p == f) {
			*p = f->chain;
			break;
		}
	f->co = NULL;
}

static PyObject *func_gone(PyObject *self, PyObject *weak)
{
	struct func *f = PyCapsule_GetPointer(self, NULL);

	(void)weak;
	if (f && f->co)
		unlink_func(f);
	Py_RETURN_NONE;
}

static PyMethodDef func_gone_def = { "func_gone", func_gone, METH_O, NULL };

struct func *model_func(PyCodeObject *co, bool make)
{
	unsigned h = code_slot(co);
	struct func *f;

	for (f = func_at[h]; f; f = f->chain)
		if (f->co == co)
			return f;
	if (!make)
		return NULL;
	f = mem_alloc(sizeof(*f));
	f->weak = code_weak(co, &func_gone_def, f);
	f->co = co;
	f->name = mem_str(visible(py_text_utf8_kept(co->co_name)));
	f->file = mem_str(py_text_utf8_kept(co->co_filename));
	f->qualname = mem_str(qualname_plain(co));
	f->line = co->co_firstlineno;
	f->chain = func_at[h];
	func_at[h] = f;
	f->next = model_funcs;
	model_funcs = f;
	return f;
}

void model_module(struct func *f, PyObject *globals)
{
	PyObject *name = f->module ? NULL : PyDict_GetItemString(globals, "__name__");
	PyObject *m = name && PyUnicode_Check(name) ? PyImport_GetModule(name) : NULL;

	if (m && PyModule_Check(m) && PyModule_GetDict(m) == globals)
		f->module = mem_str(py_text_utf8(name));
	Py_XDECREF(m);
	PyErr_Clear();
}

struct func *model_root(struct func *f)
{
	return f && f->root ? f->root : f;
}

/* The user's code that a resume function's code was made from, as Dynamo keeps it: borrowed. */
static PyCodeObject *root_code(PyCodeObject *co)
{
	PyObject *table = attrs_get(ATTR_RESUME_META), *meta, *root = NULL;

	meta = table ? PyObject_CallMethod(table, "get", "O", co) : NULL;
	if (meta && meta != Py_None)
		root = PyObject_GetAttrString(meta, "code");
	PyErr_Clear();
	Py_XDECREF(meta);
	Py_XDECREF(table);
	Py_XDECREF(root); /* the table keeps it */
	return root && PyCode_Check(root) ? (PyCodeObject *)root : NULL;
}

void model_resume_known(struct func *f)
{
	PyCodeObject *root = f->root || !f->co ? NULL : root_code(f->co);

	if (root && root != f->co)
		f->root = model_func(root, true);
}

/* The records keep their addresses: a compile in progress may point to them. */
void funcs_release(void)
{
	struct func *f;

	for (f = model_funcs; f; f = f->next) {
		Py_CLEAR(f->weak);
		f->co = NULL;
	}
	memset(func_at, 0, sizeof(func_at));
	model_funcs = NULL;
}
