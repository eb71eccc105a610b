/* SPDX-License-Identifier: BSD-3-Clause */
/* An allocator for tests, as a Python module: the interpreter's allocations fail where a test requests it, in the
   thread that requested it.  Knows nothing of cdbg. */
#include <Python.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
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

/* torch's binding (pybind11) and the random generators of NumPy (Cython) die where their own allocations fail: those that
   they make do not. */
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
		if (strstr(at.dli_fname, "/libtorch") || strstr(at.dli_fname, "/numpy/random/"))
			return true;
	}
	return false;
}

/* A point is a way by which cdbg's own code comes to an allocation: the functions of the interpreter up to it and the
   functions of cdbg that called them.  Where Python code runs between them, only those of cdbg count: all that can fail in
   there comes back to cdbg as one exception. */
enum { POINTS = 1 << 14, FRAMES = 64, OWN_FRAMES = 6 };
static struct {
	uint64_t name;
	long at; /* the allocation that reached it first */
} points[POINTS];
static int point_count;
static bool recording;
static uint64_t wanted; /* the point whose allocation fails; 0 when allocations fail by number */
static long failing;	/* allocations that the point still takes */
static bool met;

enum owner { OTHER, OWN, EVAL };

static enum owner find_owner(void *address)
{
	Dl_info at;

	if (!dladdr(address, &at) || !at.dli_fname)
		return OTHER;
	if (strstr(at.dli_fname, "/dynamo.so") || strstr(at.dli_fname, "/_cdbg.so") ||
	    strstr(at.dli_fname, "/tensor.so"))
		return OWN;
	return at.dli_sname && !strcmp(at.dli_sname, "_PyEval_EvalFrameDefault") ? EVAL : OTHER;
}

/* dladdr() reads all symbols of a library: what it said is kept. */
static enum owner owner_of(void *address)
{
	static struct {
		void *address;
		enum owner owner;
	} kept[1 << 16];
	size_t n = ((uintptr_t)address * 0x9e3779b97f4a7c15u) >> 48;

	if (kept[n].address != address) {
		kept[n].owner = find_owner(address);
		kept[n].address = address;
	}
	return kept[n].owner;
}

static uint64_t mixed(uint64_t name, void *address)
{
	return (name ^ (uintptr_t)address) * 0x100000001b3u;
}

/* The name of the point where we are; 0 when no code of cdbg is near. */
static uint64_t point_name(void)
{
	void *frame[FRAMES];
	int n = backtrace(frame, FRAMES), own = 0, i;
	uint64_t name = 0xcbf29ce484222325u;
	bool python = false;

	for (i = 2; i < n && own < OWN_FRAMES; i++) {
		switch (owner_of(frame[i])) {
		case OWN:
			own++;
			name = mixed(name, frame[i]);
			break;
		case EVAL:
			if (own)
				return name;
			python = true;
			name = 1;
			break;
		case OTHER:
			if (own)
				return name;
			if (!python)
				name = mixed(name, frame[i]);
		}
	}
	return own ? name : 0;
}

static void record_point(void)
{
	uint64_t name = point_name();
	int i;

	for (i = 0; i < point_count && points[i].name != name; i++)
		;
	if (!name || i < point_count || i == POINTS)
		return;
	points[i].name = name;
	points[i].at = seen;
	point_count++;
}

static bool at_point(void)
{
	if (!met && seen > first && point_name() == wanted)
		met = true;
	return met && failing > 0 && failing-- > 0 && !excluded();
}

static bool fails(void)
{
	if (!armed || !pthread_equal(thread, pthread_self()))
		return false;
	seen++;
	if (recording)
		record_point();
	else if (wanted)
		return at_point();
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

static void start(long from, long count)
{
	int i;

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
}

/* fail(first, count): until SIGUSR2 or stop(), `count` allocations fail, after `first` more that do not. */
static PyObject *mod_fail(PyObject *self, PyObject *args)
{
	long from, count;

	(void)self;
	if (!PyArg_ParseTuple(args, "ll", &from, &count))
		return NULL;
	recording = false;
	wanted = 0;
	start(from, count);
	Py_RETURN_NONE;
}

/* record(): until stop(), points are collected. */
static PyObject *mod_record(PyObject *self, PyObject *unused)
{
	void *frame[1];

	(void)self;
	(void)unused;
	backtrace(frame, 1); /* it loads a library when it is called first */
	recording = true;
	wanted = 0;
	point_count = 0;
	start(0, 0);
	Py_RETURN_NONE;
}

/* points(): how many record() found. */
static PyObject *mod_points(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyLong_FromLong(point_count);
}

/* fail_point(n, count): as fail(), from the first allocation at the n-th point on. */
static PyObject *mod_fail_point(PyObject *self, PyObject *args)
{
	long n, count, from;

	(void)self;
	if (!PyArg_ParseTuple(args, "ll", &n, &count))
		return NULL;
	if (n < 0 || n >= point_count)
		return PyErr_Format(PyExc_IndexError, "there are %d points", point_count);
	recording = false;
	wanted = points[n].name;
	failing = count;
	met = false;
	from = points[n].at - points[n].at / 4 - 200; /* not each run makes the same allocations before it */
	start(from > 0 ? from : 0, 0);
	Py_RETURN_NONE;
}

/* stop(): how many allocations there were since fail(); -1 when the point of fail_point() was not reached. */
static PyObject *mod_stop(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	armed = 0;
	return PyLong_FromLong(wanted && !met ? -1 : seen);
}

static PyMethodDef methods[] = {
	{ "fail", mod_fail, METH_VARARGS, NULL },    { "fail_point", mod_fail_point, METH_VARARGS, NULL },
	{ "record", mod_record, METH_NOARGS, NULL }, { "points", mod_points, METH_NOARGS, NULL },
	{ "stop", mod_stop, METH_NOARGS, NULL },     { NULL, NULL, 0, NULL },
};

static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, .m_name = "nomemory", .m_size = -1, .m_methods = methods };

PyMODINIT_FUNC PyInit_nomemory(void);
PyMODINIT_FUNC PyInit_nomemory(void)
{
	return PyModule_Create(&module);
}
