/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of code objects: made, found, decoded once, dropped with their code object.  Parses no adaptive bytes. */
#include <Python.h>
#include <opcode.h>
#include <stdlib.h>
#include "base/buf.h"
#include "py/code/code_impl.h"
#include "py/value/value.h"

static Py_ssize_t extra_index = -1;
static void (*code_gone[4])(struct code *c);

const char *kind_name(enum kind k)
{
	static const char *const name[] = {
		[KIND_UNKNOWN] = "unknown",	[KIND_USER] = "user",	[KIND_GENERATED] = "generated",
		[KIND_COMPILING] = "compiling", [KIND_GRAPH] = "graph", [KIND_LIBRARY] = "library",
		[KIND_SELF] = "cdbg",
	};

	return name[k];
}

static PyCodeObject *code_object(const struct code *c)
{
	return (PyCodeObject *)c->co;
}

/* ---- life --------------------------------------------------------------------------------------- */

static void code_free(void *p)
{
	struct code *c = p;
	size_t i;

	if (!c)
		return;
	for (i = 0; i < sizeof(code_gone) / sizeof(*code_gone); i++)
		if (code_gone[i])
			code_gone[i](c);
	if (c->hook.gone)
		c->hook.gone(c);
	free(c->flags);
	free(c->instr);
	free(c->unit_index);
	free(c->except);
	free(c->crash.notes);
	free(c);
}

void code_set_notes(struct code *c, struct code_notes *notes)
{
	struct code_notes *old = c->crash.notes;

	c->crash.notes = notes;
	free(old);
}

long code_record_index(void)
{
	return extra_index;
}

void code_on_free(void (*gone)(struct code *c))
{
	size_t i;

	for (i = 0; i < sizeof(code_gone) / sizeof(*code_gone); i++)
		if (!code_gone[i] || code_gone[i] == gone) {
			code_gone[i] = gone;
			return;
		}
	BUG("too many functions wait for code objects to die");
}

/*
 * Records that could not be attached to their code objects because CPython had no memory.  They are found by address,
 * and each holds a reference to its code object, until memory is available again.
 */
static struct {
	struct code **code;
	size_t n, cap;
} unattached;

static bool attach_record(struct code *c)
{
	if (py_code_put_alone(c->co, extra_index, c) || _PyCode_SetExtra((PyObject *)c->co, extra_index, c) == 0)
		return true;
	PyErr_Clear();
	return false;
}

static void keep_unattached(struct code *c)
{
	unattached.code = mem_grow(unattached.code, &unattached.cap, unattached.n + 1, sizeof(*unattached.code));
	unattached.code[unattached.n++] = c;
	Py_INCREF((PyObject *)c->co);
}

static struct code *find_unattached(struct py_code *co)
{
	struct code *c;
	size_t i;

	for (i = 0; i < unattached.n; i++) {
		c = unattached.code[i];
		if (c->co != co)
			continue;
		if (attach_record(c)) {
			unattached.code[i] = unattached.code[--unattached.n];
			py_unref_later((PyObject *)co); /* the caller has a reference while it uses the record */
		}
		return c;
	}
	return NULL;
}

struct code *code_peek(struct py_code *co)
{
	void *p = NULL;

	if (((PyCodeObject *)co)->co_extra && extra_index >= 0)
		_PyCode_GetExtra((PyObject *)co, extra_index, &p);
	return p || !unattached.n ? p : find_unattached(co);
}

struct code *code_get(struct py_code *co)
{
	struct code *c = code_peek(co);

	if (c)
		return c;
	if (extra_index < 0)
		extra_index = _PyEval_RequestCodeExtraIndex(code_free);
	if (extra_index < 0)
		BUG("CPython cannot store more data in its code objects: too many other tools store data there");
	c = mem_alloc(sizeof(*c));
	c->co = co;
	c->units = (int)Py_SIZE((PyObject *)co);
	c->flags = mem_alloc((size_t)c->units + 1);
	if (!attach_record(c))
		keep_unattached(c);
	return c;
}

/* ---- memory ------------------------------------------------------------------------------------- */

enum { ALIGNMENT = 16 };

