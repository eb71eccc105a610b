/* SPDX-License-Identifier: BSD-3-Clause */
/* How __main__.py runs a script or a module, and ends it, exactly as the interpreter itself would.
   Must not know what a session does with it. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/buf.h"
#include "engine/dispatch.h"
#include "engine/session.h"
#include "engine/source.h"
#include "py/interp/host.h"
#include "py/py.h"
#include "script.h"

/* outermost(f, *args), outermost(code, globals): call f or run code without a frame of cdbg below it. */
static PyObject *mod_outermost(PyObject *self, PyObject *const *argv, Py_ssize_t n)
{
	struct py_hidden hidden;
	PyObject *r;

	(void)self;
	if (n < 1)
		return PyErr_Format(PyExc_TypeError, "outermost() takes a function");
	py_frames_hide(&hidden);
	if (!PyCode_Check(argv[0]))
		r = PyObject_Vectorcall(argv[0], argv + 1, (size_t)n - 1, NULL);
	else if (PySys_Audit("exec", "O", argv[0]) < 0)
		r = NULL;
	else
		r = PyEval_EvalCode(argv[0], argv[n - 1], argv[n - 1]);
	py_frames_show(&hidden);
	return r;
}

/* Compiles and runs a script as the interpreter itself does, from the open file: its reader of source texts differs
   from compile()'s.  Closes the file. */
static PyObject *run_open_file(FILE *fp, const char *name, PyObject *path, PyObject *names)
{
	PyCompilerFlags flags = _PyCompilerFlags_INIT;
	struct py_hidden hidden;
	PyObject *r;

	if (session_living())
		session_stop_at_file(session_living(), (struct py_obj *)path);
	py_frames_hide(&hidden);
	r = PyRun_FileExFlags(fp, name, Py_file_input, names, names, 1, &flags);
	py_frames_show(&hidden);
	if (session_get())
		session_stop_at_file(session_get(), NULL);
	return r;
}

/* run_file(path, globals).  OSError when the file cannot be opened. */
static PyObject *mod_run_file(PyObject *self, PyObject *args_tuple)
{
	PyObject *path, *names, *bytes, *r;
	FILE *fp;

	(void)self;
	if (!PyArg_ParseTuple(args_tuple, "UO!", &path, &PyDict_Type, &names) ||
	    PySys_Audit("open", "Osi", path, "rb", 0) < 0)
		return NULL;
	bytes = PyUnicode_EncodeFSDefault(path);
	if (!bytes)
		return NULL;
	fp = fopen(PyBytes_AS_STRING(bytes), "rbe");
	if (!fp) {
		Py_DECREF(bytes);
		return PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
	}
	r = run_open_file(fp, PyBytes_AS_STRING(bytes), path, names);
	Py_DECREF(bytes);
	return r;
}

static struct buf typed; /* the script that standard input held */

/* take_input(): read the script from standard input, to its end, as the program finds it then.  OSError as read(). */
static PyObject *mod_take_input(PyObject *self, PyObject *unused)
{
	char part[65536];
	ssize_t n;

	(void)self;
	(void)unused;
	while ((n = read(0, part, sizeof(part))) > 0 || (n < 0 && errno == EINTR))
		buf_add(&typed, part, n < 0 ? 0 : (size_t)n);
	if (n < 0)
		return PyErr_SetFromErrno(PyExc_OSError);
	Py_RETURN_NONE;
}

