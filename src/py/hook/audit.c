/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter's audit events: module bodies and processes for the sink, input(), /dev/tty and exec for the
   observer of the program's end. os._exit() has no event, so its method is replaced.  Knows no stop. */
#include <Python.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include "base/err.h"
#include "py/hook/audit.h"
#include "py/hook/hook_impl.h"
#include "py/hook/signal_method.h"
#include "py/interp/interp.h"
#include "py/interp/path.h"
#include "py/value/value.h"

static const struct audit_watch *watch;
static PyCFunction exit_c;

/* ---- for the sink -------------------------------------------------------------------------------- */

/* The program that the call is about to execute, as text; owned by *keep. */
static const char *program_text(const char *event, PyObject *args, PyObject **keep)
{
	PyObject *p = PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) : Py_None, *first = NULL;
	struct hook_thread *t = hook_thread_self();
	const char *text = NULL;

	if (p == Py_None && !strcmp(event, "subprocess.Popen") && PyTuple_GET_SIZE(args) > 1) {
		p = PyTuple_GET_ITEM(args, 1);
		if (PyList_CheckExact(p) || PyTuple_CheckExact(p))
			p = first = PySequence_GetItem(p, 0);
	}
	t->in_stop++; /* __fspath__ may be Python code */
	*keep = p ? PyOS_FSPath(p) : NULL;
	t->in_stop--;
	Py_XDECREF(first);
	if (*keep && PyUnicode_Check(*keep))
		text = PyUnicode_AsUTF8(*keep);
	else if (*keep)
		text = PyBytes_AS_STRING(*keep);
	PyErr_Clear();
	return text ? text : "?";
}

/* subprocess has emitted an event of its own already. */
static bool spawned_by_subprocess(const char *event)
{
	PyFrameObject *f = strcmp(event, "os.posix_spawn") ? NULL : PyEval_GetFrame();
	PyCodeObject *co = f ? PyFrame_GetCode(f) : NULL;
	bool yes = co && PyUnicode_CompareWithASCIIString(co->co_name, "_posix_spawn") == 0;

	Py_XDECREF(co);
	return yes;
}

static void process_event(const char *event, PyObject *args)
{
	static const char *const exec[] = { "os.exec", "os.posix_spawn", "os.system", "subprocess.Popen" };
	PyObject *keep = NULL;
	size_t i;

	if (!hook_sink || !hook_sink->process || !PyTuple_Check(args) || spawned_by_subprocess(event))
		return;
	if (!strcmp(event, "os.fork") || !strcmp(event, "os.forkpty"))
		hook_sink->process(HOOK_FORK, event, "");
	for (i = 0; i < sizeof(exec) / sizeof(*exec); i++)
		if (!strcmp(event, exec[i]))
			hook_sink->process(HOOK_EXEC, event, program_text(event, args, &keep));
	Py_XDECREF(keep);
}

static void exec_event(PyObject *args)
{
	PyObject *co = PyTuple_Check(args) && PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) : NULL;

	if (co && PyCode_Check(co) && hook_sink && hook_sink->exec)
		hook_sink->exec((struct py_code *)co);
}

/* f.__code__ = code is about to be executed; CPython refuses code with another number of free variables. */
static void code_event(PyObject *args)
{
	PyObject *f, *name, *co;
	Py_ssize_t cells;

	if (!PyTuple_Check(args) || PyTuple_GET_SIZE(args) < 3 || !hook_sink || !hook_sink->recode)
		return;
	f = PyTuple_GET_ITEM(args, 0);
	name = PyTuple_GET_ITEM(args, 1);
	co = PyTuple_GET_ITEM(args, 2);
	if (!PyFunction_Check(f) || !PyCode_Check(co) || !PyUnicode_Check(name) ||
	    PyUnicode_CompareWithASCIIString(name, "__code__"))
		return;
	cells = PyFunction_GET_CLOSURE(f) ? PyTuple_GET_SIZE(PyFunction_GET_CLOSURE(f)) : 0;
	if (PyCode_GetNumFree((PyCodeObject *)co) == cells)
		hook_sink->recode((struct py_code *)PyFunction_GET_CODE(f), (struct py_code *)co);
}