void *code_room_take(struct code_room *room, size_t n)
{
	void *p = room->at;

	n = (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (n > room->left)
		return NULL;
	room->at += n;
	room->left -= n;
	return p;
}

void *code_memory(struct code *c, size_t n)
{
	void *p;

	if (!c->crash.room)
		return mem_alloc(n);
	p = code_room_take(c->crash.room, n);
	return p ? memset(p, 0, n) : NULL;
}

void code_memory_free(const struct code *c, void *p)
{
	if (!c->crash.room)
		free(p);
}

static size_t code_room_needed(const struct code *c)
{
	PyObject *table = code_object(c)->co_exceptiontable;
	size_t rows = table ? (size_t)Py_SIZE(table) + 1 : 1, units = (size_t)c->units + 1;

	return units * (sizeof(*c->instr) + 3 * sizeof(int)) + rows * sizeof(*c->except) + 8 * (size_t)ALIGNMENT;
}

/* ---- instructions ------------------------------------------------------------------------------- */

/* Instructions are what dis lists; arguments have their prefixes applied. */
static void instr_split(struct code *c, const unsigned char *bytes)
{
	unsigned prefix = 0;
	int i, k, units;

	for (i = 0; i < c->units; i += units) {
		struct instr *in = &c->instr[c->n];
		int op = bytes[2 * i];

		in->op = (uint8_t)op;
		in->offset = 2 * i;
		in->has_arg = py_op_has_arg(op);
		in->arg = in->has_arg ? (int)(prefix | bytes[2 * i + 1]) : 0;
		in->target = -1;
		in->col = in->end_col = -1;
		in->depth = -1;
		if (op == EXTENDED_ARG)
			in->flags |= INSTR_PREFIX;
		if (op == YIELD_VALUE)
			in->flags |= INSTR_YIELD;
		if (py_op_returns(op))
			in->flags |= INSTR_RETURN;
		if (!py_op_has_event(op, c->n ? c->instr[c->n - 1].op : -1))
			in->flags |= INSTR_NO_EVENT;
		prefix = op == EXTENDED_ARG ? (unsigned)in->arg << 8 : 0;
		units = 1 + py_op_caches(op);
		for (k = i; k < i + units && k < c->units; k++)
			c->unit_index[k] = c->n;
		c->n++;
	}
}

/* Nothing before the first RESUME is traced: CPython makes cells and generators there. */
static void instr_entry(struct code *c)
{
	int i;

	for (i = 0; i < c->n; i++) {
		c->instr[i].flags |= INSTR_NO_EVENT;
		if (c->instr[i].op == RESUME)
			return;
	}
}

static void instr_targets(struct code *c)
{
	int i, unit;

	for (i = 0; i < c->n; i++) {
		struct instr *in = &c->instr[i];
		int pos = in->offset / 2;

		unit = py_op_target(in->op, in->arg, pos, pos + 1 + py_op_caches(in->op));
		if (unit < 0 || unit >= c->units)
			continue;
		in->target = c->unit_index[unit];
		c->instr[in->target].flags |= INSTR_TARGET;
	}
}

static void take_memory(struct code *c)
{
	c->instr = code_memory(c, ((size_t)c->units + 1) * sizeof(*c->instr));
	c->unit_index = code_memory(c, ((size_t)c->units + 1) * sizeof(*c->unit_index));
}

static void decode_split(struct code *c)
{
	instr_entry(c);
	instr_targets(c);
	location_decode(c);
	except_decode(c);
	depth_decode(c);
}

bool code_decode_copy(struct code *c, const unsigned char *bytes)
{
	if (c->crash.room->left < code_room_needed(c))
		return false;
	take_memory(c);
	instr_split(c, bytes);
	decode_split(c);
	return true;
}

void code_decode(struct code *c)
{
	/* owned, released at the end; a pending exception stays pending */
	PyObject *bytes, *type, *value, *tb;
	struct instr *instr;

	if (c->n)
		return;
	PyErr_Fetch(&type, &value, &tb);
	if (!c->instr)
		take_memory(c);
	bytes = (PyObject *)py_code_bytes(c->co);
	if (!bytes) { /* no memory: no instructions for now, the next call tries again */
		PyErr_Clear();
		PyErr_Restore(type, value, tb);
		return;
	}
	instr_split(c, (const unsigned char *)PyBytes_AS_STRING(bytes));
	instr = realloc(c->instr, ((size_t)c->n + 1) * sizeof(*instr));
	if (instr)
		c->instr = instr; /* caches were counted too */
	decode_split(c);
	Py_DECREF(bytes);
	PyErr_Restore(type, value, tb);
}

int code_index(struct code *c, int offset)
{
	code_decode(c);
	if (offset < 0 || offset / 2 >= c->units)
		return -1;
	return c->unit_index[offset / 2];
}

int code_event_index(struct code *c, int index)
{
	int i = index;

	code_decode(c);
	if (i < 0 || i >= c->n)
		return index;
	while (i && c->instr[i].flags & INSTR_NO_EVENT && c->instr[i - 1].flags & INSTR_PREFIX)
		i--;
	for (; i < c->n; i++)
		if (!(c->instr[i].flags & INSTR_NO_EVENT))
			return i;
	return index;
}

/* ---- names -------------------------------------------------------------------------------------- */

static const char *code_string(PyObject *s)
{
	return value_name((struct py_obj *)s);
}

const char *code_name(const struct code *c)
{
	return code_string(code_object(c)->co_name);
}

const char *code_qualname(const struct code *c)
{
	return code_string(code_object(c)->co_qualname);
}

const char *code_file(const struct code *c)
{
	PyObject *name = code_object(c)->co_filename;
	const char *p = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	if (!p)
		PyErr_Clear(); /* a lone surrogate: no such file can be read */
	return p ? p : code_string(name);
}

bool code_file_is(const struct code *c, struct py_obj *text)
{
	PyObject *file = code_object(c)->co_filename;

	return PyUnicode_CheckExact(file) && PyUnicode_CheckExact((PyObject *)text) &&
	       PyUnicode_Compare(file, (PyObject *)text) == 0;
}

int code_first_line(const struct code *c)
{
	return code_object(c)->co_firstlineno;
}

int code_nlocals(const struct code *c)
{
	return code_object(c)->co_nlocalsplus;
}

int code_nargs(const struct code *c)
{
	const PyCodeObject *co = code_object(c);

	return co->co_argcount + co->co_kwonlyargcount + !!(co->co_flags & CO_VARARGS) +
	       !!(co->co_flags & CO_VARKEYWORDS);
}

const char *code_local_name(const struct code *c, int i)
{
	return code_string(PyTuple_GET_ITEM(code_object(c)->co_localsplusnames, i));
}

enum local_kind code_local_kind(const struct code *c, int i)
{
	int bits = py_code_local_kind(c->co, i);

	return bits & 0x80 ? LOCAL_FREE : bits & 0x40 ? LOCAL_CELL : LOCAL_FAST;
}

bool code_is_class(const struct code *c)
{
	return !(code_object(c)->co_flags & CO_OPTIMIZED) && code_name(c)[0] != '<';
}

bool code_is_coroutine(const struct code *c)
{
	return ((PyCodeObject *)c->co)->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR);
}

bool code_is_generator(const struct code *c)
{
	return code_object(c)->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR);
}

struct py_code *code_nested(const struct code *c, int i)
{
	PyObject *consts = code_object(c)->co_consts;
	Py_ssize_t k;

	for (k = 0; k < PyTuple_GET_SIZE(consts); k++)
		if (PyCode_Check(PyTuple_GET_ITEM(consts, k)) && !i--)
			return (struct py_code *)PyTuple_GET_ITEM(consts, k);
	return NULL;
}

bool code_unused(struct py_code *co)
{
	PyObject *consts = ((PyCodeObject *)co)->co_consts, *item;
	Py_ssize_t i;

	if (Py_REFCNT((PyObject *)co) != 1)
		return false;
	for (i = 0; i < PyTuple_GET_SIZE(consts); i++) {
		item = PyTuple_GET_ITEM(consts, i);
		if (PyCode_Check(item) && !code_unused((struct py_code *)item))
			return false;
	}
	return true;
}
