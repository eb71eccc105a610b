/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries of values for a record: see record_value.h.  Hot: each result of a recorded instruction comes here. */
#include <Python.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/buf.h"
#include "py/record/record_value.h"
#include "py/value/format.h"
#include "py/version/raw.h"

enum { TYPES = 4096, DATA_TYPES = 8 }; /* of a table by address; the half of it is used */

/* A freed type's address is used again: its name's address tells them apart. */
static struct {
	const PyTypeObject *type;
	const char *name;
	uint32_t id;
	uint8_t kind;
} types[TYPES];
static uint32_t ntypes;
static void (*say_type)(uint32_t id, const char *name);
static struct {
	const PyTypeObject *type;
	uint32_t (*say)(struct py_obj *v, struct value_numbers *numbers);
} data[DATA_TYPES];

void record_value_start(void (*new_type)(uint32_t id, const char *name))
{
	memset(types, 0, sizeof(types));
	ntypes = 1; /* 0: no type, or one too many */
	say_type = new_type;
}

void record_value_data(struct py_obj *type, uint32_t (*say)(struct py_obj *v, struct value_numbers *numbers))
{
	int i;

	for (i = 0; i < DATA_TYPES - 1 && data[i].type && data[i].type != (PyTypeObject *)type; i++)
		;
	data[i].type = (PyTypeObject *)type;
	data[i].say = say;
	memset(types, 0, sizeof(types)); /* their kinds are asked for again */
}

static uint8_t kind_of(const PyTypeObject *t)
{
	int i;

	for (i = 0; i < DATA_TYPES; i++)
		if (data[i].type == t && data[i].say)
			return RECORDED_DATA;
	return t == Py_TYPE(Py_None)			  ? RECORDED_NONE :
	       t == &PyBool_Type			  ? RECORDED_TRUE :
	       t == &PyLong_Type			  ? RECORDED_INT :
	       t == &PyFloat_Type			  ? RECORDED_FLOAT :
	       t == &PyUnicode_Type			  ? RECORDED_STR :
	       t == &PyBytes_Type			  ? RECORDED_BYTES :
	       t == &PyTuple_Type || t == &PyList_Type	  ? RECORDED_SIZED :
	       t == &PyDict_Type			  ? RECORDED_SIZED :
	       t == &PySet_Type || t == &PyFrozenSet_Type ? RECORDED_SIZED :
							    RECORDED_OBJECT;
}

static __attribute__((noinline)) uint32_t type_new(const PyTypeObject *t, uint32_t at)
{
	if (ntypes >= TYPES / 2)
		return TYPES;
	types[at].type = t;
	types[at].name = t->tp_name;
	types[at].id = ntypes++;
	types[at].kind = kind_of(t);
	if (say_type)
		say_type(types[at].id, t->tp_name);
	return at;
}

/* Its place in the table; TYPES: the table is full. */
static inline uint32_t type_at(const PyTypeObject *t)
{
	uint32_t i = (uint32_t)((uintptr_t)t >> 4 ^ (uintptr_t)t >> 13) % TYPES;

	while (types[i].type != t || types[i].name != t->tp_name) {
		if (!types[i].type)
			return type_new(t, i);
		i = (i + 1) % TYPES;
	}
	return i;
}

