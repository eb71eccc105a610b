/* SPDX-License-Identifier: BSD-3-Clause */
/* What a record tells of many instructions: see past_history.h. */
#include "engine/past_history.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/past.h"
#include "engine/session.h"
#include "py/record/recorder.h"

enum { BACK = 512, ARGUMENTS = 8 }; /* rows that are searched for the frame's last one */

static const struct record_value nothing = { RECORD_VALUE, 0 };

void history_release(struct history *h)
{
	free(h->row);
	*h = (struct history){ 0 };
}

static const struct record_step *step_of(const struct record_code *c, uint32_t unit)
{
	return unit < c->units ? record_code_step(c, unit) : NULL;
}

/* ---- instructions ----------------------------------------------------------------------------------------- */

static struct history_row *add_row(struct history *h, const struct record_read *r)
{
	const struct record_frame *top = record_read_top(r);
	const struct record_code *c = top ? record_code_at(top->code) : NULL;

	if (!c)
		return NULL;
	h->row = mem_grow(h->row, &h->cap, h->n + 1, sizeof(*h->row));
	h->row[h->n] = (struct history_row){
		.number = r->number, .serial = top->serial, .code = c, .unit = top->unit, .level = r->n, .made = nothing
	};
	return &h->row[h->n++];
}

/* What the frame's last instruction made is on top of its stack now. */
static void note_made(struct history *h, const struct record_frame *top)
{
	const struct record_step *st;
	struct history_row *row;
	size_t i;

	for (i = h->n; i > 0 && h->n - i < BACK && h->row[i - 1].serial != top->serial; i--)
		;
	row = i > 0 && h->row[i - 1].serial == top->serial ? &h->row[i - 1] : NULL;
	st = row ? step_of(row->code, row->unit) : NULL;
	if (!st || !top->known || st->depth == 0xffff || !top->depth || (int)top->depth <= st->depth - (int)st->pops)
		return;
	row->made = top->values[top->nlocals + top->depth - 1];
}

/* ... and a store makes what it stores. */
static void note_stored(struct history_row *row, const struct record_frame *top)
{
	const struct record_step *st = step_of(row->code, row->unit);

	if (st && top->known && top->depth &&
	    (st->effect == EFFECT_STORE || st->effect == EFFECT_EXCHANGE || st->effect == EFFECT_CELL ||
	     st->flags & RECORD_STEP_NAMED))
		row->made = top->values[top->nlocals + top->depth - 1];
}

int history_last(struct session *s, long n, struct history *out, struct err *err)
{
	struct record_read r;
	uint64_t first, at, from;
	struct history_row *row;
	enum record_event what;

	if (past_reader(s, &r, &first, &at, err) < 0)
		return -1;
	from = at - first + 1 > (uint64_t)n ? at + 1 - (uint64_t)n : first;
	if (!record_read_before(&r, from)) {
		record_read_release(&r);
		return err_set(err, "the record is damaged there");
	}
	while ((what = record_read_next(&r)) != RECORD_READ_END) {
		if (what != RECORD_READ_INSTR)
			continue;
		note_made(out, record_read_top(&r));
		if (r.number > at)
			break;
		row = r.number >= from ? add_row(out, &r) : NULL;
		if (row)
			note_stored(row, record_read_top(&r));
	}
	record_read_release(&r);
	return 0;
}

/* ---- values that were written ----------------------------------------------------------------------------- */

/* Does this instruction store into a variable of that name?  *value: what. */
static bool stores(const struct record_code *c, const struct record_frame *top, const char *name,
		   struct record_value *value)
{
	const struct record_step *st = step_of(c, top->unit);
	const int32_t to[] = { st ? st->a : -1, st ? st->b : -1 };
	bool two = st && st->effect == EFFECT_STORES;
	uint32_t i;

	if (st && st->flags & RECORD_STEP_NAMED && top->known && top->depth &&
	    !strcmp(record_code_text(c, record_code_instr(c, st->instr)->arg), name)) {
		*value = top->values[top->nlocals + top->depth - 1];
		return true;
	}
	if (!st || !top->known ||
	    (!two && st->effect != EFFECT_STORE && st->effect != EFFECT_EXCHANGE && st->effect != EFFECT_CELL))
		return false;
	for (i = 0; i < (two ? 2u : 1u); i++)
		if (to[i] >= 0 && (uint32_t)to[i] < c->nlocals && top->depth > i &&
		    !strcmp(record_code_text(c, record_code_local(c, (uint32_t)to[i])->name), name)) {
			*value = top->values[top->nlocals + top->depth - 1 - i];
			return record_value_kind(value) !=
			       RECORDED_NULL; /* an inlined comprehension may restore none */
		}
	return false;
}

