/* SPDX-License-Identifier: BSD-3-Clause */
/* Encodes instructions as bytes: prefixes, caches, jumps, and the tables of lines and handlers. py_op_target()
   determines the argument of a jump. */
#include <Python.h>
#include <opcode.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"

struct layout {
	struct assembly *a;
	struct code *c;
	int *start; /* unit at which instruction i begins, its prefixes first; n + 1 of them */
	int *prefixes;
};

static int prefixes_of(int arg)
{
	return arg > 0xffffff ? 3 : arg > 0xffff ? 2 : arg > 0xff ? 1 : 0;
}

static void place_instrs(struct layout *l)
{
	int i, unit = 0;

	for (i = 0; i < l->c->n; i++) {
		l->start[i] = unit;
		unit += l->prefixes[i] + 1 + py_op_caches(l->c->instr[i].op);
	}
	l->start[i] = unit;
}

/* ---- jumps ------------------------------------------------------------------------------------------ */

/* The opcode that does the same in the other direction, -1: there is none. */
static int op_turned(int op)
{
	static const char *const ways[2] = { "FORWARD", "BACKWARD" };
	const char *name = py_op_name(op), *at;
	char turned[64];
	int i;

	for (i = 0; i < 2; i++) {
		at = strstr(name, ways[i]);
		if (!at)
			continue;
		snprintf(turned, sizeof(turned), "%.*s%s%s", (int)(at - name), name, ways[!i],
			 strstr(at, "_NO_INTERRUPT") ? "" : at + strlen(ways[i]));
		return op_named(turned);
	}
	return -1;
}

static bool op_reaches(int op, int pos, int target, int *arg)
{
	int next = pos + 1 + py_op_caches(op), way, n;

	for (way = 1; way >= -1; way -= 2) {
		n = way * (target - next);
		if (n < 0)
			continue;
		n += way * (target - py_op_target(op, n, pos, next));
		if (n >= 0 && py_op_target(op, n, pos, next) == target) {
			*arg = n;
			return true;
		}
	}
	return false;
}

static int aim(struct layout *l, int i, bool *moved)
{
	struct instr *in = &l->c->instr[i];
	int pos = l->start[i] + l->prefixes[i], target = l->start[in->target], op = in->op;

	if (op_reaches(op, pos, target, &in->arg))
		return 0;
	op = op_turned(in->op);
	if (op < 0 || !op_reaches(op, pos, target, &in->arg))
		return assembly_refuse(l->a, l->a->at[i], "%s cannot jump in that direction", py_op_name(in->op));
	*moved |= py_op_caches(in->op) != py_op_caches(op);
	in->op = (uint8_t)op;
	return 0;
}

/* Repeats until nothing moves: the number of prefixes only grows. */
static int lay_out(struct layout *l)
{
	bool moved = true;
	int i, n;

	for (i = 0; i < l->c->n; i++)
		l->prefixes[i] = prefixes_of(l->c->instr[i].arg);
	while (moved) {
		moved = false;
		place_instrs(l);
		for (i = 0; i < l->c->n; i++) {
			if (l->c->instr[i].target >= 0 && aim(l, i, &moved) < 0)
				return -1;
			n = prefixes_of(l->c->instr[i].arg);
			if (n > l->prefixes[i]) {
				l->prefixes[i] = n;
				moved = true;
			}
		}
	}
	return 0;
}

static PyObject *bytes_of(struct buf *b)
{
	PyObject *v = PyBytes_FromStringAndSize(buf_str(b), (Py_ssize_t)b->len);

	buf_release(b);
	return v;
}

static PyObject *emit_code(struct layout *l)
{
	struct buf b = { 0 };
	int i, k;

	for (i = 0; i < l->c->n; i++) {
		const struct instr *in = &l->c->instr[i];

		for (k = l->prefixes[i]; k; k--) {
			buf_addc(&b, (char)EXTENDED_ARG);
			buf_addc(&b, (char)(in->arg >> (8 * k)));
		}
		buf_addc(&b, (char)in->op);
		buf_addc(&b, (char)in->arg);
		for (k = py_op_caches(in->op); k; k--)
			buf_add(&b, "\0", 2);
	}
	return bytes_of(&b);
}

/* ---- lines: Objects/locations.md -------------------------------------------------------------------- */

static void emit_varint(struct buf *b, unsigned n)
{
	for (; n >= 64; n >>= 6)
		buf_addc(b, (char)(64 | (n & 63)));
	buf_addc(b, (char)n);
}

static void add_position(struct buf *b, const struct instr *in, int units, int delta)
{
	bool none = !in->line && !in->end_line && in->col < 0;
	bool columns = in->col >= 0 || in->end_line != in->line;
	int form = none	   ? PY_CODE_LOCATION_INFO_NONE :
		   columns ? PY_CODE_LOCATION_INFO_LONG :
			     PY_CODE_LOCATION_INFO_NO_COLUMNS;

	buf_addc(b, (char)(0x80 | form << 3 | (units - 1)));
	if (none)
		return;
	emit_varint(b, delta < 0 ? (unsigned)-delta << 1 | 1 : (unsigned)delta << 1);
	if (!columns)
		return;
	emit_varint(b, (unsigned)(in->end_line - in->line));
	emit_varint(b, (unsigned)(in->col + 1));
	emit_varint(b, (unsigned)(in->end_col + 1));
}

