/* SPDX-License-Identifier: BSD-3-Clause */
/* A fork for a child that goes on as its parent: see fork.h. */
#include "config.h"
#include "py/interp/fork.h"
#include <Python.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/hidden_fork.h"
#include "base/task.h"
#include "py/frame/frame.h"
#include "py/interp/names.h"
#include "py/py.h"

static const int timers[] = { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF };
enum { TIMERS = sizeof(timers) / sizeof(*timers) };

static struct itimerval timer[TIMERS]; /* a child has none of its parent's */
static sigset_t mask;
static bool quiet;
static PyObject *loop; /* of asyncio, running in this thread; owned while one forks */

bool fork_is_quiet(void)
{
	return quiet;
}

/* ---- what a child would lack --------------------------------------------------------------------------------- */

bool fork_main_thread(void)
{
	return getpid() == (pid_t)task_self();
}

/* Threads of libraries that a child can lack.  Inductor's wait for processes that compile; its own function for
   children of forks starts new ones (torch 2.13, torch/_inductor/async_compile.py, after_fork).  tqdm's draws a bar
   earlier. */
static const char *const replaced[] = { "/torch/_inductor/", "/tqdm/_monitor.py" };
/* A worker of a ThreadPoolExecutor that waits for work runs this function: see pools_restart(). */
static const char pool_file[] = "/concurrent/futures/thread.py", pool_worker[] = "_worker";

static bool is_idle_worker(const struct code *c)
{
	const char *file = code_file(c);
	size_t n = strlen(file), m = strlen(pool_file);

	return n > m && !strcmp(file + n - m, pool_file) && !strcmp(code_qualname(c), pool_worker);
}

static bool is_replaceable(struct py_thread *t)
{
	struct py_frame *f = frame_top_of(t), *back;
	bool yes = f && is_idle_worker(frame_code(f));
	size_t i;

	while (f) {
		for (i = 0; i < sizeof(replaced) / sizeof(*replaced); i++)
			yes = yes || strstr(code_file(frame_code(f)), replaced[i]);
		back = frame_back(f);
		py_unref((struct py_obj *)f);
		f = back;
	}
	return yes;
}

int fork_threads(struct buf *names)
{
	PyThreadState *own = PyThreadState_Get(), *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	size_t before;
	int n = 0;

	for (; ts; ts = PyThreadState_Next(ts)) {
		if (ts == own || is_replaceable((struct py_thread *)ts))
			continue;
		buf_adds(names, n++ ? ", " : "");
		before = names->len;
		names_thread((struct py_thread *)ts, names);
		if (names->len == before)
			buf_adds(names, "one without a name");
	}
	return n;
}

/* The attribute of an object that keeps its attributes in a dict; borrowed, or NULL. */
static PyObject *plain_attr(PyObject *o, const char *name)
{
	PyObject *dict = PyObject_GenericGetDict(o, NULL), *v;

	v = dict && PyDict_Check(dict) ? PyDict_GetItemString(dict, name) : NULL;
	Py_XDECREF(dict);
	PyErr_Clear();
	return v;
}

/* multiprocessing.process._children has those that were started and not waited for (CPython 3.11 to 3.15). */
int fork_children(struct buf *names)
{
	PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), "multiprocessing.process");
	PyObject *set = module && PyModule_Check(module) ? PyDict_GetItemString(PyModule_GetDict(module), "_children") :
							   NULL;
	PyObject *list, *name;
	const char *text;
	Py_ssize_t i, n;

	if (!set || !PyAnySet_Check(set))
		return 0;
	list = PySequence_List(set);
	n = list ? PyList_GET_SIZE(list) : 0;
	for (i = 0; i < n; i++) {
		name = plain_attr(PyList_GET_ITEM(list, i), "_name");
		buf_adds(names, i ? ", " : "");
		text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
		buf_adds(names, text ? text : "one without a name");
	}
	Py_XDECREF(list);
	PyErr_Clear();
	return (int)n;
}

/* A function in C of _asyncio, if asyncio is loaded; borrowed, or NULL. */
static PyObject *loop_function(const char *name)
{
	PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), "_asyncio"), *f;

	f = module && PyModule_Check(module) ? PyDict_GetItemString(PyModule_GetDict(module), name) : NULL;
	return f && PyCFunction_Check(f) ? f : NULL;
}

/* Owned; NULL: none runs. */
static PyObject *loop_running(void)
{
	PyObject *f = loop_function("_get_running_loop"), *running = f ? PyObject_CallNoArgs(f) : NULL;

	if (running == Py_None)
		Py_CLEAR(running);
	PyErr_Clear();
	return running;
}

bool fork_loop(void)
{
	PyObject *running = loop_running();

	Py_XDECREF(running);
	return running != NULL;
}

/* CPython 3.11 keeps it with the number of the process (Modules/_asynciomodule.c, rl_pid). */
static void loop_restore(void)
{
	PyObject *f = loop ? loop_function("_set_running_loop") : NULL, *r = f ? PyObject_CallOneArg(f, loop) : NULL;

	Py_XDECREF(r);
	Py_CLEAR(loop);
	PyErr_Clear();
}

/* ---- the fork ------------------------------------------------------------------------------------------------ */

enum { OMP_MAX = 8, OMP_HARD = 2 }; /* omp_pause_hard, OpenMP 5.0 */

