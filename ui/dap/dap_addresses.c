/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers by which clients address instructions, and the request disassemble.  A code object gets a range of its own;
   the numbers are no addresses of memory, which another code object could have later. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "engine/plug.h"
#include "engine/region_name.h"
#include "engine/stack.h"
#include "py/py.h"
#include "ui/dap/dap_call.h"
#include "ui/dap/dap_state.h"

enum { RANGE = 0x10000000 };

static struct {
	struct py_code **co; /* owned; the range of the i-th begins at (i + 1) * RANGE */
	size_t n, cap;
} known;

void dap_addresses_forget(void)
{
	while (known.n)
		py_unref_later(known.co[--known.n]);
}

static long long base_of(size_t i)
{
	return (long long)(i + 1) * RANGE;
}

void dap_addresses_add(struct buf *out, struct code *c, int offset)
{
	size_t i;

	for (i = 0; i < known.n && known.co[i] != c->co; i++)
		;
	if (i == known.n) {
		known.co = mem_grow(known.co, &known.cap, known.n + 1, sizeof(struct py_code *));
		known.co[known.n++] = py_ref(c->co);
	}
	buf_addf(out, "0x%llx", base_of(i) + offset);
}

/* What is before the range of a code object, by less than half a range, is filled with nothing for it. */
bool dap_addresses_find(const char *reference, long long offset, struct code **c, long *at)
{
	char *end;
	long long n = strtoll(reference, &end, 0), i;

	if (end == reference || *end || n <= 0 || n > LLONG_MAX / 2 || offset < -RANGE || offset > RANGE)
		return false;
	n += offset;
	i = (n + RANGE / 2) / RANGE - 1;
	if (i < 0 || i >= (long long)known.n)
		return false;
	*c = code_get(known.co[i]);
	code_decode(*c);
	*at = (long)(n - base_of((size_t)i));
	return true;
}

/* ---- disassemble ------------------------------------------------------------------------------------------------ */

struct listing {
	struct session *s;
	struct code *c;
	const char *file; /* of the row before, borrowed */
};

static void put_location(struct listing *l, int line, struct val *row)
{
	struct val *source;

	val_put(row, "line", val_int(line - 1 + dap.first_line));
	if (l->file)
		return;
	l->file = code_file(l->c);
	source = val_map();
	if (dap_sources_put(l->s, l->file, source))
		val_put(row, "location", source);
	else
		val_free(source);
}

static void put_instruction(struct listing *l, int index, struct val *row)
{
	const struct instr *i = &l->c->instr[index];
	const struct region *r = plug_region(l->s, l->c, index);
	int line = stack_line(l->s, l->c, index);
	struct buf b = { 0 };

	buf_adds(&b, py_op_name(i->op));
	if (i->has_arg) {
		buf_addc(&b, ' ');
		code_arg_text(l->c, index, &b);
	}
	if (r)
		buf_addf(&b, "    ; %s", region_name(r->kind));
	val_put(row, "instruction", val_str(b.s));
	if (line > 0)
		put_location(l, line, row);
	if (index == 0 || (r && r->start == index))
		val_put(row, "symbol", val_str(index == 0 ? code_qualname(l->c) : region_name(r->kind)));
	buf_release(&b);
}

/* Exactly as many rows as were asked for: what is outside of the code is invalid, two bytes a row. */
static void put_row(struct listing *l, long index, struct val *row)
{
	const struct code *c = l->c;
	long offset = index < 0 ? 2 * index : index < c->n ? c->instr[index].offset : 2 * (c->units + index - c->n);
	struct buf at = { 0 };

	dap_addresses_add(&at, l->c, (int)offset);
	val_put(row, "address", val_str(at.s));
	buf_release(&at);
	if (index >= 0 && index < c->n) {
		put_instruction(l, (int)index, row);
	} else {
		val_put(row, "instruction", val_str(""));
		val_put(row, "presentationHint", val_str("invalid"));
	}
}

/* The instruction that holds an offset, counted on before the first and behind the last. */
static long index_at(struct code *c, long offset)
{
	if (offset < 0)
		return (offset - 1) / 2;
	if (offset >= 2L * c->units)
		return c->n + offset / 2 - c->units;
	return code_index(c, (int)offset);
}

int dap_disassemble(struct session *s, struct dap_call *c, struct err *err)
{
	long long count = val_number(c->args, "instructionCount", 0),
		  first = val_number(c->args, "instructionOffset", 0);
	struct listing l = { .s = s };
	struct val *rows;
	long at;

	if (!dap_addresses_find(val_text(c->args, "memoryReference"), val_number(c->args, "offset", 0), &l.c, &at))
		return err_set(err, "no code has the address '%s': instructionPointerReference of a frame is one",
			       val_text(c->args, "memoryReference"));
	if (count < 0 || count > 100000 || first < -1000000 || first > 1000000)
		return err_set(err, "at most 100000 instructions are listed at once");
	c->body = val_map();
	rows = val_put(c->body, "instructions", val_list());
	for (first += index_at(l.c, at); count--; first++)
		put_row(&l, (long)first, val_push(rows, val_map()));
	return 0;
}
