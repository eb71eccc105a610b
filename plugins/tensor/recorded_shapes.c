/* SPDX-License-Identifier: BSD-3-Clause */
/* What a record has of tensors: see recorded_shapes.h.  Asks torch's table of C functions for DLPack, which runs no
   Python and waits for no device. */
#include "recorded_shapes.h"
#include <Python.h>
#include <string.h>

enum { DIMS = 8, SEEN = 4096 /* half of it is used */ };

/* As in dlpack.h, version 1. */
struct dl_tensor {
	void *data;
	struct {
		int32_t type, id;
	} device;
	int32_t ndim;
	struct {
		uint8_t code, bits;
		uint16_t lanes;
	} dtype;
	int64_t *shape, *strides;
	uint64_t offset;
};

struct dl_table {
	uint32_t major, minor;
	const struct dl_table *older;
	void *allocate, *export, *import;
	int (*describe)(void *v, struct dl_tensor *out);
};

static const struct cdbg_host *host;
static const struct dl_table *table;
static PyObject *tensor, *parameter; /* owned, for the life of the process */

/* Shapes that have a number. */
static struct shape {
	uint32_t id; /* 0: none here */
	uint8_t code, bits;
	int device, ndim;
	int64_t dim[DIMS];
} seen[SEEN];
static unsigned nseen;

static const char *letters(uint8_t code)
{
	static const char *const names[] = { "i", "u", "f", "p", "bf", "c", "bool" };

	return code < sizeof(names) / sizeof(*names) ? names[code] : "?";
}

static const char *device_name(int device)
{
	return device == 1 ? "cpu" : device == 2 ? "cuda" : device == 8 ? "mps" : "device";
}

static uint32_t new_shape(const struct shape *s)
{
	struct buf b = { 0 };
	uint32_t id;
	int i;

	buf_adds(&b, letters(s->code));
	if (s->code != 6)
		buf_addf(&b, "%d", s->bits);
	buf_addc(&b, '[');
	for (i = 0; i < s->ndim && i < DIMS; i++)
		buf_addf(&b, "%s%lld", i ? ", " : "", (long long)s->dim[i]);
	buf_addf(&b, "%s] %s", s->ndim > DIMS ? ", ..." : "", device_name(s->device));
	id = host->values.recorded_text(buf_str(&b));
	buf_release(&b);
	return id;
}

static uint32_t shape_id(const struct dl_tensor *t)
{
	struct shape s;
	uint64_t hash;
	unsigned at;
	int i;

	memset(&s, 0, sizeof(s)); /* with what is between its members */
	s.code = t->dtype.code;
	s.bits = t->dtype.bits;
	s.device = t->device.type;
	s.ndim = t->ndim;
	hash = (uint64_t)s.code << 40 ^ (uint64_t)s.bits << 32 ^ (uint64_t)s.device << 16 ^ (uint64_t)s.ndim;
	for (i = 0; i < t->ndim && i < DIMS; i++) {
		s.dim[i] = t->shape[i];
		hash = (hash ^ (uint64_t)s.dim[i]) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 29;
	}
	for (at = (unsigned)hash % SEEN; seen[at].id; at = (at + 1) % SEEN) {
		s.id = seen[at].id;
		if (!memcmp(&seen[at], &s, sizeof(s)))
			return s.id;
	}
	if (nseen >= SEEN / 2)
		return 0;
	s.id = 0;
	s.id = new_shape(&s);
	if (s.id) {
		seen[at] = s;
		nseen++;
	}
	return s.id;
}

static uint32_t say_shape(struct py_obj *v)
{
	struct dl_tensor t;

	memset(&t, 0, sizeof(t));
	if (table->describe(v, &t) == 0 && t.ndim >= 0)
		return shape_id(&t);
	PyErr_Clear(); /* none with memory of its own */
	return 0;
}

/* Borrowed types; NULL without an exception. */
static PyObject *attribute(const char *module, const char *name)
{
	PyObject *m = PyDict_GetItemString(PyImport_GetModuleDict(), module); /* borrowed */
	PyObject *v = m ? PyObject_GetAttrString(m, name) : NULL;

	PyErr_Clear();
	return v;
}

static void find_table(void)
{
	PyObject *capsule;

	if (tensor)
		return;
	tensor = attribute("torch", "Tensor");
	parameter = attribute("torch.nn.parameter", "Parameter");
	capsule = tensor ? PyObject_GetAttrString(tensor, "__dlpack_c_exchange_api__") : NULL; /* for good */
	table = capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
	PyErr_Clear();
	while (table && table->major != 1)
		table = table->older;
	if (table && !table->describe)
		table = NULL;
}

void recorded_shapes(const struct cdbg_host *h, bool on)
{
	host = h;
	find_table();
	if (!table)
		return;
	host->values.recorded((struct py_obj *)tensor, on ? say_shape : NULL);
	if (parameter)
		host->values.recorded((struct py_obj *)parameter, on ? say_shape : NULL);
}
