/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the elements of a tensor: see tensor_numbers.h.  Finds them by DLPack, for which torch dispatches nothing: by
   its table of C functions, or by a capsule where torch has no such table. */
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include "torch/tensor_numbers.h"
#include "dlpack/tensor_keys.h"
#include "dlpack/tensor_scan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A program may free the storage of a tensor or make it smaller, and may cut the file that a storage maps: its storage
   is asked for its size, and the kernel for memory that torch did not allocate. */

/* The number that a method without arguments returns; -1: it returns none. */
static long long number_from(PyObject *v, const char *method)
{
	PyObject *r = PyObject_CallMethod(v, method, NULL);
	long long n = r && PyLong_Check(r) ? PyLong_AsLongLong(r) : -1;

	PyErr_Clear();
	Py_XDECREF(r);
	return n;
}

/* Does the storage have `size` bytes from where the tensor begins?  *own: torch allocated it. */
static bool storage_has(PyObject *v, long long element, long long size, bool *own)
{
	PyObject *storage = PyObject_CallMethod(v, "untyped_storage", NULL), *resizable = NULL;
	long long bytes = -1, offset = -1;

	if (storage) {
		bytes = number_from(storage, "nbytes");
		offset = number_from(v, "storage_offset");
		resizable = PyObject_CallMethod(storage, "resizable", NULL);
	}
	*own = resizable == Py_True;
	PyErr_Clear();
	Py_XDECREF(resizable);
	Py_XDECREF(storage);
	return offset >= 0 && offset * element + size <= bytes;
}

/* Can the elements of this tensor on the CPU, which DLPack describes as t, be read?  true if it has none.  Never an
   exception, none of the program's code. */
static bool tensor_numbers_there(PyObject *v, const struct dl_tensor *t)
{
	long long element = t->dtype.bits * t->dtype.lanes / 8;
	const char *from, *to;
	PyObject *guard;
	bool there, own = false;

	if (!tensor_scan_memory(t, &from, &to))
		return true;
	guard = t->data ? no_function_enter() : NULL; /* the methods would ask the program's modes */
	there = guard && storage_has(v, element, to - from, &own);
	no_function_leave(guard);
	return there && (own || host->values.readable((uintptr_t)from, (uintptr_t)to));
}

static PyObject *readable_in_place(PyObject *self, PyObject *args)
{
	unsigned long long at, n;

	(void)self;
	if (!PyArg_ParseTuple(args, "KK", &at, &n))
		return NULL;
	return PyBool_FromLong(host->values.readable((uintptr_t)at, (uintptr_t)at + (uintptr_t)n));
}

PyObject *tensor_numbers_readable_function(void)
{
	static PyMethodDef def = { "readable_in_place", readable_in_place, METH_VARARGS, NULL };

	return PyCFunction_New(&def, NULL);
}

static void finish(const struct dl_tensor *t, const struct tensor_sum *s, struct tensor_numbers *out)
{
	long long finite = out->count / s->times - s->nan - s->inf;

	out->nan = s->nan * s->times;
	out->inf = s->inf * s->times;
	if (t->dtype.code == DL_COMPLEX) {
		out->kind = TENSOR_NUMBERS_COMPLEX;
		out->min = out->max = out->mean = NAN;
		return;
	}
	out->mean = finite ? s->total / (double)finite : NAN;
	if (tensor_scan_is_float(t->dtype.code)) {
		out->kind = TENSOR_NUMBERS_FLOAT;
		out->min = finite ? s->min : NAN;
		out->max = finite ? s->max : NAN;
		return;
	}
	out->kind = t->dtype.code == DL_BOOL ? TENSOR_NUMBERS_BOOL : TENSOR_NUMBERS_INT;
	out->imin = s->imin;
	out->imax = s->imax;
}

static const char *dtype_of(const struct dl_tensor *t)
{
	static const struct {
		uint8_t code, bits;
		const char *name;
	} names[] = {
		{ DL_FLOAT, 64, "float64" },
		{ DL_FLOAT, 32, "float32" },
		{ DL_FLOAT, 16, "float16" },
		{ DL_BFLOAT, 16, "bfloat16" },
		{ DL_INT, 64, "int64" },
		{ DL_INT, 32, "int32" },
		{ DL_INT, 16, "int16" },
		{ DL_INT, 8, "int8" },
		{ DL_UINT, 8, "uint8" },
		{ DL_UINT, 16, "uint16" },
		{ DL_UINT, 32, "uint32" },
		{ DL_UINT, 64, "uint64" },
		{ DL_BOOL, 8, "bool" },
		{ DL_COMPLEX, 32, "complex32" },
		{ DL_COMPLEX, 64, "complex64" },
		{ DL_COMPLEX, 128, "complex128" },
		{ DL_E4M3FN, 8, "float8_e4m3fn" },
		{ DL_E4M3FNUZ, 8, "float8_e4m3fnuz" },
		{ DL_E5M2, 8, "float8_e5m2" },
		{ DL_E5M2FNUZ, 8, "float8_e5m2fnuz" },
		{ DL_E8M0FNU, 8, "float8_e8m0fnu" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].code == t->dtype.code && names[i].bits == t->dtype.bits)
			return names[i].name;
	return NULL;
}

