/* SPDX-License-Identifier: BSD-3-Clause */
/* The compact tables of a code object: the source position of each instruction, and the handler that guards it. Their
   formats (Objects/locations.md, Objects/exception_handling_notes.txt) are the same from 3.11 on. */
#include <Python.h>
#include "base/buf.h"
#include "py/code/code_impl.h"

/* The bytes of a table; after its end, zeros are read. */
struct reader {
	const unsigned char *p, *end;
};

static struct reader reader_of(PyObject *bytes)
{
	struct reader r = { 0 };

	if (bytes && PyBytes_Check(bytes)) {
		r.p = (const unsigned char *)PyBytes_AS_STRING(bytes);
		r.end = r.p + PyBytes_GET_SIZE(bytes);
	}
	return r;
}

static int reader_byte(struct reader *r)
{
	return r->p < r->end ? *r->p++ : 0;
}

/* A table that was made by hand can contain any number: a sum that is too large wraps around. */
static int sum(int a, int b)
{
	return (int)((unsigned)a + (unsigned)b);
}

/* ---- lines and columns -------------------------------------------------------------------------- */

/* Six bits a byte, the lowest first. */
static int location_varint(struct reader *r)
{
	unsigned n = 0, shift = 0;
	int b;

	do {
		b = reader_byte(r);
		if (shift < 32)
			n |= (unsigned)(b & 63) << shift;
		shift += 6;
	} while (b & 64);
	return (int)n;
}

static int location_svarint(struct reader *r)
{
	unsigned n = (unsigned)location_varint(r);

	return n & 1 ? -(int)(n >> 1) : (int)(n >> 1);
}

/* Reads one entry and updates *line. Returns the number of code units that it covers. */
static int location_entry(struct reader *r, int *line, struct instr *at)
{
	int first = reader_byte(r), form = first >> 3 & 15, b;

	*at = (struct instr){ .col = -1, .end_col = -1 };
	switch (form) {
	case PY_CODE_LOCATION_INFO_NONE:
		return (first & 7) + 1;
	case PY_CODE_LOCATION_INFO_LONG:
		*line = sum(*line, location_svarint(r));
		at->end_line = sum(*line, location_varint(r));
		at->col = sum(location_varint(r), -1);
		at->end_col = sum(location_varint(r), -1);
		break;
	case PY_CODE_LOCATION_INFO_NO_COLUMNS:
		*line = sum(*line, location_svarint(r));
		at->end_line = *line;
		break;
	case PY_CODE_LOCATION_INFO_ONE_LINE0:
	case PY_CODE_LOCATION_INFO_ONE_LINE1:
	case PY_CODE_LOCATION_INFO_ONE_LINE2:
		*line = sum(*line, form - PY_CODE_LOCATION_INFO_ONE_LINE0);
		at->end_line = *line;
		at->col = reader_byte(r);
		at->end_col = reader_byte(r);
		break;
	default:
		b = reader_byte(r);
		at->end_line = *line;
		at->col = form << 3 | b >> 4;
		at->end_col = at->col + (b & 15);
	}
	at->line = *line;
	return (first & 7) + 1;
}

void location_decode(struct code *c)
{
	PyCodeObject *co = (PyCodeObject *)c->co;
	struct reader r = reader_of(co->co_linetable);
	int line = co->co_firstlineno, last = 0, unit = 0, i = 0, end;
	struct instr at;

	while (r.p < r.end) {
		end = unit + location_entry(&r, &line, &at);
		for (; i < c->n && c->instr[i].offset / 2 < end; i++) {
			struct instr *in = &c->instr[i];

			in->line = at.line;
			in->end_line = at.end_line;
			in->col = at.col;
			in->end_col = at.end_col;
			if (at.line && at.line != last) {
				in->flags |= INSTR_LINE;
				last = at.line;
			}
		}
		unit = end;
	}
	for (i = c->n - 1; i >= 0; i--)
		if ((c->instr[i].flags & INSTR_RETURN) ||
		    (i + 1 < c->n && c->instr[i + 1].line == c->instr[i].line && c->instr[i + 1].flags & INSTR_RETURNS))
			c->instr[i].flags |= INSTR_RETURNS;
}

/* ---- a line for each instruction ---------------------------------------------------------------- */

int location_forged_line(const struct code *c, int index)
{
	return sum(((PyCodeObject *)c->co)->co_firstlineno, 1 + index);
}

struct py_obj *location_forge(struct code *c)
{
	struct buf b = { 0 };
	PyObject *table;
	int i, left, n;

	code_decode(c);
	for (i = 0; i < c->n; i++) {
		int end = i + 1 < c->n ? code_unit(c, i + 1) : c->units;
		int delta = 1;

		for (left = end - code_unit(c, i); left > 0; left -= n) {
			n = left < 8 ? left : 8;
			buf_addc(&b, (char)(0x80 | PY_CODE_LOCATION_INFO_NO_COLUMNS << 3 | (n - 1)));
			buf_addc(&b, (char)(delta << 1)); /* signed, in one byte */
			delta = 0;
		}
	}
	table = PyBytes_FromStringAndSize(buf_str(&b), (Py_ssize_t)b.len);
	buf_release(&b);
	return (struct py_obj *)table;
}

/* ---- the exception table ------------------------------------------------------------------------ */

/* Six bits a byte, the highest first; bit 7 only marks where an entry begins. */
static int except_varint(struct reader *r)
{
	int b = reader_byte(r), n = b & 63;

	while (b & 64) {
		b = reader_byte(r);
		n = (int)((unsigned)n << 6) | (b & 63);
	}
	return n;
}

static int except_index(const struct code *c, int unit)
{
	return unit >= 0 && unit < c->units ? c->unit_index[unit] : c->n;
}

void except_decode(struct code *c)
{
	struct reader r = reader_of(((PyCodeObject *)c->co)->co_exceptiontable);
	size_t cap = 0;

	if (c->crash.room) /* a row has a byte at least */
		c->except = code_memory(c, ((size_t)(r.end - r.p) + 1) * sizeof(*c->except));
	while (r.p < r.end) {
		struct except *e;
		int start = except_varint(&r), length = except_varint(&r);
		int target = except_varint(&r), depth = except_varint(&r);

		if (!c->crash.room)
			c->except = mem_grow(c->except, &cap, (size_t)c->nexcept + 1, sizeof(*c->except));
		e = &c->except[c->nexcept];
		e->start = except_index(c, start);
		e->end = except_index(c, sum(start, length));
		e->target = except_index(c, target);
		e->depth = depth >> 1;
		e->lasti = depth & 1;
		if (e->target >= c->n)
			continue; /* made by hand, and wrong */
		c->instr[e->target].flags |= INSTR_HANDLER;
		c->nexcept++;
	}
}
