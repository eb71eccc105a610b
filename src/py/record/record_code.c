/* SPDX-License-Identifier: BSD-3-Clause */
/* What a record keeps of a code object: see record_code.h.  Uses the names of opcodes, so that it works for all
   versions. */
#include "py/record/record_code.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "py/code/code.h"
#include "py/code/op.h"
#include "py/interp/host.h"
#include "py/record/record_value.h"
#include "py/version/opcodes.h"

/* A block that is being made. */
struct draft {
	struct code *c;
	struct record_step *step;
	struct record_instr *instr;
	struct record_local *local;
	struct record_note *note;
	struct record_value *value;
	size_t nvalues, values_cap;
	struct buf texts;
	uint32_t op_text[256];
};

static uint32_t draft_text(struct draft *d, const char *s)
{
	uint32_t at = (uint32_t)d->texts.len;

	if (!s || !*s)
		return 0;
	buf_add(&d->texts, s, strlen(s) + 1);
	return at;
}

/* ---- effects ---------------------------------------------------------------------------------------------- */

static void draft_const(struct draft *d, int index, struct record_step *st)
{
	struct py_obj *v = code_arg_object(d->c, index);

	if (!v)
		return;
	d->value = mem_grow(d->value, &d->values_cap, d->nvalues + 1, sizeof(*d->value));
	d->value[d->nvalues] = record_value_of((uintptr_t)v);
	st->effect = EFFECT_CONST;
	st->a = (int32_t)d->nvalues++;
}

/* In-place changes of a container that is below the operands. */
static int touched(int op, int arg)
{
	switch (op) {
	case LIST_APPEND:
	case SET_ADD:
	case LIST_EXTEND:
	case SET_UPDATE:
	case DICT_UPDATE:
	case DICT_MERGE:
		return arg + 1;
	case MAP_ADD:
		return arg + 2;
	}
	return 0;
}

/* Opcodes of one kind share a line. */
/* clang-format off */
static int effect_of(int op)
{
	switch (op) {
	case LOAD_FAST: case LOAD_FAST_CHECK: case LOAD_CLOSURE:	return EFFECT_LOCAL;
	case LOAD_FAST_LOAD_FAST:					return EFFECT_LOCALS;
	case STORE_FAST:						return EFFECT_STORE;
	case STORE_FAST_STORE_FAST:					return EFFECT_STORES;
	case STORE_FAST_LOAD_FAST:					return EFFECT_EXCHANGE;
	case LOAD_FAST_AND_CLEAR:					return EFFECT_CLEAR;
	case DELETE_FAST:						return EFFECT_DELETE;
	case STORE_DEREF:						return EFFECT_CELL;
	case DELETE_DEREF:						return EFFECT_UNCELL;
	case COPY:							return EFFECT_COPY;
	case SWAP:							return EFFECT_SWAP;
	case PUSH_NULL:							return EFFECT_NULL;
	case PRECALL:							return EFFECT_METHOD;
	case COPY_FREE_VARS: case RETURN_GENERATOR: case YIELD_VALUE: case SEND: case MAKE_CELL:
		return EFFECT_KEY;
	}
	return EFFECT_RESULTS;
}
/* clang-format on */

static int unit_with_event(struct code *c, int index)
{
	return index < 0 || index >= c->n || (c->instr[index].flags & INSTR_NO_EVENT) ? -1 : code_unit(c, index);
}

/* The event at instruction `at` is that of `index`, after prefixes. */
static void draft_step(struct draft *d, int at, int index)
{
	struct code *c = d->c;
	const struct instr *in = &c->instr[index];
	struct record_step *st = &d->step[code_unit(c, at)];
	int op = op_plain(in->op);
	struct op_words words;

	st->instr = (uint32_t)index;
	st->depth = c->instr[at].depth < 0 ? 0xffff : (uint16_t)c->instr[at].depth;
	st->pops = (uint16_t)py_op_pops(in->op, in->arg);
	st->effect = (uint8_t)effect_of(op);
	st->a = py_op_arg_index(in->op, in->arg, &words);
	st->b = words.second;
	st->flags = in->flags & INSTR_RETURN		   ? RECORD_STEP_RETURNS :
		    op == YIELD_VALUE			   ? RECORD_STEP_YIELDS :
		    op == STORE_NAME || op == STORE_GLOBAL ? RECORD_STEP_NAMED :
							     0;
	if (op == LOAD_CONST || op == RETURN_CONST)
		draft_const(d, index, st);
	if (st->effect == EFFECT_METHOD)
		st->pops = (uint16_t)(in->arg + 2);
	if (touched(op, in->arg)) {
		st->effect = EFFECT_TOUCH;
		st->a = touched(op, in->arg);
	}
	if (st->effect == EFFECT_KEY)
		return;
	st->next = py_op_ends(in->op) ? -1 : unit_with_event(c, index + 1);
	st->jump = in->target < 0 ? -1 : unit_with_event(c, in->target);
}