static uint32_t size_of(PyObject *o)
{
	Py_ssize_t n = PyDict_CheckExact(o)   ? PyDict_GET_SIZE(o) :
		       PyAnySet_CheckExact(o) ? PySet_GET_SIZE(o) :
						Py_SIZE(o);

	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* ---- numbers of elements: 4 flags, and two floats of 18 bits or one of 32 ------------------------------------- */

enum { ID_BITS = 12, LOW_BITS = 20, ADDRESS_BITS = 44, SHORT_CUT = 14 };
enum { HAS_NAN = 1, HAS_INF = 2, HAS_ALL = 4, HAS_ONE = 8 };

static uint32_t float_bits(double v)
{
	float f = v > FLT_MAX ? FLT_MAX : v < -FLT_MAX ? -FLT_MAX : (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static double float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return (double)f;
}

/* A float without its last bits, rounded; one that cannot be rounded up stays finite. */
static uint64_t short_float(double v)
{
	uint32_t bits = float_bits(v), up = bits + (1 << (SHORT_CUT - 1));

	return (isnan(v) || (up >> 23 & 0xff) != 0xff ? up : bits) >> SHORT_CUT;
}

static uint64_t numbers_bits(const struct value_numbers *n)
{
	uint64_t flags = (n->nan ? HAS_NAN : 0) | (n->inf ? HAS_INF : 0) | (n->all ? HAS_ALL : 0) |
			 (n->one ? HAS_ONE : 0);

	return flags | (n->one ? float_bits(n->min) : short_float(n->min) | short_float(n->max) << 18) << 4;
}

uint32_t record_value_numbers(const struct record_value *v, struct value_numbers *out)
{
	uint32_t info = (uint32_t)(v->head >> 32);
	uint64_t bits = info >> ID_BITS | v->payload >> ADDRESS_BITS << LOW_BITS;

	*out = (struct value_numbers){ 0 };
	if (!(record_bits(v->head, 10, 2) & RECORDED_NUMBERS))
		return info;
	out->known = true;
	out->nan = bits & HAS_NAN;
	out->inf = bits & HAS_INF;
	out->all = bits & HAS_ALL;
	out->one = bits & HAS_ONE;
	bits >>= 4;
	out->min = float_of(out->one ? (uint32_t)bits : (uint32_t)(bits & 0x3ffff) << SHORT_CUT);
	out->max = out->one ? out->min : float_of((uint32_t)(bits >> 18) << SHORT_CUT);
	return info & ((1 << ID_BITS) - 1);
}

static struct record_value data_value(PyObject *o, uint32_t type)
{
	uint64_t bits, payload = (uintptr_t)o;
	struct value_numbers n = { 0 };
	uint32_t id = 0;
	int i;

	for (i = 0; i < DATA_TYPES && !id; i++)
		if (data[i].type == Py_TYPE(o) && data[i].say)
			id = data[i].say((struct py_obj *)o, &n);
	if (!n.known || id >> ID_BITS || payload % 16 || payload / 16 >> ADDRESS_BITS)
		return record_value_make(RECORDED_DATA, 0, type, id, payload);
	bits = numbers_bits(&n);
	return record_value_make(RECORDED_DATA, RECORDED_NUMBERS, type,
				 id | (uint32_t)(bits & ((1 << LOW_BITS) - 1)) << ID_BITS,
				 payload / 16 | bits >> LOW_BITS << ADDRESS_BITS);
}

/* The object's address. */
static uint64_t address_of(const struct record_value *v)
{
	return record_value_kind(v) == RECORDED_DATA && record_bits(v->head, 10, 2) & RECORDED_NUMBERS ?
		       (v->payload & ((UINT64_C(1) << ADDRESS_BITS) - 1)) * 16 :
		       v->payload;
}

/* ---- values ----------------------------------------------------------------------------------------------- */

static struct record_value text_value(PyObject *o, uint32_t type)
{
	Py_ssize_t n = PyUnicode_GET_LENGTH(o);
	uint64_t first = 0;

	if (!PyUnicode_IS_COMPACT_ASCII(o))
		return record_value_make(RECORDED_STR, 0, type, (uint32_t)n, (uintptr_t)o);
	memcpy(&first, PyUnicode_1BYTE_DATA(o), n < 8 ? (size_t)n : 8);
	return record_value_make(RECORDED_STR, RECORDED_TEXT, type, (uint32_t)n, first);
}

static struct record_value int_value(PyObject *o, uint32_t type)
{
	int overflow;
	long long n = PyLong_AsLongLongAndOverflow(o, &overflow);

	return overflow ? record_value_make(RECORDED_BIG, 0, type, 0, (uintptr_t)o) :
			  record_value_make(RECORDED_INT, 0, type, 0, (uint64_t)n);
}

static struct record_value object_value(PyObject *o)
{
	uint32_t at = type_at(Py_TYPE(o)), type = at < TYPES ? types[at].id : 0, info = 0;
	enum record_kind kind = at < TYPES ? types[at].kind : RECORDED_OBJECT;
	uint64_t payload = (uintptr_t)o;

	switch (kind) {
	case RECORDED_TRUE:
		kind = o == Py_True ? RECORDED_TRUE : RECORDED_FALSE;
		break;
	case RECORDED_INT:
		return int_value(o, type);
	case RECORDED_FLOAT:
		memcpy(&payload, &((PyFloatObject *)o)->ob_fval, sizeof(payload));
		break;
	case RECORDED_STR:
		return text_value(o, type);
	case RECORDED_BYTES:
		info = (uint32_t)PyBytes_GET_SIZE(o);
		payload = 0;
		memcpy(&payload, PyBytes_AS_STRING(o), info < 8 ? info : 8);
		break;
	case RECORDED_SIZED:
		info = size_of(o);
		break;
	case RECORDED_DATA:
		return data_value(o, type);
	default:
		break;
	}
	return record_value_make(kind, 0, type, info, payload);
}

struct record_value record_value_of(uintptr_t word)
{
	struct record_value v;
	bool number;
	PyObject *o = (PyObject *)py_raw_object(word, &number);

	if (number)
		return record_value_make(RECORDED_NUMBER, 0, 0, 0, word);
	if (!o)
		return record_value_make(RECORDED_NULL, 0, 0, 0, 0);
	if (!PyCell_Check(o))
		return object_value(o);
	o = PyCell_GET(o);
	v = o ? object_value(o) : record_value_make(RECORDED_NULL, 0, 0, 0, 0);
	v.head |= (uint64_t)RECORDED_CELL << 10;
	return v;
}

int record_value_same(const struct record_value *a, const struct record_value *b)
{
	enum record_kind kind = record_value_kind(a);

	if (a->head == b->head && a->payload == b->payload)
		return 1;
	if (a->head >> 10 & b->head >> 10 & RECORDED_CELL)
		return -1;
	return kind == record_value_kind(b) && address_of(a) == address_of(b) &&
			       (kind == RECORDED_SIZED || kind == RECORDED_DATA || kind == RECORDED_OBJECT) ?
		       -1 :
		       0;
}
