/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls functions of edit.py and of the files that save state; converts exceptions to errors; copies guard trees.
   Changes nothing. */
#include "edit/edit_python.h"
#include "torch/attrs.h"
#include "torch/tensor_memory.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Run the file, which is in the folder of this library, in this namespace.  -1 with an exception: it cannot be used, or
   an interrupt came. */
static int load_module(const char *path, PyObject *names)
{
	/* owned */
	PyObject *io = PyImport_ImportModuleLevel("_io", NULL, NULL, NULL, 0), *file = NULL, *text = NULL, *code = NULL;
	PyObject *done = NULL, *closed = NULL;

	file = io ? PyObject_CallMethod(io, "open_code", "s", path) : NULL;
	text = file ? PyObject_CallMethod(file, "read", NULL) : NULL;
	closed = text ? PyObject_CallMethod(file, "close", NULL) : NULL; /* so that the program gets no warning */
	if (text && PyBytes_Check(text))
		code = Py_CompileString(PyBytes_AS_STRING(text), path, Py_file_input);
	if (code && PyDict_SetItemString(names, "__builtins__", (PyObject *)host->builtins()) == 0)
		done = PyEval_EvalCode(code, names, names);
	if (done)
		PyErr_Clear();
	Py_XDECREF(closed);
	Py_XDECREF(code);
	Py_XDECREF(text);
	Py_XDECREF(file);
	Py_XDECREF(io);
	Py_XDECREF(done);
	return done ? 0 : -1;
}

/* A namespace made by running these files one after the other: a new reference, or NULL. */
static PyObject *load_beside(const char *const *files)
{
	PyObject *names = PyDict_New(), *readable = names ? tensor_memory_function() : NULL;
	Dl_info info;
	char *path;

	if (!readable || PyDict_SetItemString(names, "readable_in_place", readable) < 0)
		Py_CLEAR(names);
	Py_XDECREF(readable);
	if (!dladdr((void *)(uintptr_t)&edit_call, &info) || !info.dli_fname)
		Py_CLEAR(names);
	for (; names && *files; files++) {
		path = mem_fmt("%.*s%s", (int)(strrchr(info.dli_fname, '/') + 1 - info.dli_fname), info.dli_fname,
			       *files);
		if (load_module(path, names) < 0)
			Py_CLEAR(names);
		free(path);
	}
	return names;
}

static PyObject *function_in(PyObject *names, const char *files, const char *name)
{
	PyObject *fn = names ? PyDict_GetItemString(names, name) : NULL;

	if (!fn && !(PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)))
		PyErr_Format(PyExc_RuntimeError, "the file %s of cdbg cannot be used: install cdbg again", files);
	return fn;
}

PyObject *edit_call(const char *name, PyObject *a, PyObject *b, PyObject *c)
{
	static const char *const files[] = { "edit.py", NULL };
	static PyObject *names;
	PyObject *fn;

	if (!names)
		names = load_beside(files);
	fn = function_in(names, "edit.py", name);
	return fn ? PyObject_CallFunctionObjArgs(fn, a, b, c, NULL) : NULL;
}

PyObject *python_call(const char *const *files, PyObject **names, const char *name, PyObject *args)
{
	PyObject *fn, *r = NULL;

	if (!*names)
		*names = load_beside(files);
	fn = args ? function_in(*names, files[0], name) : NULL;
	if (fn)
		r = PyObject_CallObject(fn, args);
	Py_XDECREF(args);
	return r;
}

PyObject *state_call(const char *name, PyObject *args)
{
	static const char *const files[] = { "object_state.py", "torch_state.py", "unseen.py",
					     "state.py",	"compare.py",	  NULL };
	static PyObject *names;

	return python_call(files, &names, name, args);
}

int edit_raised(struct err *err, const char *what)
{
	PyObject *type, *value, *tb, *text;
	struct buf words = { 0 };
	const char *name;
	char *end;

	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	text = value ? PyObject_Str(value) : NULL;
	if (text)
		host->value_text((struct py_obj *)text, &words, 400);
	end = words.len ? strstr(words.s, "\n\n") : NULL;
	if (end) /* what follows is torch's trace of a node */
		*end = 0;
	name = type && PyType_Check(type) ? ((PyTypeObject *)type)->tp_name : "exception";
	if (type && PyErr_GivenExceptionMatches(type, PyExc_KeyboardInterrupt))
		name = "interrupted"; /* Ctrl-C */
	err_set(err, "%s: %s%s%s", what, name, words.len ? ": " : "", words.len ? words.s : "");
	buf_release(&words);
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(tb);
	return -1;
}

static PyObject *keep_every_node(PyObject *self, PyObject *node)
{
	(void)self;
	(void)node;
	Py_RETURN_TRUE;
}

static PyMethodDef keep_def = { "cdbg_keep", keep_every_node, METH_O, NULL };

PyObject *edit_clone(PyObject *manager)
{
	PyObject *root = PyObject_GetAttrString(manager, "root"), *keep = PyCFunction_New(&keep_def, NULL), *r = NULL;

	if (root && keep)
		r = PyObject_CallMethod(root, "clone_manager", "O", keep);
	Py_XDECREF(keep);
	Py_XDECREF(root);
	return r;
}

bool edit_alive(PyObject *watched)
{
	bool dead = false;
	Py_ssize_t i;
	PyObject *o;

	for (i = 0; watched && PyList_Check(watched) && i < PyList_GET_SIZE(watched) && !dead; i++) {
		if (!PyWeakref_CheckRef(PyList_GET_ITEM(watched, i)))
			continue;
		o = PyObject_CallNoArgs(PyList_GET_ITEM(watched, i));
		dead = o == Py_None;
		Py_XDECREF(o);
	}
	return !dead;
}

/* Newer versions take a stack, too. */
static bool takes_stack(PyObject *fn)
{
	static int takes = -1;
	PyObject *make = takes < 0 ? attrs_get(ATTR_TREE_ROOT) : NULL, *root = make ? PyObject_CallNoArgs(make) : NULL;
	PyObject *r = root ? PyObject_CallMethod(root, "add_lambda_guard", "O[s]O", fn, "", Py_None) : NULL;

	if (root)
		takes = r != NULL;
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(root);
	Py_XDECREF(make);
	return takes > 0;
}

PyObject *edit_lambda_args(PyObject *fn, const char *text)
{
	return takes_stack(fn) ? Py_BuildValue("(O[s]O)", fn, text, Py_None) : Py_BuildValue("(O[s])", fn, text);
}