static void draft_steps(struct draft *d)
{
	struct code *c = d->c;
	int i, k;

	for (i = 0; i < c->units; i++)
		d->step[i] = (struct record_step){ .next = -1, .jump = -1, .depth = 0xffff, .effect = EFFECT_KEY };
	for (i = 0; i < c->n; i++) {
		for (k = i;
		     k < c->n - 1 && c->instr[k].flags & INSTR_PREFIX && (c->instr[k + 1].flags & INSTR_NO_EVENT);)
			k++;
		draft_step(d, i, k);
		if (k == i && c->instr[i].flags & INSTR_PREFIX) {
			d->step[code_unit(c, i)].effect = EFFECT_NOTHING;
			d->step[code_unit(c, i)].pops = 0;
		}
	}
}

/* ---- texts ------------------------------------------------------------------------------------------------ */

static void draft_instrs(struct draft *d)
{
	struct code *c = d->c;
	struct buf arg = { 0 };
	int i, op;

	for (i = 0; i < c->n; i++) {
		op = c->instr[i].op & 255;
		if (!d->op_text[op])
			d->op_text[op] = draft_text(d, py_op_name(c->instr[i].op));
		buf_reset(&arg);
		code_arg_text(c, i, &arg);
		d->instr[i] = (struct record_instr){ .unit = (uint32_t)code_unit(c, i),
						     .line = c->instr[i].line,
						     .op = d->op_text[op],
						     .arg = draft_text(d, buf_str(&arg)),
						     .note = -1 };
	}
	buf_release(&arg);
}

static void draft_locals(struct draft *d)
{
	int i;

	for (i = 0; i < code_nlocals(d->c); i++)
		d->local[i] = (struct record_local){ .name = draft_text(d, code_local_name(d->c, i)),
						     .kind = code_local_kind(d->c, i) };
}

static void draft_notes(struct draft *d, const struct code_notes *notes)
{
	const struct code_note *from;
	int i, k, unit;

	for (i = 0; notes && i < notes->n; i++) {
		from = &notes->note[i];
		d->note[i] = (struct record_note){ .unit = (uint32_t)from->unit,
						   .what = draft_text(d, from->what),
						   .name = draft_text(d, from->name),
						   .file = draft_text(d, from->file),
						   .line = from->line };
		for (k = 0; k < d->c->n; k++) {
			unit = code_unit(d->c, k);
			if (unit == from->unit)
				d->step[unit].flags |= RECORD_STEP_LEADS;
			if (unit >= from->unit)
				d->instr[k].note = i;
		}
	}
}

/* ---- the block -------------------------------------------------------------------------------------------- */

static size_t put_part(char *block, size_t *at, const void *part, size_t n)
{
	size_t begin = *at;

	if (n)
		memcpy(block + begin, part, n);
	*at += (n + 7) & ~(size_t)7;
	return begin;
}

static struct record_code *draft_block(struct draft *d, uint32_t id, int nnotes)
{
	struct code *c = d->c;
	size_t nlocals = (size_t)code_nlocals(c), n = (size_t)c->n, units = (size_t)c->units;
	size_t at = sizeof(struct record_code);
	size_t size;
	const struct code_notes *notes = c->crash.notes;
	struct record_code *r, head;
	char *block;
	int i, deepest = 0;

	for (i = 0; i < c->n; i++)
		deepest = c->instr[i].depth > deepest ? c->instr[i].depth : deepest;
	head = (struct record_code){ .item = { .kind = RECORD_ITEM_CODE, .id = id },
				     .units = (uint32_t)units,
				     .ninstrs = (uint32_t)n,
				     .nlocals = (uint32_t)nlocals,
				     .room = (uint32_t)nlocals + (uint32_t)deepest + 8,
				     .nconsts = (uint32_t)d->nvalues,
				     .nnotes = (uint32_t)nnotes,
				     .first_line = code_first_line(c),
				     .kind = c->kind,
				     .name = draft_text(d, code_name(c)),
				     .nargs = (uint32_t)code_nargs(c),
				     .values = nlocals <= RECORD_VALUES_MOST && deepest + 8 <= RECORD_VALUES_MOST };
	head.qualname = draft_text(d, notes && notes->function ? notes->function : code_qualname(c));
	head.file = draft_text(d, code_file(c));
	head.title = draft_text(d, notes ? notes->title : NULL);
	head.entry = draft_text(d, notes ? notes->entry : NULL);
	size = at + units * sizeof(*d->step) + n * sizeof(*d->instr) + nlocals * sizeof(*d->local) +
	       (size_t)nnotes * sizeof(*d->note) + d->nvalues * sizeof(*d->value) + d->texts.len + 8 * 8;
	if (size > UINT32_MAX)
		return NULL;
	r = mem_alloc(size);
	*r = head;
	block = (char *)r;
	r->steps = (uint32_t)put_part(block, &at, d->step, units * sizeof(*d->step));
	r->instrs = (uint32_t)put_part(block, &at, d->instr, n * sizeof(*d->instr));
	r->consts = (uint32_t)put_part(block, &at, d->value, d->nvalues * sizeof(*d->value));
	r->locals = (uint32_t)put_part(block, &at, d->local, nlocals * sizeof(*d->local));
	r->notes = (uint32_t)put_part(block, &at, d->note, (size_t)nnotes * sizeof(*d->note));
	r->ntexts = (uint32_t)d->texts.len;
	r->texts = (uint32_t)put_part(block, &at, d->texts.s, d->texts.len);
	r->item.size = (uint32_t)at;
	return r;
}

