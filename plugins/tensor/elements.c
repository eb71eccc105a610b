/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of small tensors on the CPU.  Reads where the tensor's own C getters say that its memory is, through the
   kernel, so that memory which is gone (a truncated file) does not crash.  Dispatches nothing, keeps nothing. */
#include "elements.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ELEMENTS_MAX = 4, DIMS_MAX = 4, BYTES_MAX = 1 << 20 };

/* All owned, for the life of the process. */
static struct {
	PyTypeObject *tensor, *parameter; /* no other class: a subclass may mean something else */
	PyObject *keys, *address;	  /* torch._C._dispatch_keys, _data_address */
	PyObject *stride, *offset;	  /* methods of torch._C.TensorBase */
	PyObject *raw;			  /* "raw_repr", interned */
	unsigned long long plain, cpu;	  /* dispatch keys of plain tensors on the CPU; those each has */
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

/* The bits of one dispatch key; 0: there is none of this name. */
static unsigned long long key_bits(PyObject *c, const char *name)
{
	PyObject *kinds = module_attribute(c, "DispatchKey"), *make = module_attribute(c, "DispatchKeySet");
	PyObject *key = module_attribute(kinds, name), *set = key && make ? PyObject_CallOneArg(make, key) : NULL;
	PyObject *bits = set ? PyObject_CallMethodNoArgs(set, E.raw) : NULL;
	unsigned long long n = bits && PyLong_Check(bits) ? PyLong_AsUnsignedLongLong(bits) : 0;

	PyErr_Clear();
	Py_XDECREF(bits);
	Py_XDECREF(set);
	Py_XDECREF(key);
	Py_XDECREF(make);
	Py_XDECREF(kinds);
	return n;
}

bool elements_begin(void)
{
	PyObject *c = PyDict_GetItemString(PyImport_GetModuleDict(), "torch._C");
	PyObject *base = module_attribute(c, "TensorBase");

	E.tensor = type_in("torch", "Tensor");
	E.parameter = type_in("torch.nn.parameter", "Parameter");
	E.keys = module_attribute(c, "_dispatch_keys");
	E.address = module_attribute(c, "_data_address"); /* data_ptr() would copy what is copied on write */
	E.stride = module_attribute(base, "stride");
	E.offset = module_attribute(base, "storage_offset");
	E.raw = PyUnicode_InternFromString("raw_repr");
	Py_XDECREF(base);
	if (!E.tensor || !E.keys || !E.address || !E.stride || !E.offset || !E.raw)
		return false;
	E.cpu = key_bits(c, "CPU");
	E.plain = E.cpu | key_bits(c, "AutogradCPU") | key_bits(c, "ADInplaceOrView") | key_bits(c, "AutocastCPU");
	return E.cpu && E.plain != E.cpu;
}

/* ---- is it plain ---------------------------------------------------------------------------------- */

/* Dense, on the CPU, real memory: no functional, fake, conjugated, batched, quantized one and nothing with a mode. */
static bool is_plain(PyObject *v)
{
	PyObject *set, *bits;
	unsigned long long n;

	if (Py_TYPE(v) != E.tensor && Py_TYPE(v) != E.parameter)
		return false;
	set = PyObject_CallOneArg(E.keys, v);
	bits = set ? PyObject_CallMethodNoArgs(set, E.raw) : NULL;
	n = bits && PyLong_Check(bits) ? PyLong_AsUnsignedLongLong(bits) : 0;
	PyErr_Clear();
	Py_XDECREF(bits);
	Py_XDECREF(set);
	return (n & E.cpu) == E.cpu && !(n & ~E.plain);
}

struct place {
	int ndim, n; /* n: elements */
	long long size[DIMS_MAX], stride[DIMS_MAX];
	unsigned long long at;
};

/* The numbers of a tuple; -1: they are not numbers. */
static int numbers(PyObject *tuple, long long *out)
{
	Py_ssize_t i, n = tuple && PyTuple_Check(tuple) ? PyTuple_GET_SIZE(tuple) : -1;

	if (n > DIMS_MAX)
		return -1;
	for (i = 0; i < n; i++) {
		if (!PyLong_CheckExact(PyTuple_GET_ITEM(tuple, i)))
			return -1;
		out[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i));
	}
	return PyErr_Occurred() ? -1 : (int)n;
}

static bool small(PyObject *shape, struct place *p)
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

static bool find_storage(PyObject *v, size_t size, struct place *p)
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

