/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a record: see record_read.h.  Every number comes from memory that may be damaged: each is compared before it is
   used, and what makes no sense ends the reading of its chunk. */
#include "py/record/record_read.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

enum { FRAMES_MOST = 1 << 16 };

/* What the words before an instruction say of it. */
struct pending {
	uint64_t at; /* of the first VALUE */
	unsigned n;
};

static inline uint64_t word(const struct record_read *r, uint64_t at)
{
	return r->words[at & r->mask];
}

static struct record_value value_at(const struct record_read *r, uint64_t at)
{
	return (struct record_value){ word(r, at), word(r, at + 1) };
}

void record_read_release(struct record_read *r)
{
	size_t i;

	for (i = 0; i < r->cap; i++)
		free(r->frame[i].values);
	free(r->frame);
	r->frame = NULL;
	r->n = 0;
	r->cap = 0;
}

/* ---- frames ----------------------------------------------------------------------------------------------- */

/* Memory of frames that ended is used again. */
static struct record_frame *push_frame(struct record_read *r, uint64_t serial, uint32_t code)
{
	struct record_frame *f;

	if (r->n == FRAMES_MOST)
		return NULL;
	r->frame = mem_grow(r->frame, &r->cap, (size_t)r->n + 1, sizeof(*f));
	f = &r->frame[r->n++];
	f->serial = serial;
	f->code = code;
	f->unit = f->nlocals = f->depth = 0;
	f->known = f->fresh = false;
	return f;
}

static struct record_frame *find_frame(struct record_read *r, uint64_t serial)
{
	int i;

	for (i = r->n - 1; i >= 0; i--)
		if (r->frame[i].serial == serial)
			return &r->frame[i];
	return NULL;
}

static const struct record_code *code_of(const struct record_read *r, uint32_t id)
{
	return r->names.code(r->names.arg, id);
}

static void set_values(struct record_frame *f, uint32_t nlocals, uint32_t depth)
{
	f->values = mem_room(f->values, &f->cap, (size_t)nlocals + depth + 8, sizeof(*f->values));
	f->nlocals = nlocals;
	f->depth = depth;
}

/* ---- the effect of an instruction ------------------------------------------------------------------------- */

static const struct record_value null_value = { RECORD_VALUE | (uint64_t)RECORDED_NULL << 4, 0 };
static const struct record_value unknown_value = { RECORD_VALUE | (uint64_t)RECORDED_UNKNOWN << 4, 0 };

static struct record_value *local(struct record_frame *f, int32_t i)
{
	return i >= 0 && (uint32_t)i < f->nlocals ? &f->values[i] : NULL;
}

static bool push(struct record_frame *f, const struct record_value *v)
{
	struct record_value own;

	if (!v || f->depth >= RECORD_VALUES_MOST)
		return false;
	own = *v; /* it may be one of those that are moved */
	f->values = mem_room(f->values, &f->cap, (size_t)f->nlocals + f->depth + 1, sizeof(*f->values));
	f->values[f->nlocals + f->depth++] = own;
	return true;
}

static bool store(struct record_frame *f, int32_t i, const struct record_value *v)
{
	struct record_value *to = local(f, i);

	if (!to)
		return false;
	*to = *v;
	return true;
}

/* A cell keeps its mark. */
static bool store_in_cell(struct record_frame *f, int32_t i, struct record_value v)
{
	v.head |= (uint64_t)RECORDED_CELL << 10;
	return store(f, i, &v);
}

/* The slot n below the top; n is 1 or more. */
static struct record_value *below(struct record_frame *f, int64_t n)
{
	return n >= 1 && n <= f->depth ? &f->values[f->nlocals + f->depth - (uint32_t)n] : NULL;
}

static bool take(struct record_frame *f, uint32_t n)
{
	if (n > f->depth)
		return false;
	f->depth -= n;
	return true;
}

static bool results(const struct record_read *r, struct record_frame *f, const struct pending *p, unsigned from,
		    uint32_t pops)
{
	struct record_value v;
	unsigned i;

	if (!take(f, pops))
		return false;
	for (i = from; i < p->n; i++) {
		v = value_at(r, p->at + 2 * (uint64_t)i);
		if (!push(f, &v))
			return false;
	}
	return true;
}

static bool method(const struct record_read *r, struct record_frame *f, const struct pending *p, uint32_t pops)
{
	struct record_value *to = below(f, pops);

	if (p->n != 2 || !to || pops < 2)
		return false;
	to[0] = value_at(r, p->at);
	to[1] = value_at(r, p->at + 2);
	return true;
}

static bool touch(const struct record_read *r, struct record_frame *f, const struct pending *p,
		  const struct record_step *st)
{
	struct record_value *to = below(f, st->a);

	if (!to || !p->n)
		return false;
	*to = value_at(r, p->at);
	return results(r, f, p, 1, st->pops);
}

