/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a report's data tree from its directory, with Python's json module. */
#include "report/load.h"
#include "report/report.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 100 };

static struct val *tree(PyObject *v, int depth)
{
	PyObject *key, *item;
	struct val *out;
	const char *s;
	Py_ssize_t i = 0;

	if (depth > DEEPEST || v == Py_None)
		return val_null();
	if (PyBool_Check(v))
		return val_bool(v == Py_True);
	if (PyLong_Check(v))
		return val_int(PyLong_AsLongLong(v));
	if (PyFloat_Check(v))
		return val_real(PyFloat_AS_DOUBLE(v));
	if (PyUnicode_Check(v))
		return val_str(PyUnicode_AsUTF8(v));
	if (PyList_Check(v)) {
		out = val_list();
		for (i = 0; i < PyList_GET_SIZE(v); i++)
			val_push(out, tree(PyList_GET_ITEM(v, i), depth + 1));
		return out;
	}
	out = val_map();
	while (PyDict_Check(v) && PyDict_Next(v, &i, &key, &item)) {
		s = PyUnicode_AsUTF8(key);
		if (s)
			val_put(out, s, tree(item, depth + 1));
	}
	return out;
}

static PyObject *read_python_file(const char *path, struct err *err)
{
	struct buf text = { 0 };
	int fd = file_open_regular(path);
	PyObject *out;
	char part[8192];
	ssize_t n;

	if (fd < 0) {
		err_set(err, "cannot read '%s': %s; 'report DIR' writes a report", path, strerror(errno));
		return NULL;
	}
	while ((n = read(fd, part, sizeof(part))) > 0 || (n < 0 && errno == EINTR))
		buf_add(&text, part, n < 0 ? 0 : (size_t)n);
	close(fd);
	out = PyBytes_FromStringAndSize(buf_str(&text), (Py_ssize_t)text.len);
	buf_release(&text);
	return out;
}

struct val *load_report(const char *dir, struct err *err)
{
	char *path = mem_fmt("%s/%s", dir, REPORT_DATA);
	PyObject *text = read_python_file(path, err),
		 *json = text ? PyImport_ImportModuleLevel("json", NULL, NULL, NULL, 0) : NULL;
	PyObject *v = json ? PyObject_CallMethod(json, "loads", "O", text) : NULL;
	struct val *out = v ? tree(v, 0) : NULL;

	PyErr_Clear();
	if (out && strcmp(val_text(out, "format"), REPORT_FORMAT)) {
		val_free(out);
		out = NULL;
	}
	if (text && !out)
		err_set(err, "'%s' is not the data of a report", path);
	Py_XDECREF(v);
	Py_XDECREF(json);
	Py_XDECREF(text);
	free(path);
	return out;
}