static int add_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char **name = arg, *base = strrchr(info->dlpi_name, '/');
	int n = 0;

	(void)size;
	if (!base || !strstr(base, "omp"))
		return 0;
	while (n < OMP_MAX && name[n])
		n++;
	if (n < OMP_MAX)
		name[n] = info->dlpi_name;
	return 0;
}

/* The next parallel region makes the threads again. */
static void let_threads_go(void)
{
	const char *name[OMP_MAX] = { NULL };
	int (*pause)(int);
	void *lib;
	int i;

	dl_iterate_phdr(add_library, name);
	for (i = 0; i < OMP_MAX && name[i]; i++) {
		lib = dlopen(name[i], RTLD_NOLOAD | RTLD_LAZY);
		*(void **)&pause = lib ? dlsym(lib, "omp_pause_resource_all") : NULL;
		if (pause)
			pause(OMP_HARD);
		if (lib)
			dlclose(lib);
	}
}

pid_t fork_quietly(void)
{
	sigset_t all;
	pid_t pid;
	int i, e;

	let_threads_go();
	loop = loop_running();
	for (i = 0; i < TIMERS; i++)
		getitimer(timers[i], &timer[i]);
	quiet = true;
	PyOS_BeforeFork();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	pid = hidden_fork();
	if (pid == 0)
		return 0;
	e = errno;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	PyOS_AfterFork_Parent();
	Py_CLEAR(loop);
	quiet = false;
	errno = e;
	return pid;
}

/* ---- the child ----------------------------------------------------------------------------------------------- */

static bool makes_different(PyObject *f)
{
	PyObject *module;

	if (PyMethod_Check(f))
		f = PyMethod_GET_FUNCTION(f);
	module = PyFunction_Check(f) ? ((PyFunctionObject *)f)->func_module : NULL;
	return module && PyUnicode_Check(module) &&
	       (PyUnicode_CompareWithASCIIString(module, "random") == 0 ||
		PyUnicode_CompareWithASCIIString(module, "asyncio.events") == 0);
}

/* The executors whose workers are gone; owned.  Thread._args are those of _worker() in concurrent.futures.thread, whose
   first is a weak reference to the executor (CPython 3.11 to 3.15). */
static PyObject *pools_find(void)
{
	PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), "threading"), *list = PyList_New(0);
	PyObject *active = module && PyModule_Check(module) ?
				   PyDict_GetItemString(PyModule_GetDict(module), "_active") :
				   NULL;
	PyObject *key, *thread, *target, *args, *pool;
	Py_ssize_t at = 0;

	while (list && active && PyDict_Check(active) && PyDict_Next(active, &at, &key, &thread)) {
		target = plain_attr(thread, "_target");
		args = plain_attr(thread, "_args");
		if (!target || !PyFunction_Check(target) || !args || !PyTuple_Check(args) || !PyTuple_GET_SIZE(args) ||
		    !PyWeakref_Check(PyTuple_GET_ITEM(args, 0)) ||
		    !is_idle_worker(code_get((struct py_code *)PyFunction_GET_CODE(target))))
			continue;
		pool = PyObject_CallNoArgs(PyTuple_GET_ITEM(args, 0));
		if (pool && pool != Py_None)
			PyList_Append(list, pool);
		Py_XDECREF(pool);
	}
	PyErr_Clear();
	return list;
}

/* They have no worker now, so that the next work starts one. */
static void pools_restart(PyObject *list)
{
	PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), "threading"), *none, *idle;
	Py_ssize_t i;

	for (i = 0; list && module && i < PyList_GET_SIZE(list); i++) {
		none = PySet_New(NULL);
		idle = PyObject_CallMethod(module, "Semaphore", "i", 0);
		if (none && idle) {
			PyObject_SetAttrString(PyList_GET_ITEM(list, i), "_threads", none);
			PyObject_SetAttrString(PyList_GET_ITEM(list, i), "_idle_semaphore", idle);
		}
		Py_XDECREF(none);
		Py_XDECREF(idle);
	}
	PyErr_Clear();
}

/* The functions for a child that are to run here; owned.  NULL: there are none, or no memory for them. */
static PyObject *handlers_to_run(PyObject *all)
{
	PyObject *list = all && PyList_Check(all) ? PyList_New(0) : NULL;
	Py_ssize_t i;

	for (i = 0; list && i < PyList_GET_SIZE(all); i++)
		if (!makes_different(PyList_GET_ITEM(all, i)))
			PyList_Append(list, PyList_GET_ITEM(all, i));
	PyErr_Clear();
	return list;
}

/* Functions of atexit() that are older than this one do not run. */
static void leave(int status, void *unused)
{
	(void)unused;
	fflush(NULL);
	_exit(status);
}

void fork_woken(void)
{
	PyObject **slot = (PyObject **)py_at_fork_child(), *all = *slot, *some = handlers_to_run(all);
	PyObject *pools = pools_find();
	Py_ssize_t n = some ? PyList_GET_SIZE(some) : 0;
	int i;

	*slot = some;
	PyOS_AfterFork_Child();
	loop_restore();
	pools_restart(pools);
	Py_XDECREF(pools);
	for (; some && n < PyList_GET_SIZE(some); n++) /* registered by one of them */
		PyList_Append(all, PyList_GET_ITEM(some, n));
	*slot = all;
	Py_XDECREF(some);
	PyErr_Clear();
	for (i = 0; i < TIMERS; i++)
		setitimer(timers[i], &timer[i], NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	on_exit(leave, NULL);
	quiet = false;
}
