/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes the value that a guard expects: repeats the call that built the guard with other arguments, depending on
   its kind.  Refuses kinds that cannot be changed, with the reason.  Knows no ledger. */
#include "edit/dynamo_edit.h"
#include "edit/overridden.h"
#include "guards/guard_model.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "torch/attrs.h"
#include <stdlib.h>
#include <string.h>

/* The call with its first argument and its texts replaced. keep: an object that must live as long as the guard, or
   NULL. New reference, or NULL with the exception set. */
static PyObject *call_with(PyObject *row, const char *method, PyObject *first, const char *text, PyObject *keep)
{
	PyObject *args = PyTuple_GET_ITEM(row, ROW_ARGS), *texts = guard_recorded_texts(args), *v, *out, *call = NULL;
	PyObject *list = PyTuple_New(PyTuple_GET_SIZE(args));
	Py_ssize_t i;

	for (i = 0; list && i < PyTuple_GET_SIZE(args); i++) {
		v = PyTuple_GET_ITEM(args, i);
		PyTuple_SET_ITEM(list, i, v == texts ? Py_BuildValue("[s]", text) : Py_NewRef(i == 0 ? first : v));
	}
	out = list ? Py_BuildValue("(sOO)", method, list, keep ? keep : Py_None) : NULL;
	if (out)
		call = Py_BuildValue("[O]", out);
	Py_XDECREF(out);
	Py_XDECREF(list);
	return call;
}

