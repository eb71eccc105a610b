/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter as a whole: see host.h. */
#include <Python.h>
#include <stdbool.h>
#include <string.h>
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

char *host_linecache(const char *name, size_t max)
{
	/* owned, released at the end */
	PyObject *module = PyImport_ImportModule("linecache");
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

static PyTypeObject *type_of_io(PyObject *io, const char *name)
{
	PyObject *t = PyObject_GetAttrString(io, name);

	if (t && !PyType_Check(t))
		Py_CLEAR(t);
	return (PyTypeObject *)t; /* kept for good */
}

static bool know_types(void)
{
	PyObject *io;

	if (file_type)
		return true;
	io = PyImport_ImportModule("_io");
	if (!io)
		return false;
	text_type = type_of_io(io, "TextIOWrapper");
	writer_type = type_of_io(io, "BufferedWriter");
	file_type = type_of_io(io, "FileIO");
	Py_DECREF(io);
	return text_type && writer_type && file_type;
}

/* Streams are flushed several times at a stop. */
enum { NAME_BUFFER, NAME_RAW, NAME_FLUSH, NAME_STDOUT, NAME_STDERR, NAMES };
static PyObject *flush_name[NAMES]; /* owned, kept for good */
static PyObject *sys_names;	    /* owned: the dictionary of the module sys; NULL: not known */

static bool know_names(void)
{
	static const char *const text[NAMES] = { "buffer", "raw", "flush", "stdout", "stderr" };
	PyObject *sys;
	int i;

	for (i = 0; i < NAMES; i++)
		if (!flush_name[i] && !(flush_name[i] = PyUnicode_InternFromString(text[i])))
			return false;
	if (sys_names)
		return true;
	sys = PyImport_ImportModule("sys");
	/* the program may have put another module in its place */
	if (sys && PyModule_CheckExact(sys) && PyDict_Contains(PyModule_GetDict(sys), flush_name[NAME_STDOUT]) == 1 &&
	    PyDict_GetItem(PyModule_GetDict(sys), flush_name[NAME_STDOUT]) == PySys_GetObject("stdout") &&
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
		return PyDict_GetItemWithError(sys_names, flush_name[name]);
	return PySys_GetObject(name == NAME_STDOUT ? "stdout" : "stderr");
}

static bool is_plain_stream(PyObject *stream)
{
	PyObject *buffer = NULL, *raw = NULL;
	bool plain = false;

	if (!stream || Py_TYPE(stream) != text_type)
		return false;
	buffer = PyObject_GetAttr(stream, flush_name[NAME_BUFFER]);
	if (buffer && Py_TYPE(buffer) == writer_type)
		raw = PyObject_GetAttr(buffer, flush_name[NAME_RAW]);
	plain = raw && Py_TYPE(raw) == file_type;
	Py_XDECREF(raw);
	Py_XDECREF(buffer);
	return plain;
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
		r = PyObject_CallMethodNoArgs(stream, flush_name[NAME_FLUSH]);
		Py_XDECREF(r); /* the program closed it or its descriptor */
		Py_DECREF(stream);
		PyErr_Clear();
	}
	PyErr_Restore(type, value, tb);
}
