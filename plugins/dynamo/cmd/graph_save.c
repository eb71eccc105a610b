/* SPDX-License-Identifier: BSD-3-Clause */
/* graph save and graph reduce: a captured graph, or as small a part of it as still differs, as a program of its own
   that compares a backend with eager.  save.py writes it, reduce.py makes it smaller. */
#include "cmd/result.h"
#include "cmd/graph_command.h"
#include <string.h>

/* write_beside(path, fill): calls fill(descriptor) for a new file; None: the file has its name, else the error's text.
   fill() returns the errno of a write that failed, or None. */
static PyObject *write_beside(PyObject *self, PyObject *args)
{
	PyObject *path = NULL, *fill, *failed; /* owned: path, failed */
	struct file_out f;
	struct err err = { "" };
	int ret;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&O", PyUnicode_FSConverter, &path, &fill))
		return NULL;
	ret = file_begin(&f, PyBytes_AS_STRING(path), 0666, &err);
	Py_DECREF(path);
	if (ret == 0) {
		failed = PyObject_CallFunction(fill, "i", f.fd);
		if (failed == Py_None) {
			ret = file_commit(&f, &err);
		} else {
			if (failed)
				ret = file_failed(&f, (int)PyLong_AsLong(failed), &err);
			file_discard(&f);
		}
		Py_XDECREF(failed);
		if (!failed)
			return NULL;
	}
	return ret == 0 ? Py_NewRef(Py_None) : PyUnicode_DecodeUTF8(err.text, (Py_ssize_t)strlen(err.text), "replace");
}

static PyMethodDef write_beside_def = { "cdbg_write_beside", write_beside, METH_VARARGS, NULL };

PyObject *graph_save_writer(void)
{
	return PyCFunction_New(&write_beside_def, NULL);
}

void graph_save_tell(PyObject *saved, const char *path, struct buf *out)
{
	const char *inputs = result_text(saved, "inputs");

	buf_addf(out, "%lld bytes written to %s", result_int(saved, "bytes", 0), path);
	if (inputs)
		buf_addf(out, ", large inputs to %s", inputs);
	buf_addc(out, '\n');
	result_lines(result_get(saved, "notes"), "note: ", out);
}

static void tell_saved(const struct graph_work *w, PyObject *saved, struct buf *out)
{
	graph_save_tell(saved, w->path, out);
	graph_subject_tell_whole(&w->subject, out);
}

static int tell_save(struct graph_work *w, PyObject *r, struct reply *out, struct err *err)
{
	(void)err;
	tell_saved(w, r, &out->text);
	return 0;
}

static int tell_reduced(struct graph_work *w, PyObject *r, struct reply *out, struct err *err)
{
	(void)err;
	buf_addf(&out->text, "reduced from %lld to %lld nodes by %lld compiles; ", result_int(r, "before", 0),
		 result_int(r, "after", 0), result_int(r, "compiles", 0));
	tell_saved(w, result_get(r, "saved"), &out->text);
	return 0;
}

const struct graph_command graph_command_save = {
	.usage = "graph save FILE [-backward] [-tol RTOL ATOL] [ENTRY] [with NAME=EXPR ...]",
	.compares = true,
	.backend = BACKEND_IF_KNOWN,
	.module = "save",
	.function = "graph_save",
	.failed = "the graph cannot be saved",
	.tell = tell_save,
};

const struct graph_command graph_command_reduce = {
	.usage = "graph reduce FILE [-backward] [-f] [-tol RTOL ATOL] [ENTRY] [with NAME=EXPR ...]",
	.compares = true,
	.backend = BACKEND_NEEDED,
	.module = "reduce",
	.function = "graph_reduce",
	.failed = "the graph cannot be reduced",
	.tell = tell_reduced,
};