/* Was a variable of that name passed to the call?  *serial: the newest call that was seen. */
static bool passed(const struct record_code *c, const struct record_frame *top, const char *name, uint64_t *serial,
		   struct record_value *value)
{
	const struct record_step *st = step_of(c, top->unit);
	uint32_t i;

	if (top->serial <= *serial)
		return false;
	*serial = top->serial;
	if (!top->known || !st || st->instr > record_code_first(c))
		return false;
	for (i = 0; i < c->nargs && i < top->nlocals; i++)
		if (!strcmp(record_code_text(c, record_code_local(c, i)->name), name)) {
			*value = top->values[i];
			return record_value_kind(value) != RECORDED_NULL;
		}
	return false;
}

static void add_written(struct history *h, const struct record_read *r, const struct record_value *value, bool argument)
{
	struct history_row *row = add_row(h, r);

	if (!row)
		return;
	row->made = *value;
	row->argument = argument;
}

static void reverse(struct history *h)
{
	struct history_row row;
	size_t i;

	for (i = 0; i < h->n / 2; i++) {
		row = h->row[i];
		h->row[i] = h->row[h->n - 1 - i];
		h->row[h->n - 1 - i] = row;
	}
}

/* What the frame's last instruction put into the slot. */
static void add_slot(struct history *h, struct history *all, const struct record_frame *top, uint32_t slot)
{
	const struct history_row *last = NULL;
	const struct record_step *st;
	size_t i;

	for (i = all->n; i > 0 && all->n - i < BACK && !last; i--)
		last = all->row[i - 1].serial == top->serial ? &all->row[i - 1] : NULL;
	st = last ? step_of(last->code, last->unit) : NULL;
	if (!st || !top->known || slot >= top->depth || st->depth == 0xffff || (int)slot < st->depth - (int)st->pops)
		return;
	h->row = mem_grow(h->row, &h->cap, h->n + 1, sizeof(*h->row));
	h->row[h->n] = *last;
	h->row[h->n++].made = top->values[top->nlocals + slot];
}

int history_writes(struct session *s, const char *name, struct history *out, struct err *err)
{
	const struct frame *f = session_frame(s, err);
	const struct record_frame *top;
	struct history all = { 0 };
	const struct record_code *c;
	struct record_value value;
	enum record_event what;
	uint64_t first, at, serial = 0;
	struct record_read r;
	long slot = -1;

	if (!f || past_reader(s, &r, &first, &at, err) < 0)
		return -1;
	if (*name == '$' ? !text_is_number(name + 1, 0, RECORD_VALUES_MOST, &slot) : name[strcspn(name, ".[( ")]) {
		record_read_release(&r);
		return err_set(err, "a record has variables and slots of the value stack, no attributes and no items: "
				    "'info writes NAME' or 'info writes $N'");
	}
	if (!record_read_before(&r, first))
		return 0;
	while ((what = record_read_next(&r)) != RECORD_READ_END) {
		top = record_read_top(&r);
		c = what == RECORD_READ_INSTR && top ? record_code_at(top->code) : NULL;
		if (!c)
			continue;
		if (slot >= 0) {
			if (record_code_live(top->code) == f->code)
				add_slot(out, &all, top, (uint32_t)slot);
			if (all.n > 8192)
				all.n = 0;
			add_row(&all, &r);
			continue;
		}
		if (passed(c, top, name, &serial, &value))
			add_written(out, &r, &value, true);
		if (stores(c, top, name, &value))
			add_written(out, &r, &value, false);
	}
	record_read_release(&r);
	history_release(&all);
	reverse(out);
	return 0;
}

/* Is it where a frame begins or resumes?  One that the record has from elsewhere on began before it: the time that it
   took is not known. */