static void describe(const struct dl_tensor *t, struct tensor_numbers *out)
{
	int i;

	out->count = 1;
	for (i = 0; i < t->ndim; i++) {
		out->count *= t->shape[i];
		if (i < TENSOR_NUMBERS_DIMS)
			out->shape[i] = t->shape[i];
	}
	out->dtype = t->ndim <= TENSOR_NUMBERS_DIMS ? dtype_of(t) : NULL;
	out->ndim = t->ndim;
	out->elsewhere = t->device.type != DL_CPU;
}

static void scan(PyObject *v, const struct dl_tensor *t, struct tensor_numbers *out)
{
	struct tensor_sum s = TENSOR_SUM_NONE;

	if (!out->count || out->elsewhere)
		return;
	out->freed = !tensor_numbers_there(v, t);
	if (out->freed || !tensor_scan(t, &s))
		return;
	if (tensor_keys_negative(v))
		tensor_sum_negate(&s);
	finish(t, &s, out);
}

/* The classes torch.Tensor and Parameter, and torch's exporter: held for the life of the process. */
static struct {
	PyObject *tensor, *parameter, *export;
	const struct dl_table *table; /* NULL: this torch has none */
} torch;

static const struct dl_table *dlpack_table(void)
{
	PyObject *capsule = attrs_get(ATTR_DLPACK_TABLE); /* held for the life of the process */
	const struct dl_table *t = capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;

	PyErr_Clear();
	while (t && t->major != 1)
		t = t->older;
	return t && t->describe ? t : NULL;
}

static bool dlpack_found(void)
{
	if (!torch.tensor) {
		torch.tensor = attrs_get(ATTR_TENSOR);
		torch.parameter = attrs_get(ATTR_PARAMETER);
		torch.export = attrs_get(ATTR_TO_DLPACK);
		torch.table = dlpack_table();
		tensor_keys_begin();
	}
	return torch.tensor && torch.export;
}

bool tensor_numbers_tensor(PyObject *v)
{
	return dlpack_found() && ((PyObject *)Py_TYPE(v) == torch.tensor || (PyObject *)Py_TYPE(v) == torch.parameter);
}

bool tensor_numbers_other_class(PyObject *v)
{
	return dlpack_found() && !tensor_numbers_tensor(v) && PyType_Check(torch.tensor) &&
	       PyType_IsSubtype(Py_TYPE(v), (PyTypeObject *)torch.tensor);
}

/* The tensor that torch exports, in *room or in the capsule, which is to be released.  NULL: the value has none. */
static struct dl_tensor *exported(PyObject *v, struct dl_tensor *room, PyObject **capsule)
{
	struct dl_tensor *t;

	*capsule = NULL;
	if (torch.table && torch.table->describe(v, room) == 0)
		return room;
	if (torch.table) {
		PyErr_Clear();
		return NULL;
	}
	*capsule = PyObject_CallOneArg(torch.export, v);
	t = *capsule ? PyCapsule_GetPointer(*capsule, "dltensor") : NULL;
	PyErr_Clear();
	return t;
}

void tensor_numbers_of(PyObject *v, struct tensor_numbers *out)
{
	PyObject *capsule, *meta;
	struct dl_tensor *t, room;

	memset(out, 0, sizeof(*out));
	if (!tensor_numbers_tensor(v))
		return;
	t = exported(v, &room, &capsule);
	meta = t ? NULL : PyObject_GetAttrString(v, "is_meta"); /* torch exports no meta tensor */
	if (t) {
		describe(t, out);
		scan(v, t, out);
	} else {
		out->elsewhere = meta == Py_True;
	}
	PyErr_Clear();
	Py_XDECREF(meta);
	Py_XDECREF(capsule);
}

