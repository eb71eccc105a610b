/* SPDX-License-Identifier: BSD-3-Clause */
/* Where what is set now would have stopped, in the record: breakpoints and catchpoints that have places, watchpoints on
   a variable or a slot, exceptions.  Knows no command. */
#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "engine/bp.h"
#include "engine/past_impl.h"
#include "engine/past_places.h"
#include "engine/session.h"
#include "engine/watch.h"
#include "event/event_table.h"
#include "py/record/recorder.h"

enum { WATCHES = 16 };

/* A watchpoint, and the value that it had last. */
struct watched {
	struct bp *b;
	uint64_t serial; /* of its activation in the record; 0: it is not there */
	int local, slot; /* -1: not this */
	bool known;
	struct record_value value;
};

struct search {
	struct session *s;
	bool exceptions;
	struct bp *caught; /* ... the catchpoint */
	struct watched watch[WATCHES];
	int nwatches;
	/* The last instruction, and whether an exception has left frames since. */
	uint64_t number, serial;
	bool unwinding;
	/* The hit that was seen last; of a watchpoint with its values. */
	struct bp *hit;
	uint64_t hit_at;
	struct record_value old, new;
	char hit_type[80]; /* of the exception; empty: not known */
	/* What changed() has found. */
	struct record_value was, is;
	char type[80]; /* of the last exception */
};

/* ---- what can be answered --------------------------------------------------------------------------------- */

static bool has_record(const struct bp *b)
{
	return b->type == BP_BREAK || (b->type == BP_WATCH && !b->words[strcspn(b->words, " .[(+-*/%<>=!&|^~,:")]) ||
	       (b->type == BP_CATCH &&
		((b->kind == &ev_exception && !*b->words) || (b->kind->places && !b->kind->happens)));
}

void past_hits_unanswered(struct session *s, struct buf *out)
{
	const struct bp *b;

	for (b = bp_first(s); b; b = b->next)
		if (b->enabled && !has_record(b))
			buf_addf(out, "%s%s %d", out->len ? ", " : "", bp_type_name(b), b->number);
	if (out->len)
		buf_adds(out, ": the record cannot tell");
}

/* ---- breakpoints ------------------------------------------------------------------------------------------ */

/* In the record of a process that is gone. */
static struct bp *recorded_at(struct session *s, const struct record_frame *top)
{
	const struct record_code *c = record_code_at(top->code);
	struct bp *b;
	uint32_t instr;

	if (!c || top->unit >= c->units)
		return NULL;
	instr = record_code_step(c, top->unit)->instr;
	for (b = bp_first(s); b; b = b->next)
		if (b->enabled && past_places_has(b, top->code, instr))
			return b;
	return NULL;
}

static struct bp *placed_at(struct session *s, const struct record_frame *top)
{
	struct code *c = s->gone ? NULL : record_code_live(top->code);
	struct bp *b;
	int i;

	if (s->gone)
		return recorded_at(s, top);
	if (!c || top->unit >= (uint32_t)c->units || !(c->flags[top->unit] & CODE_BREAK))
		return NULL;
	for (b = bp_first(s); b; b = b->next)
		for (i = 0; b->enabled && b->type != BP_WATCH && has_record(b) && i < b->places.n; i++)
			if (b->places.place[i].code == c &&
			    code_unit(c, code_event_index(c, b->places.place[i].index)) == (int)top->unit)
				return b;
	return NULL;
}

/* ---- watchpoints ------------------------------------------------------------------------------------------ */

static int local_index(const struct record_code *c, const char *name)
{
	uint32_t i;

	for (i = 0; i < c->nlocals; i++)
		if (!strcmp(record_code_text(c, record_code_local(c, i)->name), name))
			return (int)i;
	return -1;
}

/* The activation is the innermost one of its code where the record ends. */
static void add_watch(struct search *f, struct past *p, struct bp *b)
{
	const struct code *code = b->activation ? NULL : watch_code(b);
	struct record_read r = p->read;
	struct watched w = { .b = b, .local = -1, .slot = -1 };
	const struct record_code *c;
	long slot;
	int i;

	r.frame = NULL;
	r.n = 0;
	r.cap = 0;
	if (f->nwatches == WATCHES || (!code && !b->activation) ||
	    !record_read_to(&r, b->activation ? p->at : p->end - 1))
		return;
	for (i = r.n - 1; i >= 0 && !w.serial; i--) {
		c = record_code_at(r.frame[i].code);
		if (!c ||
		    (b->activation ? r.frame[i].serial != b->activation : record_code_live(r.frame[i].code) != code))
			continue;
		w.serial = r.frame[i].serial;
		if (*b->words == '$' && text_is_number(b->words + 1, 0, RECORD_VALUES_MOST, &slot))
			w.slot = (int)slot;
		else
			w.local = local_index(c, b->words);
	}
	record_read_release(&r);
	if (w.serial && (w.local >= 0 || w.slot >= 0))
		f->watch[f->nwatches++] = w;
}

/* The watchpoint whose value is another one than before. */
static struct bp *changed(struct search *f, const struct record_frame *top)
{
	struct past_frame frame = { record_code_at(top->code), top };
	const struct record_value *v;
	struct bp *found = NULL;
	struct watched *w;
	int i;

