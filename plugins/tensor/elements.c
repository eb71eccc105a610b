/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of small tensors on the CPU.  Reads where the tensor's own C getters say that its memory is, through the
   kernel, so that memory which is gone (a truncated file) does not crash.  Dispatches nothing, keeps nothing. */
#include "elements.h"
#include "dlpack/tensor_keys.h"
#include "number.h"
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ELEMENTS_MAX = 4, BYTES_MAX = 1 << 20 };

/* All owned, for the life of the process. */
static struct {
	PyTypeObject *tensor, *parameter;	/* no other class: a subclass may mean something else */
	PyObject *address;			/* torch._C._data_address */
	PyObject *stride, *offset;		/* methods of torch._C.TensorBase */
	unsigned long long plain, cpu;		/* dispatch keys of plain tensors on the CPU; those each has */
	unsigned long long conjugate, negative; /* bits of views whose elements mean others */
} E;

static PyObject *module_attribute(PyObject *module, const char *name)
{
	PyObject *v = module ? PyObject_GetAttrString(module, name) : NULL;

	PyErr_Clear();
	return v;
}

static PyTypeObject *type_in(const char *module, const char *name)
{
	PyObject *v = module_attribute(PyDict_GetItemString(PyImport_GetModuleDict(), module), name);

	if (v && !PyType_Check(v))
		Py_CLEAR(v);
	return (PyTypeObject *)v;
}

bool elements_begin(void)
{
	PyObject *c = PyDict_GetItemString(PyImport_GetModuleDict(), "torch._C");
	PyObject *base = module_attribute(c, "TensorBase");

	E.tensor = type_in("torch", "Tensor");
	E.parameter = type_in("torch.nn.parameter", "Parameter");
	E.address = module_attribute(c, "_data_address"); /* data_ptr() would copy what is copied on write */
	E.stride = module_attribute(base, "stride");
	E.offset = module_attribute(base, "storage_offset");
	Py_XDECREF(base);
	if (!E.tensor || !tensor_keys_begin() || !E.address || !E.stride || !E.offset)
		return false;
	E.cpu = tensor_keys_bits("CPU");
	E.plain = E.cpu | tensor_keys_bits("AutogradCPU") | tensor_keys_bits("ADInplaceOrView") |
		  tensor_keys_bits("AutocastCPU");
	E.conjugate = tensor_keys_bits("Conjugate");
	E.negative = tensor_keys_bits("Negative");
	return E.cpu && E.plain != E.cpu;
}

/* ---- is it plain ---------------------------------------------------------------------------------- */

/* Dense, on the CPU, real memory: no functional, fake, conjugated, batched, quantized one and nothing with a mode. */
static bool is_plain(PyObject *v)
{
	unsigned long long n = Py_TYPE(v) == E.tensor || Py_TYPE(v) == E.parameter ? tensor_keys_of(v) : 0;

	return (n & E.cpu) == E.cpu && !(n & ~E.plain);
}

/* The numbers of a tuple; -1: they are not numbers. */
static int numbers(PyObject *tuple, long long *out)
{
	Py_ssize_t i, n = tuple && PyTuple_Check(tuple) ? PyTuple_GET_SIZE(tuple) : -1;

	if (n > LAYOUT_DIMS)
		return -1;
	for (i = 0; i < n; i++) {
		if (!PyLong_CheckExact(PyTuple_GET_ITEM(tuple, i)))
			return -1;
		out[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i));
	}
	return PyErr_Occurred() ? -1 : (int)n;
}

static bool small(PyObject *shape, struct layout *p)
{
	int i;

	p->ndim = numbers(shape, p->size);
	p->n = 1;
	for (i = 0; i < p->ndim; i++) {
		if (p->size[i] < 1 || p->size[i] > ELEMENTS_MAX)
			return false;
		p->n *= (int)p->size[i];
		if (p->n > ELEMENTS_MAX)
			return false;
	}
	return p->ndim >= 0;
}