static bool begins(const struct record_code *c, uint32_t unit)
{
	uint32_t i = record_code_step(c, unit)->instr;

	return i <= record_code_first(c) || !strcmp(record_code_text(c, record_code_instr(c, i)->op), "RESUME") ||
	       !strcmp(record_code_text(c, record_code_instr(c, i - 1)->op), "RESUME");
}

/* ---- calls ------------------------------------------------------------------------------------------------ */

void history_calls_release(struct history_calls *h)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		free(h->call[i].arguments);
	free(h->call);
	*h = (struct history_calls){ 0 };
}

const char *history_function(const struct record_code *c)
{
	return record_code_text(c, c->qualname);
}

static char *arguments(const struct record_code *c, const struct record_frame *f)
{
	struct past_frame frame = { c, f };
	const struct record_value *v;
	struct buf b = { 0 };
	int i, n = 0;

	for (i = 0; i < (int)c->nargs && n < ARGUMENTS && (v = past_local(&frame, i)); i++) {
		if (record_value_kind(v) == RECORDED_NULL)
			continue;
		buf_addf(&b, "%s%s=", n++ ? ", " : "", past_local_name(&frame, i));
		past_value_text(v, &b);
	}
	return buf_detach(&b);
}

/* The calls of the frames that run, by level: indices.  A guess, since a chunk of the record may not list the outermost
   of many frames. */
struct running {
	size_t *call; /* owned */
	size_t n, cap;
};

/* The call of the frame at that level; NULL: it is none of those that are listed. */
static struct history_call *call_of(struct history_calls *h, struct running *now, int level, uint64_t serial)
{
	size_t i = (size_t)level < now->n ? now->call[level] : h->n;

	if (i < h->n && h->call[i].serial == serial)
		return &h->call[i];
	for (i = h->n; i > 0 && h->n - i < 8 * BACK; i--)
		if (h->call[i - 1].serial == serial)
			return &h->call[i - 1];
	return NULL;
}

static void runs_at(struct running *now, int level, size_t call)
{
	now->call = mem_grow(now->call, &now->cap, (size_t)level + 1, sizeof(*now->call));
	while (now->n <= (size_t)level)
		now->call[now->n++] = SIZE_MAX;
	now->call[level] = call;
}

static void see_instr(struct history_calls *h, struct running *now, const struct record_read *r, const char *func)
{
	const struct record_frame *top = record_read_top(r);
	const struct record_code *c = top ? record_code_at(top->code) : NULL;
	const struct record_step *st;
	struct history_call *call;

	if (!c || top->unit >= c->units || (*func && !record_code_is(c, func)))
		return;
	call = call_of(h, now, r->n - 1, top->serial);
	if (!call) {
		h->call = mem_grow(h->call, &h->cap, h->n + 1, sizeof(*h->call));
		call = &h->call[h->n++];
		*call = (struct history_call){ .number = r->number,
					       .serial = top->serial,
					       .code = c,
					       .arguments = arguments(c, top),
					       .result = nothing,
					       .begin = begins(c, top->unit) ? r->ticks : 0,
					       .how = -1 };
	}
	runs_at(now, r->n - 1, (size_t)(call - h->call));
	st = step_of(c, top->unit);
	if (st && st->flags & RECORD_STEP_RETURNS && st->effect == EFFECT_CONST && (uint32_t)st->a < c->nconsts)
		call->result = *record_code_const(c, (uint32_t)st->a);
	else if (st && st->flags & (RECORD_STEP_RETURNS | RECORD_STEP_YIELDS) && top->known && top->depth)
		call->result = top->values[top->nlocals + top->depth - 1];
}

int history_calls(struct session *s, const char *func, struct history_calls *out, struct err *err)
{
	struct running now = { 0 };
	struct history_call *call;
	enum record_event what;
	uint64_t first, at;
	struct record_read r;

	if (past_reader(s, &r, &first, &at, err) < 0)
		return -1;
	if (!record_read_before(&r, first))
		return 0;
	while ((what = record_read_next(&r)) != RECORD_READ_END) {
		if (what == RECORD_READ_INSTR)
			see_instr(out, &now, &r, func);
		call = what == RECORD_READ_LEAVE ? call_of(out, &now, r.n, r.left) : NULL;
		if (call) {
			call->end = call->begin ? r.ticks : 0;
			call->how = r.how;
			if (r.how == 2)
				call->result = nothing;
		}
	}
	record_read_release(&r);
	free(now.call);
	return 0;
}