static bool swap(struct record_frame *f, int32_t n)
{
	struct record_value *a = below(f, 1), *b = below(f, n), v;

	if (!a || !b)
		return false;
	v = *a;
	*a = *b;
	*b = v;
	return true;
}

/* What needs no value of the record. */
static bool derive(struct record_frame *f, const struct record_code *c, const struct record_step *st)
{
	struct record_value *top = below(f, 1), v;

	switch ((enum record_effect)st->effect) {
	case EFFECT_NOTHING:
		return take(f, st->pops);
	case EFFECT_CONST:
		return st->a >= 0 && (uint32_t)st->a < c->nconsts && push(f, record_code_const(c, (uint32_t)st->a));
	case EFFECT_LOCAL:
		return push(f, local(f, st->a));
	case EFFECT_LOCALS:
		return push(f, local(f, st->a)) && push(f, local(f, st->b));
	case EFFECT_STORE:
		return top && store(f, st->a, top) && take(f, 1);
	case EFFECT_STORES:
		return below(f, 2) && store(f, st->a, top) && store(f, st->b, below(f, 2)) && take(f, 2);
	case EFFECT_EXCHANGE:
		return top && store(f, st->a, top) && take(f, 1) && push(f, local(f, st->b));
	case EFFECT_CLEAR:
		return push(f, local(f, st->a)) && store(f, st->a, &null_value);
	case EFFECT_DELETE:
		return store(f, st->a, &null_value);
	case EFFECT_CELL:
		return top && store_in_cell(f, st->a, *top) && take(f, 1);
	case EFFECT_UNCELL:
		return store_in_cell(f, st->a, null_value);
	case EFFECT_COPY:
		top = below(f, st->a);
		v = top ? *top : null_value;
		return top && push(f, &v);
	case EFFECT_SWAP:
		return swap(f, st->a);
	case EFFECT_NULL:
		return push(f, &null_value);
	default:
		return false;
	}
}

/* From the state before the frame's last instruction to that before this one; false: it cannot be derived. */
static bool apply(const struct record_read *r, struct record_frame *f, const struct pending *p)
{
	const struct record_code *c = code_of(r, f->code);
	const struct record_step *st = c && f->unit < c->units ? record_code_step(c, f->unit) : NULL;

	if (!st)
		return false;
	switch (st->effect) {
	case EFFECT_RESULTS:
		return results(r, f, p, 0, st->pops);
	case EFFECT_TOUCH:
		return touch(r, f, p, st);
	case EFFECT_METHOD:
		return method(r, f, p, st->pops);
	}
	return !p->n && derive(f, c, st);
}

/* ---- words ------------------------------------------------------------------------------------------------ */

/* Words from r->at on that may be read. */
static uint64_t left_in_chunk(const struct record_read *r)
{
	uint64_t end = (r->at & ~(r->chunk - 1)) + r->chunk;

	end = end < r->head ? end : r->head;
	return end > r->at ? end - r->at : 0;
}

/* Of a code object that is not known, nobody asks what is there. */
static bool has_unit(const struct record_read *r, uint32_t code, uint32_t unit)
{
	const struct record_code *c = code_of(r, code);

	return !c || unit < c->units;
}

static bool read_key(struct record_read *r, uint64_t w)
{
	uint32_t unit = record_bits(w, 4, 20), code = record_bits(w, 24, 20), nlocals = record_bits(w, 44, 10);
	uint32_t slots = record_bits(w, 54, 10), depth, i;
	uint64_t left = left_in_chunk(r), more = left > 1 ? word(r, r->at + 1) : 0;
	struct record_frame *f = left > 1 ? find_frame(r, more & ((UINT64_C(1) << 40) - 1)) : NULL;

	depth = record_bits(more, 40, 10);
	if (!f || f->code != code || slots > depth || 2 + 2 * ((uint64_t)nlocals + slots) > left ||
	    !has_unit(r, code, unit))
		return false;
	set_values(f, nlocals, depth);
	for (i = 0; i < nlocals + slots; i++)
		f->values[i] = value_at(r, r->at + 2 + 2 * (uint64_t)i);
	for (; i < nlocals + depth; i++)
		f->values[i] = unknown_value;
	f->unit = unit;
	f->known = true;
	f->fresh = !(more >> 50 & 1);
	r->at += 2 + 2 * ((uint64_t)nlocals + slots);
	return true;
}

/* An instruction of the newest frame. */
static bool read_instr(struct record_read *r, uint64_t w, const struct pending *p)
{
	struct record_frame *f = r->n ? &r->frame[r->n - 1] : NULL;
	struct pending mine = *p;
	uint32_t unit = record_bits(w, 4, 20), depth = record_bits(w, 44, 10), n = record_bits(w, 54, 10);

	if (!f || f->code != record_bits(w, 24, 20) || n > p->n || !has_unit(r, f->code, unit))
		return false;
	mine.at += 2 * (uint64_t)(p->n - n);
	mine.n = n;
	if (f->fresh && f->unit != unit)
		return false;
	if (f->known && !f->fresh)
		f->known = depth != RECORD_VALUES_MOST && apply(r, f, &mine);
	f->known = f->known && f->depth == depth;
	f->fresh = false;
	f->unit = unit;
	r->at++;
	r->number++;
	return true;
}

