/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that is attached to begins a session: see attached.h.  What another process wrote into the page is text
   for cdbg's own command line. */
#include "config.h"
#include <Python.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "attach/page.h"
#include "attached.h"
#include "base/err.h"
#include "base/own_thread.h"
#include "engine/session.h"
#include "engine/stop.h"
#include "py/hook/hook.h"
#include "py/interp/gil_thread.h"
#include "py/interp/main_thread.h"
#include "py/value/value.h"

static struct page *waiting; /* for a main thread that is blocked; under the GIL */

/* The folder of the package that this shared object belongs to. */
static bool own_folder(char *out, size_t max)
{
	static const char here;
	const char *slash;
	Dl_info info;

	if (!dladdr(&here, &info) || !info.dli_fname || !(slash = strrchr(info.dli_fname, '/')))
		return false;
	snprintf(out, max, "%.*s", (int)(slash - info.dli_fname), info.dli_fname);
	return true;
}

static PyObject *import(const char *name)
{
	return PyImport_ImportModuleLevel(name, NULL, NULL, NULL, 0);
}

/* It need not be on the program's path. */
static PyObject *load_package(const char *folder)
{
	PyObject *outer = import("_frozen_importlib_external"), *inner = import("_frozen_importlib"), *spec = NULL;
	PyObject *make = outer ? PyObject_GetAttrString(outer, "spec_from_file_location") : NULL;
	PyObject *args = Py_BuildValue("(sN)", "cdbg", PyUnicode_FromFormat("%s/__init__.py", folder));
	PyObject *names = Py_BuildValue("{s:[s]}", "submodule_search_locations", folder), *package = NULL;

	if (make && inner && args && names)
		spec = PyObject_Call(make, args, names);
	if (spec)
		package = PyObject_CallMethod(inner, "_load", "O", spec);
	Py_XDECREF(names);
	Py_XDECREF(args);
	Py_XDECREF(make);
	Py_XDECREF(spec);
	Py_XDECREF(inner);
	Py_XDECREF(outer);
	return package;
}

/* Is this file in that folder, whatever links lead to it? */
static bool is_in(const char *file, const char *folder)
{
	char name[PATH_MAX], theirs[PATH_MAX], ours[PATH_MAX];
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (!slash || snprintf(name, sizeof(name), "%.*s", (int)(slash - file), file) >= (int)sizeof(name))
		return false;
	return realpath(name, theirs) && realpath(folder, ours) && !strcmp(theirs, ours);
}

/* The program may have imported one, and it is this one then. */
static PyObject *own_package(void)
{
	PyObject *package = PyDict_GetItemString(PyImport_GetModuleDict(), "cdbg"), *file;
	char folder[PATH_MAX];
	const char *name;
	bool ours;

	if (!own_folder(folder, sizeof(folder)))
		return PyErr_Format(PyExc_RuntimeError, "cdbg cannot find its own folder");
	if (!package)
		return load_package(folder);
	file = PyObject_GetAttrString(package, "__file__");
	name = file ? PyUnicode_AsUTF8(file) : NULL;
	ours = is_in(name, folder);
	if (!ours)
		PyErr_Format(PyExc_RuntimeError, "the program has imported another cdbg, '%s': attach with that one",
			     name ? name : "?");
	Py_XDECREF(file);
	return ours ? Py_NewRef(package) : NULL;
}

static PyObject *words_of(const struct page *p)
{
	PyObject *list = PyList_New(0), *word;
	const char *w;

	for (w = p->words; list && *w; w += strlen(w) + 1) {
		word = PyUnicode_DecodeFSDefault(w);
		if (!word || PyList_Append(list, word) < 0)
			Py_CLEAR(list);
		Py_XDECREF(word);
	}
	return list;
}

