/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter as a whole: see host.h. */
#include <Python.h>
#include <stdbool.h>
#include <string.h>
#include <structmember.h>
#include <time.h>
#include "base/buf.h"
#include "py/interp/host.h"
#include "py/interp/interp.h"
#include "py/value/value.h"

const char *host_version(void)
{
	static char text[32];
	size_t n = strcspn(Py_GetVersion(), " +");

	if (n >= sizeof(text))
		n = sizeof(text) - 1;
	memcpy(text, Py_GetVersion(), n);
	return text;
}

struct py_obj *host_builtins(void)
{
	static PyObject *kept; /* owned, for good */
	PyObject *module = kept ? NULL : PyImport_ImportModuleLevel("builtins", NULL, NULL, NULL, 0);

	if (module && PyModule_Check(module))
		kept = PyDict_Copy(PyModule_GetDict(module));
	else if (module)
		PyErr_SetString(PyExc_ImportError, "the module builtins was replaced");
	Py_XDECREF(module);
	return (struct py_obj *)kept;
}

int host_pause(int ms, struct err *err)
{
	const struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	Py_BEGIN_ALLOW_THREADS
	nanosleep(&pause, NULL);
	Py_END_ALLOW_THREADS
	return PyErr_CheckSignals() < 0 ? err_from_python(err, "interrupted") : 0;
}

char *host_linecache(const char *name, size_t max)
{
	/* owned, released at the end */
	PyObject *module = PyImport_ImportModuleLevel("linecache", NULL, NULL, NULL, 0);
	PyObject *file = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "surrogateescape");
	PyObject *lines = module && file ? PyObject_CallMethod(module, "getlines", "O", file) : NULL;
	PyObject *none = PyUnicode_FromString("");
	PyObject *whole = lines && none ? PyUnicode_Join(none, lines) : NULL;
	struct buf text = { 0 };
	char *found = NULL;

	if (whole && value_str((struct py_obj *)whole, &text, max, NULL) == 0 && text.len)
		found = buf_detach(&text);
	PyErr_Clear();
	buf_release(&text);
	Py_XDECREF(whole);
	Py_XDECREF(none);
	Py_XDECREF(lines);
	Py_XDECREF(file);
	Py_XDECREF(module);
	return found;
}

/* Only the types of _io at every level: a subclass may define flush() in the program. */
static PyTypeObject *text_type, *writer_type, *file_type;
static Py_ssize_t buffer_at, raw_at; /* where a text stream has its buffer, and a buffer its file; 0: not known */

static PyTypeObject *type_of_io(PyObject *io, const char *name)
{
	PyObject *t = PyObject_GetAttrString(io, name);

	if (t && !PyType_Check(t))
		Py_CLEAR(t);
	return (PyTypeObject *)t; /* kept for good */
}

/* The bytes from an object of this type to its member that is an object. */
static Py_ssize_t member_offset(PyTypeObject *t, const char *name)
{
	PyObject *member = t ? PyObject_GetAttrString((PyObject *)t, name) : NULL;
	const PyMemberDef *def = NULL;

	if (member && Py_IS_TYPE(member, &PyMemberDescr_Type))
		def = ((PyMemberDescrObject *)member)->d_member;
	Py_XDECREF(member); /* its type has it, too */
	return def && (def->type == T_OBJECT || def->type == T_OBJECT_EX) ? def->offset : 0;
}

static bool know_types(void)
{
	PyObject *io;

	if (file_type)
		return true;
	io = PyImport_ImportModuleLevel("_io", NULL, NULL, NULL, 0);
	if (!io)
		return false;
	text_type = type_of_io(io, "TextIOWrapper");
	writer_type = type_of_io(io, "BufferedWriter");
	file_type = type_of_io(io, "FileIO");
	Py_DECREF(io);
	buffer_at = member_offset(text_type, "buffer");
	raw_at = member_offset(writer_type, "raw");
	return text_type && writer_type && file_type;
}

/* Streams are flushed several times at a stop. */
enum { NAME_FLUSH, NAME_STDOUT, NAME_STDERR, NAME_BUFFER, NAME_RAW, NAMES };
static PyObject *name_of[NAMES]; /* owned, kept for good */
static PyObject *sys_names;	 /* owned: the dictionary of the module sys; NULL: not known */

static bool know_names(void)
{
	static const char *const text[NAMES] = { "flush", "stdout", "stderr", "buffer", "raw" };
	PyObject *sys;
	int i;

	for (i = 0; i < NAMES; i++)
		if (!name_of[i] && !(name_of[i] = PyUnicode_InternFromString(text[i])))
			return false;
	if (sys_names)
		return true;
	sys = PyImport_ImportModuleLevel("sys", NULL, NULL, NULL, 0);
	/* the program may have put another module in its place */
	if (sys && PyModule_CheckExact(sys) && PyDict_Contains(PyModule_GetDict(sys), name_of[NAME_STDOUT]) == 1 &&
	    PyDict_GetItem(PyModule_GetDict(sys), name_of[NAME_STDOUT]) == PySys_GetObject("stdout") &&
	    PyDict_GetItemString(PyModule_GetDict(sys), "modules") == PySys_GetObject("modules"))
		sys_names = Py_NewRef(PyModule_GetDict(sys));
	Py_XDECREF(sys);
	PyErr_Clear();
	return true;
}

