/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python packages of cdbg: see dynamo_torch.h. */
#include "torch/dynamo_torch.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static PyObject *modules;  /* name with its package: module, or None while it is loaded */
static PyObject *builtins; /* the interpreter's, with our __import__ */
static PyObject *refused;  /* errors.Refused */
static PyObject *added;	   /* {name: function} of package_add() */

/* Run a file in this namespace.  -1 with an exception. */
static int run_file_in(const char *path, PyObject *names)
{
	/* owned */
	PyObject *io = PyImport_ImportModuleLevel("_io", NULL, NULL, NULL, 0), *file = NULL, *text = NULL, *code = NULL;
	PyObject *done = NULL, *closed = NULL;

	file = io ? PyObject_CallMethod(io, "open_code", "s", path) : NULL;
	text = file ? PyObject_CallMethod(file, "read", NULL) : NULL;
	closed = text ? PyObject_CallMethod(file, "close", NULL) : NULL; /* so that the program gets no warning */
	if (text && PyBytes_Check(text))
		code = Py_CompileString(PyBytes_AS_STRING(text), path, Py_file_input);
	if (code)
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

/* The file of a module, PACKAGE/NAME.py beside this library; owned by the caller, NULL: it is not known. */
static char *module_path(const char *full)
{
	const char *dot = strchr(full, '.');
	Dl_info info;

	if (!dot || !dladdr((void *)(uintptr_t)&package_call, &info) || !info.dli_fname)
		return NULL;
	return mem_fmt("%.*s%.*s/%s.py", (int)(strrchr(info.dli_fname, '/') + 1 - info.dli_fname), info.dli_fname,
		       (int)(dot - full), full, dot + 1);
}

/* What C's streams hold, which Python does not know, is written. */
static PyObject *flush_streams(PyObject *self, PyObject *none)
{
	(void)self;
	(void)none;
	fflush(stdout);
	fflush(stderr);
	Py_RETURN_NONE;
}

static PyMethodDef flush_def = { "flush_streams", flush_streams, METH_NOARGS, NULL };

/* A new reference, or NULL with an exception. */
static PyObject *module_read(const char *full)
{
	char *path = module_path(full);
	PyObject *m = PyModule_New(full), *names = m ? PyModule_GetDict(m) : NULL, *readable = NULL, *file = NULL;
	PyObject *flush = names ? PyCFunction_New(&flush_def, NULL) : NULL;
	int ret = -1;

	if (path && names) {
		readable = tensor_numbers_readable_function();
		file = PyUnicode_DecodeFSDefault(path);
	}
	if (readable && file && flush && PyDict_SetItemString(names, "readable_in_place", readable) == 0 &&
	    PyDict_SetItemString(names, "flush_streams", flush) == 0 &&
	    PyDict_SetItemString(names, "__file__", file) == 0 &&
	    PyDict_SetItemString(names, "__builtins__", builtins) == 0 && (!added || PyDict_Update(names, added) == 0))
		ret = run_file_in(path, names);
	if (ret < 0)
		Py_CLEAR(m);
	Py_XDECREF(flush);
	Py_XDECREF(readable);
	Py_XDECREF(file);
	free(path);
	return m;
}

void package_add(PyMethodDef *def)
{
	PyObject *function = PyCFunction_New(def, NULL);

	added = added ? added : PyDict_New();
	if (added && function)
		PyDict_SetItemString(added, def->ml_name, function);
	PyErr_Clear();
	Py_XDECREF(function);
}

/* The module, read at its first use: borrowed, or NULL with an exception. */
static PyObject *module_of(const char *name)
{
	PyObject *m = PyDict_GetItemString(modules, name);

	if (m == Py_None)
		return PyErr_Format(PyExc_ImportError, "%s is imported in a circle", name);
	if (m || PyDict_SetItemString(modules, name, Py_None) < 0)
		return m;
	m = module_read(name);
	if (!m) { /* an interrupt: it is read again at the next use */
		PyObject *type, *value, *tb;

		PyErr_Fetch(&type, &value, &tb);
		PyDict_DelItemString(modules, name);
		PyErr_Restore(type, value, tb);
		return NULL;
	}
	PyDict_SetItemString(modules, name, m);
	Py_DECREF(m);
	return PyDict_GetItemString(modules, name);
}

/* The module NAME of a package: borrowed, or NULL with an exception. */
static PyObject *module_in(const char *package, const char *name)
{
	char *full = mem_fmt("%s.%s", package, name);
	PyObject *m = module_of(full);

	free(full);
	return m;
}

/* "from . import a, b": an object with these modules as attributes. */
static PyObject *modules_named(const char *package, PyObject *list)
{
	PyObject *out = PyModule_New(package), *m;
	const char *name;
	Py_ssize_t i;

	for (i = 0; out && list && PyTuple_Check(list) && i < PyTuple_GET_SIZE(list); i++) {
		name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(list, i));
		m = name ? module_in(package, name) : NULL;
		if (!m || PyObject_SetAttrString(out, name, m) < 0)
			Py_CLEAR(out);
	}
	return out;
}