static bool find_storage(PyObject *v, size_t size, struct layout *p)
{
	PyObject *stride = PyObject_CallOneArg(E.stride, v);
	PyObject *offset = stride ? PyObject_CallOneArg(E.offset, v) : NULL;
	PyObject *address = offset ? PyObject_CallOneArg(E.address, v) : NULL;
	bool known = false;

	if (address && PyLong_Check(address) && PyLong_CheckExact(offset) && numbers(stride, p->stride) == p->ndim) {
		p->at = PyLong_AsUnsignedLongLong(address);
		known = p->at != 0; /* 0: the memory was given up */
		p->at += (unsigned long long)PyLong_AsLongLong(offset) * size;
	}
	known &= !PyErr_Occurred();
	PyErr_Clear();
	Py_XDECREF(address);
	Py_XDECREF(offset);
	Py_XDECREF(stride);
	return known;
}

/* ---- elements ------------------------------------------------------------------------------------- */

bool elements_read(unsigned long long at, void *to, size_t n)
{
	struct iovec here = { .iov_base = to, .iov_len = n };
	struct iovec there = { .iov_base = (void *)(uintptr_t)at, .iov_len = n };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* The elements from dimension `dim` on; false: one cannot be read. */
static bool put_all(const struct layout *p, int dim, unsigned long long at, const char *dtype, size_t size,
		    struct buf *out)
{
	unsigned char b[16];
	long long i;

	if (dim == p->ndim) {
		if (!elements_read(at, b, size))
			return false;
		number_put(b, dtype, size, out);
		return true;
	}
	buf_addc(out, '[');
	for (i = 0; i < p->size[dim]; i++) {
		if (i)
			buf_adds(out, ", ");
		if (!put_all(p, dim + 1, at + (unsigned long long)(i * p->stride[dim]) * size, dtype, size, out))
			return false;
	}
	buf_addc(out, ']');
	return true;
}

void elements_show(PyObject *tensor, const char *dtype, PyObject *shape, struct buf *out)
{
	size_t size = number_size(dtype), had = out->len;
	struct layout p = { 0 };

	if (!size || !small(shape, &p) || !is_plain(tensor) || !find_storage(tensor, size, &p)) {
		PyErr_Clear();
		return;
	}
	buf_addc(out, ' ');
	if (!put_all(&p, 0, p.at, dtype, size, out)) {
		out->len = had;
		out->s[had] = '\0';
	}
}

/* Bytes of a tensor of these sizes whose elements follow one another in memory; 0: it is another one, or too large. */
static size_t contiguous_bytes(const struct layout *p, size_t size)
{
	long long n = 1;
	int i;

	for (i = p->ndim - 1; i >= 0; i--) {
		if (p->size[i] < 1 || p->size[i] > BYTES_MAX || (p->size[i] > 1 && p->stride[i] != n))
			return 0;
		n *= p->size[i];
		if (n * (long long)size > BYTES_MAX)
			return 0;
	}
	return (size_t)n * size;
}

bool elements_bytes(PyObject *tensor, const char *dtype, PyObject *shape, struct buf *out)
{
	size_t size = number_size(dtype), n = 0;
	struct layout p = { 0 };
	char *bytes;
	bool read = false;

	p.ndim = size ? numbers(shape, p.size) : -1;
	if (p.ndim >= 0 && is_plain(tensor) && find_storage(tensor, size, &p))
		n = contiguous_bytes(&p, size);
	PyErr_Clear();
	if (!n)
		return false;
	bytes = mem_raw(n);
	read = elements_read(p.at, bytes, n);
	if (read)
		buf_add(out, bytes, n);
	free(bytes);
	return read;
}

bool elements_layout(PyObject *tensor, PyObject *shape, size_t item, struct layout *out, bool *conjugate,
		     bool *negative)
{
	unsigned long long n = tensor_keys_of(tensor);
	bool known;

	memset(out, 0, sizeof(*out));
	*conjugate = n & E.conjugate;
	*negative = n & E.negative;
	if (!item || (n & E.cpu) != E.cpu || n & ~(E.plain | E.conjugate | E.negative))
		return false;
	out->ndim = numbers(shape, out->size);
	known = out->ndim >= 0 && find_storage(tensor, item, out);
	PyErr_Clear();
	return known;
}
