/* SPDX-License-Identifier: BSD-3-Clause */
/* What a record has of tensors: see recorded_shapes.h.  Asks torch's table of C functions for DLPack, which runs no
   Python and waits for no device. */
#include "recorded_shapes.h"
#include <Python.h>
#include <string.h>
#include "dlpack/tensor_keys.h"
#include "dlpack/tensor_scan.h"

enum {
	DIMS = 8,
	SEEN = 4096, /* half of it is used */
	REASONS = 32,
	SKIPS_MOST = 15,
	PLACES = 256,
};

/* Why a shape has no numbers. */
enum lack { LACK_NONE, LACK_DEVICE, LACK_MEMORY, LACK_TYPE };

static const struct cdbg_host *host;
static const struct dl_table *table;
static PyObject *tensor, *parameter, *storage; /* owned, for the life of the process */

/* Shapes that have a number. */
static struct shape {
	uint32_t id; /* 0: none here */
	uint8_t code, bits;
	uint8_t lack;
	int device, ndim;
	int64_t dim[DIMS];
} seen[SEEN];
static unsigned nseen;

/* What torch says of tensors that have no memory of their own. */
static struct {
	char text[64];
	uint32_t id;
} reasons[REASONS];
/* It takes torch about a millisecond to say so.  Where there was such a tensor, the next is asked whether it has a
   storage, and of those that have one and are not described either at most SKIPS_MOST are left out. */
static struct {
	uintptr_t at;
	uint32_t bare; /* the reason, if it had no storage; else 0 */
	unsigned fails, skips;
} failed[PLACES];

/* Elements of a tensor; the GIL is held. */
static double room[RECORDED_SHAPES_BYTES / sizeof(double)];

static const char *letters(uint8_t code)
{
	static const char *const names[] = { "i", "u", "f", "p", "bf", "c", "bool" };

	return code < sizeof(names) / sizeof(*names) ? names[code] : "?";
}

static const char *device_name(int device)
{
	return device == 1 ? "cpu" : device == 2 ? "cuda" : device == 8 ? "mps" : "device";
}

static const char *lack_text(uint8_t lack)
{
	return lack == LACK_DEVICE ? ", its numbers are on the device" :
	       lack == LACK_MEMORY ? ", its memory cannot be read" :
	       lack == LACK_TYPE   ? ", numbers of this type are not read" :
				     "";
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
	buf_addf(&b, "%s] %s%s", s->ndim > DIMS ? ", ..." : "", device_name(s->device), lack_text(s->lack));
	id = host->values.recorded_text(buf_str(&b));
	buf_release(&b);
	return id;
}