static bool read_begin(struct record_read *r, uint64_t w)
{
	r->at++;
	return push_frame(r, w >> 24, record_bits(w, 4, 20));
}

static bool read_end(struct record_read *r, uint64_t w)
{
	struct record_frame *f = find_frame(r, w >> 24);

	r->left = w >> 24;
	r->how = (int)record_bits(w, 4, 4);
	r->at++;
	if (f)
		r->n = (int)(f - r->frame);
	return f;
}

bool record_read_number(const struct record_read *r, uint64_t chunk, uint64_t *number, uint64_t *ticks)
{
	uint64_t w = word(r, chunk);

	if (chunk & (r->chunk - 1) || chunk + 3 > r->head || record_tag(w) != RECORD_CHUNK ||
	    w >> 4 != chunk / r->chunk)
		return false;
	*number = word(r, chunk + 1);
	*ticks = word(r, chunk + 2);
	return true;
}

bool record_read_seek(struct record_read *r, uint64_t chunk)
{
	if (!record_read_number(r, chunk, &r->number, &r->ticks))
		return false;
	r->number--;
	r->n = 0;
	r->at = chunk + 3;
	return true;
}

/* One word and what belongs to it; *what stays RECORD_READ_END where nothing is to be told.  false: it makes no
   sense. */
static bool read_word(struct record_read *r, struct pending *p, enum record_event *what)
{
	uint64_t w = word(r, r->at);

	switch (record_tag(w)) {
	case RECORD_VALUE:
		if (left_in_chunk(r) < 2)
			return false;
		if (!p->n++)
			p->at = r->at;
		r->at += 2;
		return true;
	case RECORD_KEY:
		return read_key(r, w);
	case RECORD_INSTR:
		*what = RECORD_READ_INSTR;
		return read_instr(r, w, p);
	case RECORD_BEGIN:
		*what = RECORD_READ_BEGIN;
		return read_begin(r, w);
	case RECORD_END:
		*what = RECORD_READ_LEAVE;
		return read_end(r, w);
	case RECORD_TIME:
		r->ticks = (r->ticks & ~(~UINT64_C(0) >> 4)) | w >> 4;
		r->at++;
		return true;
	case RECORD_WROTE:
		r->at++;
		return true;
	case RECORD_PAD:
		r->at = (r->at & ~(r->chunk - 1)) + r->chunk;
		return true;
	}
	return false;
}

enum record_event record_read_next(struct record_read *r)
{
	enum record_event what = RECORD_READ_END;
	struct pending p = { 0 };

	while (what == RECORD_READ_END && r->at < r->head) {
		if (!(r->at & (r->chunk - 1))) {
			if (!record_read_seek(r, r->at))
				return RECORD_READ_END;
			p.n = 0;
		} else if (!read_word(r, &p, &what))
			return RECORD_READ_END;
	}
	return what;
}

/* ---- numbers ---------------------------------------------------------------------------------------------- */

uint64_t record_read_first(const struct record_read *r)
{
	uint64_t size = r->mask + 1, from = r->head > size ? r->head - size : 0;

	return (from + r->chunk - 1) & ~(r->chunk - 1);
}

bool record_read_range(struct record_read *r, uint64_t *first, uint64_t *end)
{
	uint64_t chunk = record_read_first(r), ticks, last;

	while (chunk < r->head && !record_read_number(r, chunk, first, &ticks))
		chunk += r->chunk;
	if (chunk >= r->head)
		return false;
	last = (r->head - 1) & ~(r->chunk - 1);
	if (!record_read_seek(r, last < chunk ? chunk : last))
		return false;
	while (record_read_next(r) != RECORD_READ_END)
		;
	*end = r->number + 1;
	return *end > *first;
}

bool record_read_before(struct record_read *r, uint64_t number)
{
	uint64_t chunk = record_read_first(r), at = chunk, n, ticks;
	bool any = false;

	for (; chunk < r->head; chunk += r->chunk)
		if (record_read_number(r, chunk, &n, &ticks) && n <= number) {
			at = chunk;
			any = true;
		}
	return any && record_read_seek(r, at);
}

bool record_read_to(struct record_read *r, uint64_t number)
{
	enum record_event what;

	if (!record_read_before(r, number))
		return false;
	while ((what = record_read_next(r)) != RECORD_READ_END)
		if (what == RECORD_READ_INSTR && r->number == number)
			return true;
	return false;
}