/* Who asked for this has gone since: nobody would serve the session. */
static bool nobody_waits(int channel)
{
	struct pollfd p = { .fd = channel, .events = POLLIN };

	return channel >= 0 && poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static void tell(struct page *p, const char *text, enum page_state state)
{
	snprintf(p->text, sizeof(p->text), "%s", text);
	atomic_store(&p->state, state);
}

/* What leads to the other process is the session's now, or nobody's. */
static void close_channel(const struct page *p)
{
	if (p->channel >= 0)
		close(p->channel);
}

/* With the GIL, no exception pending; in the main thread, or in one of cdbg's own. */
static void begin(struct page *p)
{
	void *evaluator = hook_evaluator_off();
	PyObject *package = own_package(), *words = words_of(p), *where = NULL, *bytes = NULL;
	struct err err;

	if (package && words)
		where = PyObject_CallMethod(package, "_attached", "Oi", words, (int)p->channel);
	hook_evaluator_on(evaluator);
	if (where && p->channel >= 0)
		hook_interrupt(); /* the session begins with a stop */
	if (!where)
		err_from_python(&err, "cannot attach");
	else if (PyUnicode_Check(where))
		bytes = PyUnicode_EncodeFSDefault(where);
	if (where)
		snprintf(err.text, sizeof(err.text), "%s", bytes ? PyBytes_AS_STRING(bytes) : "");
	PyErr_Clear();
	close_channel(p);
	tell(p, err.text, where ? PAGE_DONE : PAGE_FAILED);
	Py_XDECREF(bytes);
	Py_XDECREF(where);
	Py_XDECREF(words);
	Py_XDECREF(package);
}

int attached_pending(struct page *p)
{
	uint32_t queued = PAGE_QUEUED;
	PyObject *type, *value, *tb;

	waiting = NULL; /* the page goes when this has been done */
	if (!atomic_compare_exchange_strong(&p->state, &queued, PAGE_BEGUN))
		return 0;
	if (p->version != PAGE_VERSION) {
		close_channel(p);
		tell(p, "the cdbg of the process is of another version: attach with that one", PAGE_FAILED);
	} else if (nobody_waits(p->channel)) {
		close_channel(p);
		tell(p, "nobody waits any more", PAGE_FAILED);
	} else {
		PyErr_Fetch(&type, &value, &tb);
		begin(p);
		PyErr_Restore(type, value, tb);
	}
	return 0;
}

/* ---- a page that both processes map ------------------------------------------------------------------------------ */

/* One end of a pair of sockets is the other process's, which fetches it. */
static bool lend(struct page *p)
{
	enum { PATIENCE = 5000 };
	uint32_t queued = PAGE_QUEUED, lent = PAGE_LENT;
	int pair[2], i;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	p->channel = pair[1];
	p->lent = pair[0];
	if (!atomic_compare_exchange_strong(&p->state, &queued, PAGE_LENT))
		lent = queued;
	for (i = 0; i < PATIENCE && lent == PAGE_LENT && atomic_load(&p->state) == PAGE_LENT; i++) {
		Py_BEGIN_ALLOW_THREADS
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		Py_END_ALLOW_THREADS
	}
	close(pair[0]);
	lent = PAGE_LENT;
	if (!atomic_compare_exchange_strong(&p->state, &lent, PAGE_CANCELLED) && lent == PAGE_QUEUED)
		return true;
	close(pair[1]);
	return false;
}

void attached_page(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	const uint32_t other = PAGE_NO_LIBRARY;
	void *at = MAP_FAILED;
	struct page *p;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size == (off_t)sizeof(*p))
		at = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0 && at == MAP_FAILED && pwrite(fd, &other, sizeof(other), offsetof(struct page, state)) < 0)
		at = MAP_FAILED; /* nobody is there any more */
	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED)
		return;
	p = at;
	if (p->version != PAGE_VERSION || !p->wants || lend(p))
		attached_pending(p);
	munmap(at, sizeof(*p));
}

/* ---- a main thread that is blocked ------------------------------------------------------------------------------- */

/* In the main thread. */
static void begin_waiting(void)
{
	struct page *p = waiting;

	waiting = NULL;
	if (p)
		attached_pending(p);
}

static void give_gil(int ms)
{
	Py_BEGIN_ALLOW_THREADS
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL);
	Py_END_ALLOW_THREADS
}

/* Has it come meanwhile?  It gets the GIL if it wants it.  Ranks are attached to one after the other. */
static bool main_thread_comes(bool rank)
{
	enum { LOOKS = 30, RANK_LOOKS = 10, LOOK_MS = 10 };
	int looks = rank ? RANK_LOOKS : LOOKS;
	int i;

	for (i = 0; i < looks && waiting; i++)
		give_gil(LOOK_MS);
	return !waiting;
}

/* On a terminal: while the session lasts, this thread serves the stops to which the main thread does not come. */
static void stand_in(void)
{
	enum { LOOK_MS = 50, LATE = 4 };
	struct session *s = session_living(), *now = s;
	int late = 0;

	while (s && now == s) {
		late = hook_interrupt_waits() ? late + 1 : 0;
		if (late >= LATE && gil_thread_main_waits())
			session_stand_in(s, "runs C code", hook_interrupt_waits);
		give_gil(LOOK_MS);
		now = session_living();
	}
	hook_thread_leave();
}

/* The main thread does not come while C code made the system call, or no signal that the program leaves to Python leads
   out of it.  The session begins here then, and its first stop stands in for one of the main thread. */
static void *fetch(void *arg)
{
	struct page *p = arg;
	PyGILState_STATE state = PyGILState_Ensure();
	bool terminal = p->channel >= 0, here = false;

	if (atomic_load(&p->state) == PAGE_QUEUED) {
		waiting = p;
		main_thread_fetch(begin_waiting);
		here = !main_thread_comes(!strcmp(p->words, "--attached-rank"));
	}
	if (here)
		attached_pending(p);
	/* the queue of pending calls, which nobody comes to, knows the page */
	atomic_store(&p->threads, here ? PAGE_STAYS : 0);
	if (here && terminal)
		stand_in();
	PyGILState_Release(state);
	return NULL;
}

int attached_thread(struct page *p)
{
	atomic_store(&p->threads, 1);
	if (own_thread_start(NULL, fetch, p))
		atomic_store(&p->threads, 0);
	return 0;
}