/* Borrowed; NULL: the program deleted it. */
static PyObject *standard_stream(int name)
{
	if (sys_names)
		return PyDict_GetItemWithError(sys_names, name_of[name]);
	return PySys_GetObject(name == NAME_STDOUT ? "stdout" : "stderr");
}

/* Borrowed; NULL: there is none, as in a stream that was detached.  In CPython 3.14.10 it is no member of the struct
   that can be read at an offset, but a getter in C of a type that the program cannot change. */
static PyObject *member(PyObject *o, Py_ssize_t at, int name)
{
	PyObject *value;

	if (at)
		return *(PyObject **)((char *)o + at);
	value = PyObject_GetAttr(o, name_of[name]);
	if (!value)
		PyErr_Clear();
	Py_XDECREF(value); /* o has it, too */
	return value;
}

static bool is_plain_stream(PyObject *stream)
{
	PyObject *buffer, *raw;

	if (!stream || Py_TYPE(stream) != text_type)
		return false;
	buffer = member(stream, buffer_at, NAME_BUFFER);
	raw = buffer && Py_TYPE(buffer) == writer_type ? member(buffer, raw_at, NAME_RAW) : NULL;
	return raw && Py_TYPE(raw) == file_type;
}

void host_pending_keep(struct host_pending *p)
{
	PyErr_Fetch((PyObject **)&p->exc[0], (PyObject **)&p->exc[1], (PyObject **)&p->exc[2]);
}

void host_pending_give_back(struct host_pending *p)
{
	PyErr_Clear();
	PyErr_Restore(p->exc[0], p->exc[1], p->exc[2]);
}

void host_flush(void)
{
	PyObject *type, *value, *tb, *stream, *r;
	int i;

	if (!interp_ours()) /* each interpreter has its own types */
		return;
	PyErr_Fetch(&type, &value, &tb);
	for (i = NAME_STDOUT; i <= NAME_STDERR && know_types() && know_names(); i++) {
		stream = standard_stream(i);
		if (!is_plain_stream(stream)) {
			PyErr_Clear();
			continue;
		}
		Py_INCREF(stream);
		r = PyObject_CallMethodNoArgs(stream, name_of[NAME_FLUSH]);
		Py_XDECREF(r); /* the program closed it or its descriptor */
		Py_DECREF(stream);
		PyErr_Clear();
	}
	PyErr_Restore(type, value, tb);
}

bool host_in_kernel(void)
{
	struct host_pending pending;
	PyObject *out = PySys_GetObject("stdout"); /* borrowed */
	PyObject *module;
	const char *name;
	bool yes;

	host_pending_keep(&pending);
	module = out ? PyObject_GetAttrString((PyObject *)Py_TYPE(out), "__module__") : NULL;
	name = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
	yes = name && !strncmp(name, "ipykernel.", strlen("ipykernel."));
	Py_XDECREF(module);
	host_pending_give_back(&pending);
	return yes;
}

bool host_at_prompt(void)
{
	return PySys_GetObject("ps1") || PyDict_GetItemString((PyObject *)host_builtins(), "get_ipython");
}

void host_write(const char *text, size_t n)
{
	struct host_pending pending;
	PyObject *out, *s, *r;

	host_pending_keep(&pending);
	out = Py_XNewRef(PySys_GetObject("stdout"));
	s = PyUnicode_DecodeUTF8(text, (Py_ssize_t)n, "replace");
	r = out && s ? PyObject_CallMethod(out, "write", "O", s) : NULL;
	Py_XDECREF(r);
	PyErr_Clear();
	r = out ? PyObject_CallMethod(out, "flush", NULL) : NULL;
	Py_XDECREF(r);
	Py_XDECREF(s);
	Py_XDECREF(out);
	host_pending_give_back(&pending);
}

char *host_input(const char *prompt, bool *interrupted)
{
	struct host_pending pending;
	PyObject *builtins, *r = NULL;
	const char *text;
	char *line = NULL;

	host_pending_keep(&pending);
	builtins = PyImport_ImportModuleLevel("builtins", NULL, NULL, NULL, 0);
	if (builtins)
		r = PyObject_CallMethod(builtins, "input", "s", prompt);
	*interrupted = !r && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
	text = r && PyUnicode_Check(r) ? PyUnicode_AsUTF8(r) : NULL;
	if (text)
		line = mem_str(text);
	Py_XDECREF(r);
	Py_XDECREF(builtins);
	host_pending_give_back(&pending);
	return line;
}

bool host_handles_signal(int sig)
{
	/* owned, released at the end; a pending exception stays pending */
	PyObject *type, *value, *tb, *module, *handler;
	bool yes;

	PyErr_Fetch(&type, &value, &tb);
	module = PyImport_ImportModuleLevel("_signal", NULL, NULL, NULL, 0);
	handler = module ? PyObject_CallMethod(module, "getsignal", "i", sig) : NULL;
	yes = handler && PyCallable_Check(handler);
	PyErr_Clear();
	Py_XDECREF(handler);
	Py_XDECREF(module);
	PyErr_Restore(type, value, tb);
	return yes;
}