static bool same_position(const struct instr *a, const struct instr *b)
{
	return a->line == b->line && a->end_line == b->end_line && a->col == b->col && a->end_col == b->end_col;
}

static PyObject *emit_lines(struct layout *l)
{
	int i, k, line = code_first_line(l->a->base), units, n;
	struct buf b = { 0 };

	for (i = 0; i < l->c->n; i = k) {
		const struct instr *in = &l->c->instr[i];

		for (k = i + 1; k < l->c->n && same_position(&l->c->instr[k], in); k++)
			;
		for (units = l->start[k] - l->start[i]; units > 0; units -= n) {
			n = units < 8 ? units : 8;
			add_position(&b, in, n, in->line - line);
			if (in->line || in->end_line || in->col >= 0)
				line = in->line;
		}
	}
	return bytes_of(&b);
}

/* ---- handlers: Objects/exception_handling_notes.txt -------------------------------------------------- */

static void add_varint(struct buf *b, unsigned n, int mark)
{
	int shift;

	for (shift = 24; shift > 0 && !(n >> shift); shift -= 6)
		;
	for (; shift > 0; shift -= 6, mark = 0)
		buf_addc(b, (char)(mark | 64 | (n >> shift & 63)));
	buf_addc(b, (char)(mark | (n & 63)));
}

static PyObject *emit_handlers(struct layout *l)
{
	struct buf b = { 0 };
	int i;

	for (i = 0; i < l->c->nexcept; i++) {
		const struct except *e = &l->c->except[i];

		add_varint(&b, (unsigned)l->start[e->start], 0x80);
		add_varint(&b, (unsigned)(l->start[e->end] - l->start[e->start]), 0);
		add_varint(&b, (unsigned)l->start[e->target], 0);
		add_varint(&b, (unsigned)(e->depth << 1 | e->lasti), 0);
	}
	return bytes_of(&b);
}

/* ---- the code object --------------------------------------------------------------------------------- */

/* Computes the depth that the base needs in the same way, and compares it with its stack size, which may be larger
   in 3.13 and later. */
static int stack_size(const struct assembly *a)
{
	int had = ((PyCodeObject *)a->base->co)->co_stacksize, needed = 0, i;

	for (i = 0; i < a->base->n; i++)
		if (a->base->instr[i].depth > needed)
			needed = a->base->instr[i].depth;
	if (a->stack <= needed)
		return had;
	return had + a->stack - needed + py_facts.spare_slots;
}

static PyObject *variables_of(const struct assembly *a)
{
	PyObject *head = PyList_GetSlice(a->locals.list, 0, a->nlocals), *names = head ? PyList_AsTuple(head) : NULL;

	Py_XDECREF(head);
	return names;
}

static struct py_code *build_code(struct layout *l)
{
	struct assembly *a = l->a;
	PyObject *replace = PyObject_GetAttrString((PyObject *)a->base->co, "replace"), *made = NULL;
	PyObject *none = PyTuple_New(0), *kw;

	kw = Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N,s:i,s:i}", "co_code", emit_code(l), "co_linetable", emit_lines(l),
			   "co_exceptiontable", emit_handlers(l), "co_consts", PyList_AsTuple(a->consts.list),
			   "co_names", PyList_AsTuple(a->names.list), "co_varnames", variables_of(a), "co_nlocals",
			   a->nlocals, "co_stacksize", stack_size(a));
	if (replace && none && kw)
		made = PyObject_Call(replace, none, kw);
	if (!made && PyErr_Occurred())
		err_set(a->err, "CPython refuses the code");
	PyErr_Clear();
	Py_XDECREF(kw);
	Py_XDECREF(none);
	Py_XDECREF(replace);
	return (struct py_code *)made;
}

/* The decoder must compute the same: code that it does not understand is refused. */
static struct py_code *verified(struct assembly *a, struct py_code *made)
{
	struct code *c = made ? code_get(made) : NULL;
	int i, n = 0;

	if (!c)
		return made;
	code_decode(c);
	if (c->depth_ok)
		return made;
	for (i = 0; i < c->doubt; i++)
		n += !(c->instr[i].flags & INSTR_PREFIX);
	assembly_refuse(a, n < a->code.n ? a->at[n] : 0, "paths that join here have value stacks of different depths");
	py_unref(made);
	return NULL;
}

struct py_code *assembly_emit(struct assembly *a)
{
	struct layout l = { .a = a, .c = &a->code };
	struct py_code *made = NULL;

	l.start = mem_alloc(((size_t)a->code.n + 1) * sizeof(*l.start));
	l.prefixes = mem_alloc(((size_t)a->code.n + 1) * sizeof(*l.prefixes));
	if (lay_out(&l) == 0)
		made = verified(a, build_code(&l));
	free(l.start);
	free(l.prefixes);
	return made;
}