/* ---- for the observer of the program's end -------------------------------------------------------------- */

static bool is_tty(PyObject *args)
{
	PyObject *path = PyTuple_Check(args) && PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) : NULL;

	return path && PyUnicode_CheckExact(path) && PyUnicode_CompareWithASCIIString(path, "/dev/tty") == 0;
}

static void audit_leaving(void)
{
	if (watch && watch->leaving)
		watch->leaving();
}

/* False: the call raises an exception instead.  status: -1 where only a call of the program's code would tell. */
static bool will_exit(PyObject *const *args, Py_ssize_t n, PyObject *names, int *status)
{
	Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
	int too_large;
	long number;

	if (n + named != 1 || (named && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "status")))
		return false;
	if (!PyLong_Check(args[0]))
		return PyIndex_Check(args[0]);
	number = PyLong_AsLongAndOverflow(args[0], &too_large);
	if (too_large || number < INT_MIN || number > INT_MAX)
		return false;
	*status = (int)(number & 0xff);
	return true;
}

static PyObject *exit_ours(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	typedef PyObject *(*original)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
	int status = -1;
	bool will = will_exit(args, n, names, &status);

	if (status >= 0 && watch && watch->exiting && interp_ours())
		watch->exiting(status);
	if (will)
		audit_leaving();
	return ((original)(void (*)(void))exit_c)(self, args, n, names);
}

static int replace_exit(struct err *err)
{
	PyObject *module = PyImport_ImportModuleLevel("posix", NULL, NULL, NULL, 0), *f;
	PyMethodDef *def;

	f = module ? PyObject_GetAttrString(module, "_exit") : NULL;
	def = f && PyCFunction_Check(f) ? ((PyCFunctionObject *)f)->m_ml : NULL;
	if (def && def->ml_flags == (METH_FASTCALL | METH_KEYWORDS)) {
		exit_c = def->ml_meth;
		def->ml_meth = (PyCFunction)(void (*)(void))exit_ours;
	} else {
		err_set(err, "cannot watch os._exit(): unexpected type for posix._exit in this build of CPython");
	}
	PyErr_Clear();
	Py_XDECREF(f);
	Py_XDECREF(module);
	return exit_c ? 0 : -1;
}

/* ---- the events --------------------------------------------------------------------------------------- */

static void os_event(const char *event, PyObject *args)
{
	if (interp_ours())
		process_event(event, args);
	if (!strcmp(event, "os.exec"))
		audit_leaving(); /* after a stop there */
	else if (!strcmp(event, "os.chdir"))
		path_moved();
}

/* Called in every interpreter of the process.  Nothing may fail here: an error would be raised in the program. */
static int on_audit(const char *event, PyObject *args, void *unused)
{
	(void)unused;
	interp_audit(event);
	if (!strncmp(event, "os.", 3) || !strcmp(event, "subprocess.Popen"))
		os_event(event, args);
	else if (!interp_ours())
		return 0;
	else if (!strcmp(event, "exec"))
		exec_event(args);
	else if (!strcmp(event, "object.__setattr__"))
		code_event(args);
	else if (watch && watch->tty && !strcmp(event, "open") && is_tty(args))
		watch->tty();
	else if (watch && watch->input && !strcmp(event, "builtins.input"))
		watch->input();
	return 0;
}

int hook_audit_start(struct err *err)
{
	static bool in;

	if (in)
		return 0;
	if (PySys_AddAuditHook(on_audit, NULL) < 0)
		return err_from_python(err, "cannot watch for module bodies");
	in = true;
	return 0;
}

int audit_watch(const struct audit_watch *w, struct err *err)
{
	watch = w;
	signal_method_tell(w ? w->handles : NULL);
	if (!w)
		return 0;
	if (hook_audit_start(err) < 0 || (!exit_c && replace_exit(err) < 0) || signal_method_start(err) < 0)
		return -1;
	signal_method_tell(w->handles);
	return 0;
}
