/* SPDX-License-Identifier: BSD-3-Clause */
/* Timeouts of process groups: see group_timeout.h.  The functions that torch's init_process_group() and new_group()
   call have stand-ins in torch.distributed.distributed_c10d, which make no frame: a timeout that the program gave is
   checked before, so it sees its own errors (torch 2.13).  A backend tells its timeout in options._timeout, and takes
   another by _set_default_timeout(), as torch's _set_pg_timeout() does, which warns where there is none. */
#include <Python.h>
#include "plugin.h"
#include "group_timeout.h"

#define MODULE "torch.distributed.distributed_c10d"

/* A function with a timeout. */
struct waiting {
	const char *name;
	Py_ssize_t at; /* of its argument `timeout`, where that can be positional; -1 */
	bool makes;    /* it makes a group, the first of what it returns */
	PyObject *original, *ours;
};

static struct waiting waiting[] = {
	{ .name = "_new_process_group_helper", .at = 7, .makes = true },
	{ .name = "_store_based_barrier", .at = 4 },
	{ .name = "rendezvous", .at = -1 },
};
enum { WAITING = sizeof(waiting) / sizeof(*waiting) };

static const struct cdbg_host *host;
static PyObject *day;  /* datetime.timedelta(days=1), for good */
static PyObject *kept; /* the program's timeout of each group by its name, while they are raised; or NULL */
static bool told;

static void tell(const char *why)
{
	struct buf b = { 0 };

	if (!told) {
		buf_addf(&b,
			 "collective-timeout: this torch %s: groups keep their timeouts, and a rank that stands at a "
			 "stop for longer fails the others",
			 why);
		host->talk.note(1, b.s); /* NOTE_WARNING */
	}
	told = true;
	buf_release(&b);
}

/* ---- groups ------------------------------------------------------------------------------------- */

static PyObject *timeout_of(PyObject *backend)
{
	PyObject *options = PyObject_GetAttrString(backend, "options");
	PyObject *timeout = options ? PyObject_GetAttrString(options, "_timeout") : NULL;

	PyErr_Clear();
	Py_XDECREF(options);
	return timeout;
}

static void set_timeout(PyObject *backend, PyObject *timeout)
{
	PyObject *r = PyObject_CallMethod(backend, "_set_default_timeout", "O", timeout);

	PyErr_Clear();
	Py_XDECREF(r);
}

/* Raised: from the program's timeout to a day.  Else back, if it still is a day. */
static void change_backend(PyObject *backend, PyObject *name, bool raised)
{
	PyObject *now = timeout_of(backend), *own = PyDict_GetItemWithError(kept, name);
	bool ours = now && PyObject_RichCompareBool(now, day, Py_EQ) == 1;

	if (!now || !PyObject_HasAttrString(backend, "_set_default_timeout")) {
		if (raised)
			tell("cannot change the timeout of a backend");
	} else if (raised && !ours) {
		PyDict_SetItem(kept, name, now);
		set_timeout(backend, day);
	} else if (!raised && ours && own) {
		set_timeout(backend, own);
	}
	PyErr_Clear();
	Py_XDECREF(now);
}

static void change_group(PyObject *group, bool raised)
{
	PyObject *name = PyObject_GetAttrString(group, "group_name");
	PyObject *devices = name ? PyObject_GetAttrString(group, "_device_types") : NULL, *backend;
	Py_ssize_t i, n = devices && PyList_Check(devices) ? PyList_GET_SIZE(devices) : 0;

	for (i = 0; i < n; i++) {
		backend = PyObject_CallMethod(group, "_get_backend", "O", PyList_GET_ITEM(devices, i));
		PyErr_Clear();
		if (backend)
			change_backend(backend, name, raised);
		Py_XDECREF(backend);
	}
	PyErr_Clear();
	Py_XDECREF(devices);
	Py_XDECREF(name);
}

static void change_groups(PyObject *module, bool raised)
{
	PyObject *world = PyObject_GetAttrString(module, "_world");
	PyObject *map = world ? PyObject_GetAttrString(world, "pg_map") : NULL;
	PyObject *groups = map && PyDict_Check(map) ? PyDict_Keys(map) : NULL;
	Py_ssize_t i, n = groups ? PyList_GET_SIZE(groups) : 0;

	PyErr_Clear();
	for (i = 0; i < n; i++)
		change_group(PyList_GET_ITEM(groups, i), raised);
	Py_XDECREF(groups);
	Py_XDECREF(map);
	Py_XDECREF(world);
}

/* ---- groups that are made ----------------------------------------------------------------------- */

/* The timeout that a call is given: borrowed, or NULL. */
static PyObject *given(const struct waiting *w, PyObject *args, PyObject *names)
{
	if (w->at >= 0 && PyTuple_GET_SIZE(args) > w->at)
		return PyTuple_GET_ITEM(args, w->at);
	return names ? PyDict_GetItemString(names, "timeout") : NULL;
}