static PyObject *evaluate_text(const char *text, struct err *err)
{
	return (PyObject *)host->frames.eval(text, err);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

static PyObject *is_in(PyObject *self, PyObject *value)
{
	int in = PySequence_Contains(self, value);

	PyErr_Clear();
	return PyBool_FromLong(in > 0);
}

static PyMethodDef is_in_def = { "cdbg_is_in", is_in, METH_O, NULL };

/* "in (2, 3)" */
static PyObject *change_to_set(PyObject *row, const char *words, const char *text, struct err *err)
{
	PyObject *set = evaluate_text(words, err), *fn = NULL, *call = NULL;

	if (set && (PyTuple_Check(set) || PyList_Check(set) || PyAnySet_Check(set)))
		fn = PyCFunction_New(&is_in_def, set);
	else if (set)
		err_set(err, "'%s' is not a tuple, list or set of values", words);
	if (fn)
		call = call_with(row, "add_lambda_guard", fn, text, NULL);
	Py_XDECREF(fn);
	Py_XDECREF(set);
	return call;
}

static PyObject *change_constant(const struct guard *g, PyObject *row, const char *words, struct err *err)
{
	bool among = !strncmp(words, "in ", 3);
	char *text = mem_fmt("%s %s%s", g->source, among ? "" : "== ", words);
	PyObject *v = NULL, *call;

	if (among) {
		call = change_to_set(row, words + 3, text, err);
	} else {
		v = evaluate_text(words, err);
		call = v ? call_with(row, "add_equals_match_guard", v, text, NULL) : NULL;
	}
	Py_XDECREF(v);
	free(text);
	return call;
}

static PyObject *change_length(const struct guard *g, PyObject *row, const char *words, struct err *err)
{
	const char *method = PyUnicode_AsUTF8(PyTuple_GET_ITEM(row, ROW_METHOD));
	PyObject *v = evaluate_text(words, err), *call = NULL;
	char *text = mem_fmt("len(%s) == %s", g->source, words);

	if (v && (!PyLong_CheckExact(v) || PyLong_AsSsize_t(v) < 0))
		err_set(err, "invalid length '%s': expected a number, 0 or more", words);
	else if (v)
		call = call_with(row, method, v, text, NULL);
	PyErr_Clear();
	free(text);
	Py_XDECREF(v);
	return call;
}

static PyObject *change_type(const struct guard *g, PyObject *row, const char *words, struct err *err)
{
	PyObject *v = evaluate_text(words, err), *id = NULL, *call = NULL;
	char *text = mem_fmt("type(%s) is %s", g->source, words);

	if (v && !PyType_Check(v))
		err_set(err, "'%s' is not a type", words);
	else if (v && (id = PyLong_FromVoidPtr(v)))
		call = call_with(row, "add_type_match_guard", id, text, v);
	free(text);
	Py_XDECREF(id);
	Py_XDECREF(v);
	return call;
}

/* ---- tensors, shapes --------------------------------------------------------------------------------------------- */

/* "dtype=torch.float64 size=[None, 3]" */
static PyObject *change_tensor(const struct guard *g, PyObject *row, const char *words, struct err *err)
{
	PyObject *changes = PyDict_New(), *text, *args = NULL, *out = NULL;

	if (!strchr(words, '=') && changes)
		err_set(err, "name the tensor properties to change, for example 'dtype=torch.float64 size=[None, 3]'");
	if (!strchr(words, '=') || !changes || entry_given(words, changes, err) < 0) {
		Py_XDECREF(changes);
		return NULL;
	}
	text = PyUnicode_FromFormat("check_tensor(%s, %s)", g->source, words);
	args = text ? edit_call("altered", PyTuple_GET_ITEM(row, ROW_ARGS), changes, text) : NULL;
	if (args)
		out = Py_BuildValue("[(sO)]", "add_tensor_match_guard", args);
	else
		edit_raised(err, "cannot describe a tensor by '%s'");
	Py_XDECREF(args);
	Py_XDECREF(text);
	Py_XDECREF(changes);
	return out;
}

static PyObject *change_shapes(const struct guard *g, PyObject *row, const char *words, struct err *err)
{
	PyObject *manager = overridden_original(g->entry), *fn, *call = NULL;

	if (!manager)
		manager = model_manager(g->entry);
	fn = manager ? condition_new(g->entry, manager, words, err) : NULL;
	if (fn)
		call = call_with(row, "add_epilogue_lambda_guard", fn, words, NULL);
	Py_XDECREF(fn);
	Py_XDECREF(manager);
	return call;
}

static Py_ssize_t find_row(PyObject *record, const struct guard *g)
{
	PyObject *index = record_index(record);
	Py_ssize_t at = index ? record_index_find(record, index, g) : -1;

	Py_XDECREF(index);
	return at;
}

/* ---- by kind ----------------------------------------------------------------------------------------------------- */

static const struct {
	const char *method;
	PyObject *(*change)(const struct guard *g, PyObject *row, const char *words, struct err *err);
	const char *refused; /* the reason if it cannot be changed */
} changes[] = {
	{ "add_equals_match_guard", change_constant, NULL },
	{ "add_length_check_guard", change_length, NULL },
	{ "add_dict_length_check_guard", change_length, NULL },
	{ "add_type_match_guard", change_type, NULL },
	{ "add_tensor_match_guard", change_tensor, NULL },
	{ "add_epilogue_lambda_guard", change_shapes, NULL },
	{ "add_id_match_guard", NULL, "generated code uses this object itself" },
	{ "add_global_state_guard", NULL, "it compares the state of torch with that at compile time" },
	{ "add_true_match_guard", NULL, "it is true or false: use 'guard drop' or 'guard force'" },
	{ "add_false_match_guard", NULL, "it is true or false: use 'guard drop' or 'guard force'" },
};

/* The recorded call that built the guard (borrowed) and *how, the row of `changes` for its kind; NULL with err. */
static PyObject *change_for(const struct guard *g, size_t *how, struct err *err)
{
	PyObject *row;
	const char *method;
	Py_ssize_t at;
	size_t i;

	if (!g->entry->edit.record) {
		err_set(err,
			"cannot edit the guards of entry %s: it has no record of how they were built ('set "
			"guard-record on' before it compiles)",
			g->entry->id);
		return NULL;
	}
	at = find_row(g->entry->edit.record, g);
	row = at >= 0 ? PyList_GET_ITEM(g->entry->edit.record, at) : NULL;
	method = row ? PyUnicode_AsUTF8(PyTuple_GET_ITEM(row, ROW_METHOD)) : "";
	for (i = 0; i < sizeof(changes) / sizeof(*changes) && strcmp(changes[i].method, method); i++)
		;
	*how = i;
	if (i < sizeof(changes) / sizeof(*changes) && changes[i].change)
		return row;
	err_set(err, "guard %d (%s) cannot be edited: %s", g->number, g->kind,
		i < sizeof(changes) / sizeof(*changes) ?
			changes[i].refused :
			"it has no value; use 'guard drop', then 'guard add' a condition");
	return NULL;
}

int guard_change_may(const struct guard *g, struct err *err)
{
	size_t how;

	return change_for(g, &how, err) ? 0 : -1;
}

PyObject *guard_change_calls(const struct guard *g, const char *words, struct err *err)
{
	size_t how;
	PyObject *row = change_for(g, &how, err), *call;

	if (!row)
		return NULL;
	err->text[0] = '\0';
	call = changes[how].change(g, row, words, err);
	if (!call && !err->text[0])
		err_set(err, "this version of torch does not allow editing guard %d", g->number);
	PyErr_Clear();
	return call;
}

const char *guard_change_text(PyObject *calls)
{
	PyObject *args = PyTuple_GET_ITEM(PyList_GET_ITEM(calls, 0), 1), *texts = guard_recorded_texts(args);

	return texts ? PyUnicode_AsUTF8(PyList_GET_ITEM(texts, 0)) : NULL;
}

/* "dtype=torch.float32 size=[3] ...", from the call that built it. */
static void tensor_now(PyObject *row, struct buf *out)
{
	PyObject *args = PyTuple_GET_ITEM(row, ROW_ARGS), *t = PyTuple_GET_ITEM(args, 0);
	PyObject *dtype = attr(t, "dtype"), *grad = attr(t, "requires_grad"), *device = attr(t, "device"), *text;

	text = dtype && grad && device && PyTuple_GET_SIZE(args) > 2 ?
		       PyUnicode_FromFormat("dtype=%S size=%S stride=%S requires_grad=%S device='%S'", dtype,
					    PyTuple_GET_ITEM(args, 1), PyTuple_GET_ITEM(args, 2), grad, device) :
		       NULL;
	if (text)
		buf_addf(out, "%s", PyUnicode_AsUTF8(text));
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(device);
	Py_XDECREF(grad);
	Py_XDECREF(dtype);
}

void guard_change_now(const struct guard *g, struct buf *out)
{
	PyObject *record = g->entry->edit.record;
	Py_ssize_t at = record ? find_row(record, g) : -1;
	const char *is = strstr(g->text, " == ");

	if (at >= 0 && strstr(g->kind, "TENSOR_MATCH"))
		tensor_now(PyList_GET_ITEM(record, at), out);
	else if (g->epilogue)
		buf_addf(out, "%s", g->text);
	else if (is)
		buf_addf(out, "%s", is + 4);
}
