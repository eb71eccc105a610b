/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the size of a tensor's storage with what its shape needs: see storage.h.  Reads no element. */
#include "storage.h"

/* All owned, for the life of the process. */
static struct {
	const struct cdbg_host *host;			  /* borrowed */
	PyTypeObject *tensor, *parameter;		  /* of no other class it is known what holds its elements */
	PyObject *storage, *stride, *offset;		  /* methods of torch._C.TensorBase */
	PyObject *bytes, *itemsize, *resizable, *address; /* names, interned */
} S;

static PyObject *member_of(const char *module, const char *name)
{
	PyObject *m = PyDict_GetItemString(PyImport_GetModuleDict(), module); /* borrowed */
	PyObject *v = m ? PyObject_GetAttrString(m, name) : NULL;

	PyErr_Clear();
	return v;
}

void storage_begin(const struct cdbg_host *h)
{
	PyObject *base = member_of("torch._C", "TensorBase");

	S.host = h;
	S.tensor = (PyTypeObject *)member_of("torch", "Tensor");
	S.parameter = (PyTypeObject *)member_of("torch.nn.parameter", "Parameter");
	if (base) {
		S.storage = PyObject_GetAttrString(base, "untyped_storage");
		S.stride = PyObject_GetAttrString(base, "stride");
		S.offset = PyObject_GetAttrString(base, "storage_offset");
	}
	S.bytes = PyUnicode_InternFromString("nbytes");
	S.resizable = PyUnicode_InternFromString("resizable");
	S.address = PyUnicode_InternFromString("data_ptr");
	S.itemsize = PyUnicode_InternFromString("itemsize");
	PyErr_Clear();
	Py_XDECREF(base);
}

/* A number that is not symbolic; -1: another value.  Takes v. */
static long long number_taken(PyObject *v)
{
	long long n = v && PyLong_CheckExact(v) ? PyLong_AsLongLong(v) : -1;

	PyErr_Clear();
	Py_XDECREF(v);
	return n;
}

/* The elements from the first to the last in memory, 0: there is none; -1: it is not known. */
static long long spanned(PyObject *shape, PyObject *stride)
{
	Py_ssize_t i,
		n = shape && stride && PyTuple_Check(shape) && PyTuple_Check(stride) ? PyTuple_GET_SIZE(shape) : -1;
	long long span = 1, size, step, more;

	if (n < 0 || PyTuple_GET_SIZE(stride) != n)
		return -1;
	for (i = 0; i < n; i++) {
		size = number_taken(Py_NewRef(PyTuple_GET_ITEM(shape, i)));
		step = number_taken(Py_NewRef(PyTuple_GET_ITEM(stride, i)));
		if (size <= 0 || step < 0)
			return size == 0 ? 0 : -1;
		if (__builtin_mul_overflow(size - 1, step, &more) || __builtin_add_overflow(span, more, &span))
			return -1;
	}
	return span;
}

bool storage_lacks(PyObject *tensor, PyObject *shape, PyObject *dtype, struct buf *out)
{
	/* owned */
	PyObject *storage = NULL, *stride = NULL;
	long long span, offset, item, bytes = -1, needed = 0;

	if ((Py_TYPE(tensor) != S.tensor && Py_TYPE(tensor) != S.parameter) || !S.storage || !S.stride || !S.offset ||
	    !shape || !dtype)
		return false;
	stride = PyObject_CallOneArg(S.stride, tensor);
	PyErr_Clear(); /* a sparse one has none */
	span = spanned(shape, stride);
	if (span > 0)
		storage = PyObject_CallOneArg(S.storage, tensor);
	if (storage) {
		bytes = number_taken(PyObject_CallMethodNoArgs(storage, S.bytes));
		offset = number_taken(PyObject_CallOneArg(S.offset, tensor));
		item = number_taken(PyObject_GetAttr(dtype, S.itemsize));
		if (offset < 0 || item < 0 || __builtin_mul_overflow(offset + span, item, &needed))
			needed = 0;
	}
	PyErr_Clear();
	Py_XDECREF(storage);
	Py_XDECREF(stride);
	if (bytes < 0 || bytes >= needed)
		return false;
	if (bytes)
		buf_addf(out, " storage %lld of %lld bytes", bytes, needed);
	else
		buf_adds(out, " storage freed");
	return true;
}

bool storage_is_cut_off(PyObject *tensor)
{
	PyObject *storage, *own;
	long long at = -1, bytes = -1;

	if ((Py_TYPE(tensor) != S.tensor && Py_TYPE(tensor) != S.parameter) || !S.storage)
		return false;
	storage = PyObject_CallOneArg(S.storage, tensor);
	own = storage ? PyObject_CallMethodNoArgs(storage, S.resizable) : NULL;
	if (own == Py_False) {
		at = number_taken(PyObject_CallMethodNoArgs(storage, S.address));
		bytes = number_taken(PyObject_CallMethodNoArgs(storage, S.bytes));
	}
	PyErr_Clear();
	Py_XDECREF(own);
	Py_XDECREF(storage);
	return at > 0 && bytes > 0 && !S.host->values.readable((uintptr_t)at, (uintptr_t)at + (uintptr_t)bytes);
}