static float half_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = (h >> 10) & 31, m = h & 0x3ff, bits;
	float f;

	if (!e) {
		f = (float)m / 16777216.0f;
		return sign ? -f : f;
	}
	bits = sign | (e == 31 ? 0x7f800000 : (e + 112) << 23) | m << 13;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static void put_float(const unsigned char *b, size_t size, struct buf *out)
{
	float f;
	double d;

	if (size == sizeof(f)) {
		memcpy(&f, b, sizeof(f));
		buf_addf(out, "%.7g", (double)f);
	} else {
		memcpy(&d, b, sizeof(d));
		buf_addf(out, "%.10g", d);
	}
}

static void put_half(const unsigned char *b, bool brain, struct buf *out)
{
	uint16_t h;
	uint32_t bits;
	float f;

	memcpy(&h, b, sizeof(h));
	bits = (uint32_t)h << 16;
	memcpy(&f, &bits, sizeof(f));
	buf_addf(out, "%.4g", (double)(brain ? f : half_float(h)));
}

static void put_complex(const unsigned char *b, size_t size, struct buf *out)
{
	struct buf imaginary = { 0 };

	put_float(b, size / 2, out);
	put_float(b + size / 2, size / 2, &imaginary);
	buf_addf(out, "%s%sj", *buf_str(&imaginary) == '-' ? "" : "+", buf_str(&imaginary));
	buf_release(&imaginary);
}

static void put_signed(const unsigned char *b, size_t size, struct buf *out)
{
	uint64_t u = 0;

	memcpy(&u, b, size); /* little-endian, as torch's memory on what cdbg runs on */
	if (size < 8 && u >> (size * 8 - 1))
		u |= ~(uint64_t)0 << (size * 8);
	buf_addf(out, "%" PRId64, (int64_t)u);
}

static void put_unsigned(const unsigned char *b, size_t size, struct buf *out)
{
	uint64_t u = 0;

	memcpy(&u, b, size);
	buf_addf(out, "%" PRIu64, u);
}

/* Bytes of one element by the dtype's short name; 0: how it is read is not known. */
static size_t size_of(const char *dtype)
{
	static const struct {
		const char *name;
		size_t size;
	} sizes[] = {
		{ "bool", 1 }, { "u8", 1 },   { "i8", 1 },  { "i16", 2 }, { "u16", 2 },
		{ "f16", 2 },  { "bf16", 2 }, { "i32", 4 }, { "u32", 4 }, { "f32", 4 },
		{ "i64", 8 },  { "u64", 8 },  { "f64", 8 }, { "c64", 8 }, { "c128", 16 },
	};
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (!strcmp(sizes[i].name, dtype))
			return sizes[i].size;
	return 0;
}

static void add_element(const unsigned char *b, const char *dtype, size_t size, struct buf *out)
{
	if (*dtype == 'b' && size == 1)
		buf_addf(out, "%s", *b ? "True" : "False");
	else if (*dtype == 'i')
		put_signed(b, size, out);
	else if (*dtype == 'u')
		put_unsigned(b, size, out);
	else if (*dtype == 'c')
		put_complex(b, size, out);
	else if (size == 2)
		put_half(b, *dtype == 'b', out);
	else
		put_float(b, size, out);
}

/* Reads what is there; false: nothing is. */
static bool read_at(unsigned long long at, void *to, size_t n)
{
	struct iovec here = { .iov_base = to, .iov_len = n };
	struct iovec there = { .iov_base = (void *)(uintptr_t)at, .iov_len = n };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* The elements from dimension `dim` on; false: one cannot be read. */
static bool put_all(const struct place *p, int dim, unsigned long long at, const char *dtype, size_t size,
		    struct buf *out)
{
	unsigned char b[16];
	long long i;

	if (dim == p->ndim) {
		if (!read_at(at, b, size))
			return false;
		add_element(b, dtype, size, out);
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
	size_t size = size_of(dtype), had = out->len;
	struct place p = { 0 };

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
static size_t contiguous_bytes(const struct place *p, size_t size)
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
	size_t size = size_of(dtype), n = 0;
	struct place p = { 0 };
	char *bytes;
	bool read = false;

	p.ndim = size ? numbers(shape, p.size) : -1;
	if (p.ndim >= 0 && is_plain(tensor) && find_storage(tensor, size, &p))
		n = contiguous_bytes(&p, size);
	PyErr_Clear();
	if (!n)
		return false;
	bytes = mem_raw(n);
	read = read_at(p.at, bytes, n);
	if (read)
		buf_add(out, bytes, n);
	free(bytes);
	return read;
}