/* The call with a day in place of its timeout; new references.  -1: no memory. */
static int with_day(const struct waiting *w, PyObject **args, PyObject **names)
{
	Py_ssize_t i, n = PyTuple_GET_SIZE(*args);
	PyObject *all;

	if (w->at < 0 || n <= w->at) {
		*names = PyDict_Copy(*names);
		Py_INCREF(*args);
		return *names ? PyDict_SetItemString(*names, "timeout", day) : -1;
	}
	all = PyTuple_New(n);
	for (i = 0; all && i < n; i++)
		PyTuple_SET_ITEM(all, i, Py_NewRef(i == w->at ? day : PyTuple_GET_ITEM(*args, i)));
	Py_XINCREF(*names);
	*args = all;
	return all ? 0 : -1;
}

static void keep_timeout(PyObject *result, PyObject *timeout)
{
	PyObject *group = PyTuple_Check(result) && PyTuple_GET_SIZE(result) ? PyTuple_GET_ITEM(result, 0) : NULL;
	PyObject *name = group ? PyObject_GetAttrString(group, "group_name") : NULL;

	if (name && kept)
		PyDict_SetItem(kept, name, timeout);
	PyErr_Clear();
	Py_XDECREF(name);
}

static PyObject *call(struct waiting *w, PyObject *args, PyObject *names)
{
	PyObject *timeout = given(w, args, names), *original = Py_NewRef(w->original), *result = NULL;

	if (!kept || !timeout || !PyObject_TypeCheck(timeout, Py_TYPE(day))) {
		result = PyObject_Call(original, args, names);
		Py_DECREF(original);
		return result;
	}
	Py_INCREF(timeout);
	if (with_day(w, &args, &names) == 0)
		result = PyObject_Call(original, args, names);
	if (result && w->makes)
		keep_timeout(result, timeout);
	Py_DECREF(timeout);
	Py_XDECREF(args);
	Py_XDECREF(names);
	Py_DECREF(original);
	return result;
}

static PyObject *make_group(PyObject *self, PyObject *args, PyObject *names)
{
	(void)self;
	return call(&waiting[0], args, names);
}

static PyObject *wait_for_all(PyObject *self, PyObject *args, PyObject *names)
{
	(void)self;
	return call(&waiting[1], args, names);
}

static PyObject *meet(PyObject *self, PyObject *args, PyObject *names)
{
	(void)self;
	return call(&waiting[2], args, names);
}

static PyMethodDef stand_ins[WAITING] = {
	{ "_new_process_group_helper", (PyCFunction)(void *)make_group, METH_VARARGS | METH_KEYWORDS, NULL },
	{ "_store_based_barrier", (PyCFunction)(void *)wait_for_all, METH_VARARGS | METH_KEYWORDS, NULL },
	{ "rendezvous", (PyCFunction)(void *)meet, METH_VARARGS | METH_KEYWORDS, NULL },
};

static void replace(PyObject *module, size_t i)
{
	struct waiting *w = &waiting[i];

	Py_XSETREF(w->original, PyObject_GetAttrString(module, w->name));
	w->ours = w->original ? PyCFunction_New(&stand_ins[i], NULL) : NULL;
	if (!w->original)
		tell("makes process groups in another way");
	if (w->ours)
		PyObject_SetAttrString(module, w->name, w->ours);
	PyErr_Clear();
}

/* A call that goes on has its own reference to the original. */
static void put_back(PyObject *module, struct waiting *w)
{
	PyObject *now = w->ours ? PyObject_GetAttrString(module, w->name) : NULL;

	if (now && now == w->ours)
		PyObject_SetAttrString(module, w->name, w->original);
	PyErr_Clear();
	Py_CLEAR(w->ours);
	Py_XDECREF(now);
}

/* ---- on and off --------------------------------------------------------------------------------- */

static bool make_day(void)
{
	PyObject *datetime = day ? NULL : PyImport_ImportModuleLevel("datetime", NULL, NULL, NULL, 0);
	PyObject *type = datetime ? PyObject_GetAttrString(datetime, "timedelta") : NULL;

	if (type)
		day = PyObject_CallFunction(type, "i", 1);
	PyErr_Clear();
	Py_XDECREF(type);
	Py_XDECREF(datetime);
	return day != NULL;
}

void group_timeout(const struct cdbg_host *given_host, bool on)
{
	PyObject *name = PyUnicode_FromString(MODULE), *module = name ? PyImport_GetModule(name) : NULL;
	size_t i;

	host = given_host;
	if (module && on && !kept && make_day() && (kept = PyDict_New())) {
		for (i = 0; i < WAITING; i++)
			replace(module, i);
		change_groups(module, true);
	} else if (module && !on && kept) {
		for (i = 0; i < WAITING; i++)
			put_back(module, &waiting[i]);
		change_groups(module, false);
		Py_CLEAR(kept);
	}
	PyErr_Clear();
	Py_XDECREF(module);
	Py_XDECREF(name);
}