struct record_code *record_code_make(struct code *c, uint32_t id)
{
	const struct code_notes *notes = c->crash.notes;
	int nnotes = notes ? notes->n : 0;
	struct draft d = { .c = c };
	struct host_pending pending;
	struct record_code *r;

	if (c->units > RECORD_UNITS)
		return NULL;
	host_pending_keep(&pending);
	code_decode(c);
	d.step = mem_alloc((size_t)(c->units + 1) * sizeof(*d.step));
	d.instr = mem_alloc((size_t)(c->n + 1) * sizeof(*d.instr));
	d.local = mem_alloc((size_t)(code_nlocals(c) + 1) * sizeof(*d.local));
	d.note = mem_alloc((size_t)(nnotes + 1) * sizeof(*d.note));
	buf_addc(&d.texts, '\0');
	draft_steps(&d);
	draft_instrs(&d);
	draft_locals(&d);
	draft_notes(&d, notes);
	r = draft_block(&d, id, nnotes);
	host_pending_give_back(&pending);
	free(d.step);
	free(d.instr);
	free(d.local);
	free(d.note);
	free(d.value);
	buf_release(&d.texts);
	return r;
}

/* ---- a block of a file ------------------------------------------------------------------------------------ */

static bool fits(const struct record_code *r, uint32_t at, uint64_t n, size_t each)
{
	return at % 8 == 0 && at >= sizeof(*r) && at <= r->item.size && n * each <= r->item.size - at;
}

static bool texts_valid(const struct record_code *r)
{
	const struct record_instr *in;
	const struct record_note *note;
	const struct record_step *st;
	uint32_t i, n = r->ntexts;

	for (i = 0; i < r->ninstrs; i++) {
		in = record_code_instr(r, i);
		if (in->op >= n || in->arg >= n || in->unit >= r->units || in->note >= (int64_t)r->nnotes ||
		    in->note < -1)
			return false;
	}
	for (i = 0; i < r->nlocals; i++)
		if (record_code_local(r, i)->name >= n || record_code_local(r, i)->kind > LOCAL_FREE)
			return false;
	for (i = 0; i < r->nnotes; i++) {
		note = record_code_note(r, i);
		if (note->what >= n || note->name >= n || note->file >= n)
			return false;
	}
	for (i = 0; i < r->units; i++) {
		st = record_code_step(r, i);
		if (st->instr >= r->ninstrs || st->effect >= EFFECT_KINDS)
			return false;
	}
	return r->name < n && r->qualname < n && r->file < n && r->title < n && r->entry < n;
}

bool record_code_valid(const void *block, size_t size)
{
	const struct record_code *r = block;

	if (size < sizeof(*r) || r->item.size != size || !r->units || r->units > RECORD_UNITS || !r->ntexts ||
	    r->kind > KIND_SELF || r->nlocals > r->room || r->nargs > r->nlocals ||
	    r->room > 2 * RECORD_VALUES_MOST + 16)
		return false;
	if (!fits(r, r->steps, r->units, sizeof(struct record_step)) ||
	    !fits(r, r->instrs, r->ninstrs, sizeof(struct record_instr)) ||
	    !fits(r, r->consts, r->nconsts, sizeof(struct record_value)) ||
	    !fits(r, r->locals, r->nlocals, sizeof(struct record_local)) ||
	    !fits(r, r->notes, r->nnotes, sizeof(struct record_note)) || !fits(r, r->texts, r->ntexts, 1))
		return false;
	return !record_code_text(r, 0)[0] && !record_code_text(r, r->ntexts - 1)[0] && texts_valid(r);
}

int record_code_line(const struct record_code *c, uint32_t i)
{
	const struct record_instr *in = record_code_instr(c, i);

	if (!in->line && i + 1 < c->ninstrs && !strcmp(record_code_text(c, in->op), "PUSH_EXC_INFO"))
		in += in[1].line > 0;
	while (!in->line && in > record_code_instr(c, 0))
		in--;
	return in->line;
}

bool record_code_is(const struct record_code *c, const char *name)
{
	const char *qualname = record_code_text(c, c->qualname);
	size_t n = strlen(name), all = strlen(qualname);
	const char *end = all >= n ? qualname + all - n : NULL;

	if (c->entry && !strcmp(record_code_text(c, c->entry), name))
		return c->kind == KIND_GENERATED;
	return !strcmp(record_code_text(c, c->name), name) ||
	       (end && !strcmp(end, name) && (end == qualname || end[-1] == '.'));
}

uint32_t record_code_first(const struct record_code *c)
{
	uint32_t i;

	for (i = 0; i + 1 < c->ninstrs; i++)
		if (!strcmp(record_code_text(c, record_code_instr(c, i)->op), "RESUME"))
			return i + 1;
	return 0;
}
