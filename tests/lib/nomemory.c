/* SPDX-License-Identifier: BSD-3-Clause */
/* An allocator for tests, as a Python module: the interpreter's allocations fail where a test requests it, in the
   thread that requested it.  Knows nothing of cdbg. */
#include <Python.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

/* The raw domain is left alone: CPython's allocator of small objects keeps its own tables there. */
static const PyMemAllocatorDomain domains[] = { PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ };
enum { DOMAINS = sizeof(domains) / sizeof(*domains) };

static PyMemAllocatorEx real[DOMAINS];
static bool hooked;
static volatile sig_atomic_t armed;
static long seen, first, last; /* allocations since fail(); those in [first, last) fail */
static pthread_t thread;

/* CPython's compiler frees what it has not got where it cannot allocate the tables of the code that it makes.  3.11:
   assemble_init() releases a_bytecode, and assemble(), which called it, does so again; 3.12: _PyCfgBuilder_Fini() of a
   builder that was not initialized.  On 3.11 compile("x", "s", "eval") in a loop crashes without a debugger.
   PyContextVar_Set() releases a token that it could not make. */
static bool in_broken(const Dl_info *at)
{
	return at->dli_sname &&
	       (!strcmp(at->dli_sname, "_PyAST_Compile") || !strcmp(at->dli_sname, "PyContextVar_Set"));
}

/* torch's binding (pybind11) dies where its own allocations fail: those that it makes do not. */
static bool excluded(void)
{
	void *frame[48];
	int n = backtrace(frame, 48), i;
	Dl_info at;

	for (i = 0; i < n; i++) {
		if (!dladdr(frame[i], &at) || !at.dli_fname)
			continue;
		if (in_broken(&at))
			return true;
		if (strstr(at.dli_fname, "/dynamo.so") || strstr(at.dli_fname, "/_cdbg.so"))
			return false;
		if (strstr(at.dli_fname, "/libtorch"))
			return true;
	}
	return false;
}

static bool fails(void)
{
	if (!armed || !pthread_equal(thread, pthread_self()))
		return false;
	seen++;
	return seen > first && seen <= last && !excluded();
}

static void *hook_malloc(void *ctx, size_t size)
{
	PyMemAllocatorEx *a = ctx;

	return fails() ? NULL : a->malloc(a->ctx, size);
}

static void *hook_calloc(void *ctx, size_t n, size_t size)
{
	PyMemAllocatorEx *a = ctx;

	return fails() ? NULL : a->calloc(a->ctx, n, size);
}

static void *hook_realloc(void *ctx, void *p, size_t size)
{
	PyMemAllocatorEx *a = ctx;

	return fails() ? NULL : a->realloc(a->ctx, p, size);
}

static void hook_free(void *ctx, void *p)
{
	PyMemAllocatorEx *a = ctx;

	a->free(a->ctx, p);
}

/* Whoever tests disarms it so: a question would meet allocations that fail. */
static void on_signal(int n)
{
	(void)n;
	armed = 0;
}

/* fail(first, count): until SIGUSR2 or stop(), `count` allocations fail, after `first` more that do not. */
static PyObject *mod_fail(PyObject *self, PyObject *args)
{
	long from, count;
	int i;

	(void)self;
	if (!PyArg_ParseTuple(args, "ll", &from, &count))
		return NULL;
	for (i = 0; !hooked && i < DOMAINS; i++) {
		PyMem_GetAllocator(domains[i], &real[i]);
		PyMem_SetAllocator(domains[i],
				   &(PyMemAllocatorEx){ &real[i], hook_malloc, hook_calloc, hook_realloc, hook_free });
	}
	if (!hooked)
		signal(SIGUSR2, on_signal);
	hooked = true;
	thread = pthread_self();
	seen = 0;
	first = from;
	last = from + count;
	armed = 1;
	Py_RETURN_NONE;
}

/* stop(): how many allocations there were since fail(). */
static PyObject *mod_stop(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	armed = 0;
	return PyLong_FromLong(seen);
}

static PyMethodDef methods[] = {
	{ "fail", mod_fail, METH_VARARGS, NULL },
	{ "stop", mod_stop, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, .m_name = "nomemory", .m_size = -1, .m_methods = methods };

PyMODINIT_FUNC PyInit_nomemory(void);
PyMODINIT_FUNC PyInit_nomemory(void)
{
	return PyModule_Create(&module);
}