/* ---- time ------------------------------------------------------------------------------------------------- */

/* A frame that runs, and what it is in. */
struct open {
	uint64_t serial, begin, part_begin;
	const struct record_code *code;
	int32_t note; /* -1: none */
};

struct opens {
	struct open *at; /* by level; owned */
	size_t cap;
	int n;
};

void history_times_release(struct history_times *h)
{
	free(h->time);
	*h = (struct history_times){ 0 };
}

static void add_time(struct history_times *h, const struct record_code *c, int32_t note, uint64_t from, uint64_t to)
{
	size_t i;

	for (i = 0; i < h->n && (h->time[i].code != c || h->time[i].note != note); i++)
		;
	if (i == h->n) {
		h->time = mem_grow(h->time, &h->cap, h->n + 1, sizeof(*h->time));
		h->time[h->n++] = (struct history_time){ .code = c, .note = note };
	}
	h->time[i].count++;
	h->time[i].seconds += record_seconds(from, to);
}

static void end_part(struct history_times *h, const struct open *o, uint64_t ticks)
{
	if (o->note >= 0 && *history_note(o->code, o->note)) /* what computes nothing has no name */
		add_time(h, o->code, o->note, o->part_begin, ticks);
}

static void time_instr(struct history_times *h, struct opens *all, const struct record_read *r)
{
	const struct record_frame *top = record_read_top(r);
	const struct record_code *c = top ? record_code_at(top->code) : NULL;
	const struct record_step *st = c ? step_of(c, top->unit) : NULL;
	struct open *o;
	int at = r->n - 1;

	if (!st)
		return;
	all->at = mem_grow(all->at, &all->cap, (size_t)at + 1, sizeof(*all->at));
	while (all->n <= at) /* those below began before the record */
		all->at[all->n++] = (struct open){ .note = -1 };
	all->n = at + 1;
	o = &all->at[at];
	if (o->serial != top->serial || !o->code)
		*o = (struct open){
			.serial = top->serial, .begin = begins(c, top->unit) ? r->ticks : 0, .code = c, .note = -1
		};
	if (st->flags & RECORD_STEP_LEADS) {
		end_part(h, o, r->ticks);
		o->note = record_code_instr(c, st->instr)->note;
		o->part_begin = r->ticks;
	}
}

static int most_first(const void *a, const void *b)
{
	const struct history_time *x = a, *y = b;

	return x->seconds < y->seconds ? 1 : x->seconds > y->seconds ? -1 : 0;
}

int history_times(struct session *s, struct history_times *out, struct err *err)
{
	struct opens all = { 0 };
	enum record_event what;
	uint64_t first, at;
	struct record_read r;

	if (past_reader(s, &r, &first, &at, err) < 0)
		return -1;
	if (!record_read_before(&r, first))
		return 0;
	while ((what = record_read_next(&r)) != RECORD_READ_END) {
		if (what == RECORD_READ_INSTR)
			time_instr(out, &all, &r);
		while (what == RECORD_READ_LEAVE && all.n > r.n) {
			const struct open *o = &all.at[--all.n];

			if (!o->code || o->serial != r.left)
				continue;
			end_part(out, o, r.ticks);
			if (o->begin)
				add_time(out, o->code, -1, o->begin, r.ticks);
		}
	}
	record_read_release(&r);
	free(all.at);
	if (out->n)
		qsort(out->time, out->n, sizeof(*out->time), most_first);
	return 0;
}

/* ---- texts ------------------------------------------------------------------------------------------------ */

const char *history_note(const struct record_code *c, int32_t note)
{
	return note >= 0 ? record_code_text(c, record_code_note(c, (uint32_t)note)->name) : "";
}

void history_instr(const struct history_row *r, uint32_t *offset, const char **op, const char **arg, int *line,
		   const char **what)
{
	const struct record_code *c = r->code;
	const struct record_instr *in = record_code_instr(c, record_code_step(c, r->unit)->instr);

	*offset = 2 * in->unit;
	*op = record_code_text(c, in->op);
	*arg = record_code_text(c, in->arg);
	*line = in->line;
	*what = history_note(c, in->note);
}