unsigned tensor_numbers_odd(PyObject *v)
{
	struct tensor_numbers n;
	unsigned odd = 0;
	Py_ssize_t i;

	if (PyTuple_Check(v) || PyList_CheckExact(v)) {
		for (i = 0; i < PySequence_Fast_GET_SIZE(v); i++)
			odd |= tensor_numbers_odd(PySequence_Fast_GET_ITEM(v, i));
		return odd;
	}
	tensor_numbers_of(v, &n);
	return (n.nan ? TENSOR_NUMBERS_NAN : 0) | (n.inf ? TENSOR_NUMBERS_INF : 0) |
	       (n.elsewhere ? TENSOR_NUMBERS_ELSEWHERE : 0);
}

bool tensor_numbers_memory(PyObject *v, const char **from, const char **to)
{
	struct dl_tensor *t, room;
	PyObject *capsule;
	bool yes;

	if (!tensor_numbers_tensor(v))
		return false;
	t = exported(v, &room, &capsule);
	yes = t && t->device.type == DL_CPU && t->data && tensor_numbers_there(v, t) && tensor_scan_memory(t, from, to);
	Py_XDECREF(capsule);
	return yes;
}

static PyObject *figures_tuple(const struct tensor_numbers *n)
{
	switch (n->kind) {
	case TENSOR_NUMBERS_FLOAT:
		if (isnan(n->min))
			return Py_BuildValue("(OOOLL)", Py_None, Py_None, Py_None, n->nan, n->inf);
		return Py_BuildValue("(dddLL)", n->min, n->max, n->mean, n->nan, n->inf);
	case TENSOR_NUMBERS_INT:
		return Py_BuildValue("(LLdii)", n->imin, n->imax, n->mean, 0, 0);
	case TENSOR_NUMBERS_BOOL:
		return Py_BuildValue("(OOdii)", n->imin ? Py_True : Py_False, n->imax ? Py_True : Py_False, n->mean, 0,
				     0);
	default:
		Py_RETURN_NONE;
	}
}

static PyObject *figures(PyObject *self, PyObject *v)
{
	struct tensor_numbers n;

	(void)self;
	tensor_numbers_of(v, &n);
	return figures_tuple(&n);
}

PyObject *tensor_numbers_function(void)
{
	static PyMethodDef def = { "figures_in_place", figures, METH_O, NULL };

	return PyCFunction_New(&def, NULL);
}

/* ---- a row of graph run ------------------------------------------------------------------------------------ */

static PyObject *shape_list(const struct tensor_numbers *n)
{
	PyObject *list = PyList_New(n->ndim), *size;
	int i;

	for (i = 0; list && i < n->ndim; i++) {
		size = PyLong_FromLongLong(n->shape[i]);
		if (!size)
			Py_CLEAR(list);
		else
			PyList_SET_ITEM(list, i, size);
	}
	return list;
}

enum { ROW_NAME, ROW_OP, ROW_SHAPE, ROW_DTYPE, ROW_MIN, ROW_BYTES = 9, ROW_SECONDS, ROW_CELLS };

/* numbers: as figures() returns them, or NULL. */
static PyObject *row_of(PyObject *const *args, const struct tensor_numbers *n, long long size, PyObject *numbers)
{
	PyObject *row = PyTuple_New(ROW_CELLS), *v;
	int i;

	for (i = 0; row && i < ROW_CELLS; i++) {
		switch (i) {
		case ROW_NAME:
		case ROW_OP:
			v = Py_NewRef(args[i]);
			break;
		case ROW_SHAPE:
			v = shape_list(n);
			break;
		case ROW_DTYPE:
			v = PyUnicode_InternFromString(n->dtype);
			break;
		case ROW_BYTES:
			v = PyLong_FromLongLong(size);
			break;
		case ROW_SECONDS:
			v = Py_NewRef(args[3]);
			break;
		default:
			v = Py_NewRef(numbers ? PyTuple_GET_ITEM(numbers, i - ROW_MIN) : Py_None);
		}
		if (!v)
			Py_CLEAR(row);
		else
			PyTuple_SET_ITEM(row, i, v);
	}
	return row;
}

/* row_in_place(name, op, value, seconds, figures?): see Rows in rows.py.  None: Python makes the row. */
static PyObject *row_in_place(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	struct tensor_numbers n = { .kind = TENSOR_NUMBERS_NONE };
	PyObject *capsule = NULL, *numbers = NULL, *row = NULL;
	struct dl_tensor *t = NULL, room;

	(void)self;
	if (nargs == 5 && dlpack_found() && (PyObject *)Py_TYPE(args[2]) == torch.tensor)
		t = exported(args[2], &room, &capsule);
	if (t)
		describe(t, &n);
	if (n.dtype && args[4] == Py_True) {
		scan(args[2], t, &n);
		numbers = figures_tuple(&n);
	}
	if (n.dtype && (args[4] != Py_True || (numbers && numbers != Py_None)))
		row = row_of(args, &n, n.count * (t->dtype.bits / 8), numbers);
	else if (!PyErr_Occurred())
		row = Py_NewRef(Py_None);
	Py_XDECREF(numbers);
	Py_XDECREF(capsule);
	return row;
}