	for (i = 0; frame.code && i < f->nwatches; i++) {
		w = &f->watch[i];
		if (w->serial != top->serial)
			continue;
		v = w->slot >= 0 ? past_slot(&frame, w->slot) : past_local(&frame, w->local);
		if (!v || record_value_kind(v) == RECORDED_UNKNOWN)
			continue;
		if (w->known && (w->value.head != v->head || w->value.payload != v->payload)) {
			found = w->b;
			f->was = w->value;
			f->is = *v;
		}
		w->known = true;
		w->value = *v;
	}
	return found;
}

/* ---- exceptions ------------------------------------------------------------------------------------------- */

/* A handler begins with this instruction (CPython 3.11 to 3.15). */
static bool handles(const struct record_frame *top)
{
	const struct record_code *c = record_code_at(top->code);

	return c && top->unit < c->units &&
	       !strcmp(record_code_text(c, record_code_instr(c, record_code_step(c, top->unit)->instr)->op),
		       "PUSH_EXC_INFO");
}

/* What a handler begins with; false: what ends loops and generators, which is caught by name only. */
static bool note_type(struct search *f, const struct record_frame *top)
{
	static const char *const ends[] = { "StopIteration", "StopAsyncIteration", "GeneratorExit" };
	struct past_frame frame = { record_code_at(top->code), top };
	const struct record_value *v = past_slot(&frame, past_depth(&frame) - 1);
	const char *type = v ? past_value_type(v) : NULL;
	size_t i;

	snprintf(f->type, sizeof(f->type), "%s", type ? type : "");
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(f->type, ends[i]))
			return false;
	return true;
}

/* It is told once: where it was raised, not in the frames that it passes. */
static bool raised(struct search *f, const struct record_read *r, enum record_event what)
{
	const struct record_frame *top = record_read_top(r);
	bool first = !f->unwinding;

	if (what == RECORD_READ_LEAVE) {
		f->unwinding = r->how == 2;
		f->type[0] = '\0';
		return f->unwinding && first && r->left == f->serial;
	}
	f->unwinding = false;
	if (!top || !handles(top) || !note_type(f, top))
		return false;
	if (!first && f->hit == f->caught && f->hit_at == f->number) /* it has left recorded frames */
		memcpy(f->hit_type, f->type, sizeof(f->type));
	return first && top->serial == f->serial;
}

/* ---- the search ------------------------------------------------------------------------------------------- */

static void see(struct search *f, struct bp *b, uint64_t number)
{
	f->hit = b;
	f->hit_at = number;
	f->old = f->was;
	f->new = f->is;
	memcpy(f->hit_type, f->type, sizeof(f->type));
}

static struct val *detail_of(const struct search *f)
{
	struct val *v = val_map();
	struct buf text = { 0 };

	if (f->hit->type == BP_WATCH) {
		val_put(v, "expression", val_str(f->hit->words));
		past_value_text(&f->old, &text);
		val_put(v, "old", val_str(buf_str(&text)));
		buf_reset(&text);
		past_value_text(&f->new, &text);
		val_put(v, "new", val_str(buf_str(&text)));
		val_put(v, "recorded", val_bool(true));
	} else if (f->hit == f->caught && *f->hit_type) {
		val_put(v, "type", val_str(f->hit_type));
	}
	buf_release(&text);
	return v;
}

/* back: the last hit before `at`; else the first after it. */
static void search(struct search *f, struct past *p, bool back, uint64_t at)
{
	struct record_read r = p->read;
	const struct record_frame *top;
	enum record_event what;
	uint64_t number;
	struct bp *b;

	r.frame = NULL;
	r.n = 0;
	r.cap = 0;
	if (!record_read_before(&r, p->first))
		return;
	while ((what = record_read_next(&r)) != RECORD_READ_END) {
		number = what == RECORD_READ_INSTR ? r.number : f->number + 1;
		if (back ? number > at : f->hit != NULL)
			break;
		if (what == RECORD_READ_BEGIN)
			continue;
		top = record_read_top(&r);
		/* the instruction before this event raised it */
		if (f->exceptions && raised(f, &r, what) && (back ? f->number < at : f->number > at))
			see(f, f->caught, f->number);
		if (what != RECORD_READ_INSTR || !top)
			continue;
		b = changed(f, top);
		if (!b)
			b = placed_at(f->s, top);
		if (b && (back ? number < at : number > at && !f->hit))
			see(f, b, number);
		f->number = number;
		f->serial = top->serial;
	}
	record_read_release(&r);
}

struct bp *past_hits_find(struct session *s, struct past *p, bool back, uint64_t *at, struct val **detail)
{
	struct search f = { .s = s };
	struct bp *b;

	for (b = bp_first(s); b; b = b->next) {
		if (!b->enabled || !has_record(b))
			continue;
		if (b->type == BP_WATCH)
			add_watch(&f, p, b);
		else if (b->kind == &ev_exception && b->type == BP_CATCH) {
			f.exceptions = true;
			f.caught = b;
		}
	}
	search(&f, p, back, *at);
	if (f.hit) {
		*at = f.hit_at;
		*detail = f.hit->type == BP_BREAK ? NULL : detail_of(&f);
	}
	return f.hit;
}