/* The package of the module with these globals; owned by the caller. */
static char *package_of(PyObject *globals)
{
	PyObject *name = globals && PyDict_Check(globals) ? PyDict_GetItemString(globals, "__name__") : NULL;
	const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	return mem_strn(text ? text : "", text ? strcspn(text, ".") : 0);
}

/* __import__(name, globals, locals, fromlist, level) of the packages: what is not relative goes to the
   interpreter's. */
static PyObject *import_here(PyObject *self, PyObject *args)
{
	PyObject *globals = NULL, *locals = NULL, *list = NULL, *m;
	const char *name;
	char *package;
	int level = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "s|OOOi", &name, &globals, &locals, &list, &level))
		return NULL;
	if (level == 0)
		return PyImport_ImportModuleLevel(name, globals, locals, list, 0);
	package = package_of(globals);
	m = *name ? Py_XNewRef(module_in(package, name)) : modules_named(package, list);
	free(package);
	return m;
}

static PyMethodDef import_def = { "__import__", import_here, METH_VARARGS, NULL };

static bool package_begin(void)
{
	PyObject *import, *errors;

	if (refused)
		return true;
	Py_CLEAR(modules); /* an interrupt came before all was there */
	Py_CLEAR(builtins);
	builtins = PyDict_Copy((PyObject *)host->values.builtins());
	import = builtins ? PyCFunction_New(&import_def, NULL) : NULL;
	if (import && PyDict_SetItemString(builtins, "__import__", import) == 0)
		modules = PyDict_New();
	errors = modules ? module_of("cdbg_graphs.errors") : NULL;
	refused = errors ? PyObject_GetAttrString(errors, "Refused") : NULL;
	Py_XDECREF(import);
	return refused;
}

bool package_refused(PyObject *type)
{
	return type && refused && PyErr_GivenExceptionMatches(type, refused);
}

PyObject *package_function(const char *module, const char *name)
{
	PyObject *m = !package_begin()	  ? NULL :
		      strchr(module, '.') ? module_of(module) :
					    module_in("cdbg_graphs", module);
	PyObject *fn = m ? PyObject_GetAttrString(m, name) : NULL;

	if (!fn && !(PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)))
		PyErr_Format(PyExc_RuntimeError, "the file %s.py of cdbg cannot be used: install cdbg again",
			     strchr(module, '.') ? strchr(module, '.') + 1 : module);
	return fn;
}

PyObject *package_call(const char *module, const char *name, PyObject *args)
{
	PyObject *fn = args ? package_function(module, name) : NULL, *r = fn ? PyObject_CallObject(fn, args) : NULL;

	Py_XDECREF(fn);
	Py_XDECREF(args);
	return r;
}