PyObject *tensor_numbers_row_function(void)
{
	static PyMethodDef def = { "row_in_place", (PyCFunction)(void (*)(void))row_in_place, METH_FASTCALL, NULL };

	return PyCFunction_New(&def, NULL);
}

/* ---- lists of tensors -------------------------------------------------------------------------------------- */

/* Adds the figures of one more tensor; counts are those of finite elements. */
static void add_numbers(struct tensor_numbers *all, const struct tensor_numbers *n)
{
	long long own = n->count - n->nan - n->inf, whole = all->count - all->nan - all->inf;

	if (own > 0) {
		all->min = whole ? fmin(all->min, n->min) : n->min;
		all->max = whole ? fmax(all->max, n->max) : n->max;
		all->imin = whole && all->imin < n->imin ? all->imin : n->imin;
		all->imax = whole && all->imax > n->imax ? all->imax : n->imax;
		all->mean = whole ? all->mean * ((double)whole / (double)(whole + own)) +
					    n->mean * ((double)own / (double)(whole + own)) :
				    n->mean;
	}
	all->nan += n->nan;
	all->inf += n->inf;
	all->count += n->count;
}

int tensor_numbers_of_list(PyObject *v, struct tensor_numbers *out)
{
	Py_ssize_t n = PyList_Check(v) || PyTuple_Check(v) ? PySequence_Fast_GET_SIZE(v) : 0, i;
	struct tensor_numbers one;
	bool known = true;

	*out = (struct tensor_numbers){ .min = NAN, .max = NAN, .mean = NAN };
	for (i = 0; i < n; i++)
		if (!tensor_numbers_tensor(PySequence_Fast_GET_ITEM(v, i)) &&
		    !tensor_numbers_other_class(PySequence_Fast_GET_ITEM(v, i)))
			return 0;
	for (i = 0; known && i < n; i++) {
		tensor_numbers_of(PySequence_Fast_GET_ITEM(v, i), &one);
		known = one.kind != TENSOR_NUMBERS_NONE && (!i || one.kind == out->kind);
		if (known) {
			add_numbers(out, &one);
			out->kind = one.kind;
		}
	}
	if (!known)
		*out = (struct tensor_numbers){ .kind = TENSOR_NUMBERS_NONE };
	return (int)n;
}

/* ---- tensors whose elements cannot be read: torch's C getters for shape and type ---------------------------- */

static bool is_strided(PyObject *v)
{
	PyObject *layout = PyObject_GetAttrString(v, "layout");
	char *text = layout ? py_text_str(layout) : NULL;
	bool yes = text && !strcmp(text, "torch.strided");

	free(text);
	Py_XDECREF(layout);
	return yes;
}

static bool read_shape(PyObject *v, struct tensor_numbers *out)
{
	PyObject *shape = PyObject_GetAttrString(v, "shape"), *dtype = PyObject_GetAttrString(v, "dtype");
	Py_ssize_t n = shape && PyTuple_Check(shape) ? PyTuple_GET_SIZE(shape) : -1, i;
	char *name = dtype ? py_text_str(dtype) : NULL;
	bool known = n >= 0 && n <= TENSOR_NUMBERS_DIMS && name && py_text_begins_with(name, "torch.");

	for (i = 0; known && i < n; i++)
		known = PyLong_Check(PyTuple_GET_ITEM(shape, i));
	for (i = 0; known && i < n; i++)
		out->shape[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i));
	if (known) {
		out->ndim = (int)n;
		out->dtype = py_text_keep(name + strlen("torch."));
	}
	free(name);
	Py_XDECREF(dtype);
	Py_XDECREF(shape);
	return known;
}

/* Getters ask the program's modes first, unless these are off. */
bool tensor_numbers_shape(PyObject *v, struct tensor_numbers *out)
{
	PyObject *guard = tensor_numbers_tensor(v) ? no_function_enter() : NULL;
	bool known = guard && is_strided(v) && read_shape(v, out); /* a nested one raises */

	no_function_leave(guard);
	return known;
}