/* The text as a file with a descriptor, which the interpreter opens again where the text declares an encoding. */
static FILE *file_of_text(const char *text, size_t n)
{
	int fd = memfd_create("cdbg", MFD_CLOEXEC);
	FILE *fp = NULL;

	if (fd >= 0 && write(fd, text, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0)
		fp = fdopen(fd, "rb");
	if (!fp && fd >= 0)
		close(fd);
	return fp;
}

/* run_input(globals): run it. */
static PyObject *mod_run_input(PyObject *self, PyObject *names)
{
	PyObject *path, *r;
	FILE *fp;

	(void)self;
	fp = file_of_text(typed.s, typed.len);
	if (!fp)
		return PyErr_SetFromErrno(PyExc_OSError);
	path = PyUnicode_FromString("<stdin>");
	if (!path) {
		fclose(fp);
		return NULL;
	}
	if (session_living())
		source_given(session_living(), "<stdin>", buf_str(&typed));
	r = run_open_file(fp, "<stdin>", path, names);
	Py_DECREF(path);
	return r;
}

/* find_module(runpy, find, ...): called once in place of runpy's _get_module_details, which is find: what it found is
   the program.  In C, so that no frame of cdbg is in the traceback of what it raises. */
static PyObject *mod_find_module(PyObject *self, PyObject *const *argv, Py_ssize_t n)
{
	PyObject *found, *code;

	(void)self;
	if (n < 2 || PyObject_SetAttrString(argv[0], "_get_module_details", argv[1]) < 0)
		return NULL;
	found = PyObject_Vectorcall(argv[1], argv + 2, (size_t)n - 2, NULL);
	code = found && PyTuple_Check(found) && PyTuple_GET_SIZE(found) > 2 ? PyTuple_GET_ITEM(found, 2) : NULL;
	if (code && PyCode_Check(code) && session_living())
		session_stop_at(session_living(), (struct py_code *)code);
	return found;
}

/* importer(path): is this a folder or an archive with a __main__ module?  Checked as the interpreter does. */
static PyObject *mod_importer(PyObject *self, PyObject *path)
{
	PyObject *importer = PyImport_GetImporter(path);
	bool found = importer && importer != Py_None;

	(void)self;
	if (!importer)
		return NULL;
	Py_DECREF(importer);
	return PyBool_FromLong(found);
}

/* report(exc): reports as the interpreter does an exception that no handler caught; not for SystemExit. */
static PyObject *mod_report(PyObject *self, PyObject *exc)
{
	(void)self;
	PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(exc)), Py_NewRef(exc), PyException_GetTraceback(exc));
	PyErr_PrintEx(1);
	Py_RETURN_NONE;
}

/* The first steps of the interpreter's shutdown, done here once so that `exited` comes after them: threads, atexit
   functions. */
/*
 * Python removes these names when a script ends, except by SystemExit; its threads and atexit functions run without
 * them.  They are restored, because a tool of the program that reads one would otherwise raise in frames of cdbg, which
 * do not exist in plain Python.  A new dict, or NULL.
 */
static PyObject *take_names(PyObject *globals)
{
	static const char *const names[] = { "__file__", "__cached__" };
	PyObject *taken = globals ? PyDict_New() : NULL, *v;
	int i;

	for (i = 0; taken && i < 2; i++) {
		v = PyDict_GetItemString(globals, names[i]);
		if (v && PyDict_SetItemString(taken, names[i], v) == 0)
			PyDict_DelItemString(globals, names[i]);
	}
	PyErr_Clear();
	return taken;
}

/* finish(script): wait for threads, run atexit functions; script: remove the names of a script first. */
static PyObject *mod_finish(PyObject *self, PyObject *script)
{
	struct py_hidden hidden;
	PyObject *main = script == Py_True ? PyImport_AddModule("__main__") : NULL; /* borrowed */
	PyObject *globals = Py_XNewRef(main ? PyModule_GetDict(main) : NULL), *taken = take_names(globals);
	PyObject *name = PyUnicode_FromString("threading");
	PyObject *module = name ? PyImport_GetModule(name) : NULL, *r;

	(void)self;
	py_frames_hide(&hidden);
	PyErr_Clear();
	/* Mirrors Python/pylifecycle.c, wait_for_thread_shutdown(): an exception there ends nothing. */
	r = module ? PyObject_CallMethod(module, "_shutdown", NULL) : NULL;
	if (module && !r && PyModule_Check(module))
		PyErr_WriteUnraisable(module);
	PyErr_Clear(); /* something else in its place: CPython calls and reports it, too, when it ends */
	Py_XDECREF(r);
	Py_XDECREF(module);
	Py_XDECREF(name);
	module = PyImport_ImportModuleLevel("atexit", NULL, NULL, NULL, 0);
	r = module ? PyObject_CallMethod(module, "_run_exitfuncs", NULL) : NULL;
	Py_XDECREF(r);
	Py_XDECREF(module);
	PyErr_Clear();
	host_flush();
	py_frames_show(&hidden);
	if (taken && PyDict_Merge(globals, taken, 0) < 0)
		PyErr_Clear();
	Py_XDECREF(taken);
	Py_XDECREF(globals);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "run_file", mod_run_file, METH_VARARGS, NULL },
	{ "take_input", mod_take_input, METH_NOARGS, NULL },
	{ "run_input", mod_run_input, METH_O, NULL },
	{ "find_module", (PyCFunction)(void (*)(void))mod_find_module, METH_FASTCALL, NULL },
	{ "importer", mod_importer, METH_O, NULL },
	{ "outermost", (PyCFunction)(void (*)(void))mod_outermost, METH_FASTCALL, NULL },
	{ "report", mod_report, METH_O, NULL },
	{ "finish", mod_finish, METH_O, NULL },
	{ NULL, NULL, 0, NULL },
};

int script_add(struct py_obj *module)
{
	return PyModule_AddFunctions((PyObject *)module, methods);
}