static uint32_t shape_id(const struct dl_tensor *t, enum lack lack)
{
	struct shape s;
	uint64_t hash;
	unsigned at;
	int i;

	memset(&s, 0, sizeof(s)); /* with what is between its members */
	s.code = t->dtype.code;
	s.bits = t->dtype.bits;
	s.device = t->device.type;
	s.lack = (uint8_t)lack;
	s.ndim = t->ndim;
	hash = (uint64_t)s.lack << 48 ^ (uint64_t)s.code << 40 ^ (uint64_t)s.bits << 32 ^ (uint64_t)s.device << 16 ^
	       (uint64_t)s.ndim;
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

/* Of an exception, or of its text where none was made yet: runs no Python.  NULL: none. */
static PyObject *plain_text(PyObject *exception)
{
	if (PyUnicode_Check(exception))
		return Py_NewRef(exception);
	return Py_TYPE(exception)->tp_str == ((PyTypeObject *)PyExc_BaseException)->tp_str ? PyObject_Str(exception) :
											     NULL;
}

/* The number of torch's reason, which is the exception that is set. */
static uint32_t reason_id(void)
{
	PyObject *type, *value, *trace, *text;
	const char *c;
	uint32_t id = 0;
	char line[64];
	int i;

	PyErr_Fetch(&type, &value, &trace);
	text = value ? plain_text(value) : NULL;
	c = text ? PyUnicode_AsUTF8(text) : NULL;
	snprintf(line, sizeof(line), "Tensor: %.*s", c ? (int)strcspn(c, "\n") : 0, c ? c : "");
	for (i = 0; i < REASONS && !id; i++) {
		if (!reasons[i].id) {
			memcpy(reasons[i].text, line, sizeof(line));
			reasons[i].id = host->values.recorded_text(line);
			id = reasons[i].id;
			break;
		}
		if (!strcmp(reasons[i].text, line))
			id = reasons[i].id;
	}
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
	return id;
}

/* Not known: true.  torch asks no mode and no class for it. */
static bool has_storage(struct py_obj *v)
{
	PyObject *yes = storage ? PyObject_CallOneArg(storage, (PyObject *)v) : NULL;

	PyErr_Clear();
	Py_XDECREF(yes);
	return yes != Py_False; /* one of two that are never freed */
}

static bool describe(struct py_obj *v, struct dl_tensor *t, uint32_t *reason)
{
	unsigned i = (unsigned)((uintptr_t)v / 16 % PLACES);
	bool before = failed[i].at == (uintptr_t)v;

	*reason = before ? failed[i].bare : 0;
	if (*reason && !has_storage(v))
		return false;
	*reason = 0;
	if (before && failed[i].skips) {
		failed[i].skips--;
		return false;
	}
	memset(t, 0, sizeof(*t));
	if (table->describe(v, t) == 0 && t->ndim >= 0) {
		failed[i].fails = before ? 0 : failed[i].fails;
		return true;
	}
	*reason = reason_id();
	failed[i].at = (uintptr_t)v;
	failed[i].bare = has_storage(v) ? 0 : *reason;
	failed[i].fails = before ? 2 * failed[i].fails + 1 : 1;
	if (failed[i].fails > SKIPS_MOST)
		failed[i].fails = SKIPS_MOST;
	failed[i].skips = failed[i].bare ? 0 : failed[i].fails - 1;
	return false;
}

static uint32_t say_shape(struct py_obj *v, struct value_numbers *out)
{
	struct dl_tensor t;
	uint32_t reason;

	(void)out;
	return describe(v, &t, &reason) ? shape_id(&t, LACK_NONE) : reason;
}

static enum lack read_numbers(struct py_obj *v, const struct dl_tensor *t, struct value_numbers *out)
{
	struct tensor_sum sum = TENSOR_SUM_NONE;
	int64_t n;

	if (t->device.type != DL_CPU)
		return LACK_DEVICE;
	if (!t->data)
		return LACK_MEMORY;
	if (!tensor_scan_can(t))
		return LACK_TYPE;
	n = tensor_scan_some(t, room, sizeof(room), &sum, &out->all);
	if (!n)
		return LACK_MEMORY;
	if (tensor_keys_negative((PyObject *)v))
		tensor_sum_negate(&sum);
	out->known = true;
	out->one = n == 1 && out->all;
	out->nan = sum.nan;
	out->inf = sum.inf;
	out->min = out->max = NAN;
	if (sum.imin <= sum.imax) {
		out->min = (double)sum.imin;
		out->max = (double)sum.imax;
	} else if (sum.min <= sum.max) {
		out->min = sum.min;
		out->max = sum.max;
	}
	return LACK_NONE;
}

static uint32_t say_numbers(struct py_obj *v, struct value_numbers *out)
{
	struct dl_tensor t;
	uint32_t reason;
	bool empty = false;
	int i;

	if (!describe(v, &t, &reason))
		return reason;
	for (i = 0; i < t.ndim; i++)
		empty |= !t.shape[i];
	return shape_id(&t, empty ? LACK_NONE : read_numbers(v, &t, out));
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
	storage = attribute("torch._C", "_has_storage");
	tensor_keys_begin();
	capsule = tensor ? PyObject_GetAttrString(tensor, "__dlpack_c_exchange_api__") : NULL; /* for good */
	table = capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
	PyErr_Clear();
	while (table && table->major != 1)
		table = table->older;
	if (table && !table->describe)
		table = NULL;
}

void recorded_shapes(const struct cdbg_host *h, const char *what)
{
	uint32_t (*say)(struct py_obj * v, struct value_numbers * out) = !strcmp(what, "off")	  ? NULL :
									 !strcmp(what, "numbers") ? say_numbers :
												    say_shape;

	host = h;
	find_table();
	if (!table)
		return;
	host->values.recorded((struct py_obj *)tensor, say);
	if (parameter)
		host->values.recorded((struct py_obj *)parameter, say);
}
