/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves in the record, by instructions, lines, calls and breakpoints: see past.h.  Knows no command. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "engine/bp.h"
#include "engine/option.h"
#include "engine/past_impl.h"
#include "engine/region_name.h"
#include "engine/session.h"
#include "event/event_table.h"
#include "py/record/recorder.h"

/* ---- lines ------------------------------------------------------------------------------------------------ */

static bool is_shown(struct session *s, const struct past_moment *m, bool in_graph)
{
	const struct record_code *c = record_code_at(m->code);

	switch (c ? (enum kind)c->kind : KIND_UNKNOWN) {
	case KIND_USER:
	case KIND_GENERATED:
		return true;
	case KIND_GRAPH:
		return in_graph || s->graphs_shown || !option_is(s, "step-into", "user");
	case KIND_LIBRARY:
		return option_is(s, "step-into", "library");
	default:
		return false;
	}
}

static bool in_graph(const struct past_moment *m)
{
	const struct record_code *c = record_code_at(m->code);

	return c && c->kind == KIND_GRAPH;
}

/* What a step by lines stays in: a region, a node, a line; 0: an instruction without one, where no line begins: what
   the compiler adds around handlers. */
static int64_t line_of(const struct past_moment *m)
{
	const struct record_code *c = record_code_at(m->code);
	const struct record_instr *in;
	const char *region;
	uint32_t i;

	if (!c || m->unit >= c->units)
		return 0;
	i = record_code_step(c, m->unit)->instr;
	in = record_code_instr(c, i);
	if (in->note >= 0 && c->kind == KIND_GRAPH)
		return -2 - (int64_t)in->note;
	region = in->note >= 0 ? record_code_text(c, record_code_note(c, (uint32_t)in->note)->name) : "";
	if (in->note >= 0 && c->kind == KIND_GENERATED && strcmp(region, region_name(REGION_ORIGINAL)))
		return -2 - (int64_t)in->note;
	while (c->kind == KIND_GENERATED && !in->line && i > 0)
		in = record_code_instr(c, --i);
	return in->line;
}

static bool same_line(const struct past_moment *a, const struct past_moment *b)
{
	return a->serial == b->serial && line_of(a) == line_of(b);
}

/* Does the line go on at m, after the same line's unit `before`?  A jump back begins it again, but for one to a SEND:
   as in maybe_call_line_trace() of CPython 3.11. */
static bool goes_on(uint32_t before, const struct past_moment *m)
{
	const struct record_code *c = record_code_at(m->code);
	const struct record_instr *in;

	if (before < m->unit || !c || m->unit >= c->units)
		return before < m->unit;
	in = record_code_instr(c, record_code_step(c, m->unit)->instr);
	return !strcmp(record_code_text(c, in->op), "SEND");
}

/* Is the call that ends at instruction `at` made by the same line of m's frame? */
static bool line_goes_on(struct past *p, uint64_t at, const struct past_moment *m)
{
	struct past_moment before = { 0 };

	while (at > p->first && past_moment(p, at, &before) && (before.level > m->level || !line_of(&before)))
		at--;
	return same_line(&before, m) && goes_on(before.unit, m);
}

/* The beginning of the line that was run last before `at`; over: in this frame or one that called it. */
static bool line_back(struct session *s, struct past *p, bool over, uint64_t *at)
{
	struct past_moment from, m, before;
	uint64_t q = *at, r;
	bool graph;

	if (!past_moment(p, q, &from)) /* the present is beyond the record */
		from = (struct past_moment){ .level = INT32_MAX };
	graph = in_graph(&from);
	do {
		if (q <= p->first || !past_moment(p, --q, &m))
			return false;
	} while ((over && m.level > from.level) || !is_shown(s, &m, graph) || !line_of(&m));
	for (r = q; r > p->first && past_moment(p, r - 1, &before); r--) {
		if (before.level >= m.level && !line_of(&before))
			continue;
		if (same_line(&before, &m) && goes_on(before.unit, &m)) {
			m = before;
			q = r - 1;
		} else if (before.level <= m.level || (!over && !line_goes_on(p, r - 1, &m)))
			break;
		else if (!over && is_shown(s, &before, graph)) { /* the end of a call within the line */
			m = before;
			q = r - 1;
		}
	}
	p->cut = r == p->first;
	*at = q;
	return true;
}

static bool line_on(struct session *s, struct past *p, bool over, uint64_t *at)
{
	struct past_moment from, m;
	uint64_t q = *at;
	uint32_t last;
	bool graph;

	if (!past_moment(p, q, &from))
		return false;
	last = from.unit;
	graph = in_graph(&from);
	while (++q < p->now && past_moment(p, q, &m)) {
		if (m.serial == from.serial && line_of(&m) == line_of(&from) && goes_on(last, &m))
			last = m.unit;
		else if ((m.level > from.level && over) || !is_shown(s, &m, graph) || !line_of(&m))
			continue;
		else
			break;
	}
	*at = q;
	return true;
}

/* ---- calls and breakpoints -------------------------------------------------------------------------------- */

static bool returns(const struct past_moment *m)
{
	const struct record_code *c = record_code_at(m->code);

	return c && m->unit < c->units && record_code_step(c, m->unit)->flags & RECORD_STEP_RETURNS;
}

/* To the call of the frame; or to its beginning, where its caller is not recorded. */
static bool call_back(struct past *p, uint64_t *at)
{
	struct past_moment from, m;
	uint64_t q = *at, begin = *at;

	if (!past_moment(p, q, &from) && (!q || !past_moment(p, q - 1, &from)))
		return false;
	while (q > p->first && past_moment(p, q - 1, &m) && m.level >= from.level) {
		q--;
		if (m.level == from.level && m.serial != from.serial)
			break;
		if (m.serial == from.serial)
			begin = q;
	}
	if (q > p->first && past_moment(p, q - 1, &m) && m.level < from.level) {
		*at = q - 1;
		return true;
	}
	p->cut = q == p->first && from.level > 1;
	p->remark = "its caller is not recorded: this is where the frame began, or the record";
	if (begin == *at)
		return false;
	*at = begin;
	return true;
}

/* To where the frame is about to return, as `finish` does. */
static bool call_on(struct past *p, uint64_t *at)
{
	struct past_moment from, m;
	uint64_t q = *at;

	if (!past_moment(p, q, &from))
		return false;
	while (++q < p->now && past_moment(p, q, &m))
		if (m.level < from.level || (m.serial == from.serial && returns(&m)))
			break;
	*at = q;
	return true;
}

static bool hit(struct session *s, struct past *p, bool back, uint64_t *at)
{
	uint64_t q = *at;
	struct val *detail = NULL;
	struct bp *b = past_hits_find(s, p, back, &q, &detail);
	struct buf other = { 0 };

	past_hits_unanswered(s, &other);
	if (!b) {
		q = back ? p->first : p->now;
		p->cut = back;
		p->remark = back ? "no breakpoint was hit before: this is where the record begins" : NULL;
	}
	p->event.kind = !b		    ? &ev_step :
			b->type == BP_WATCH ? &ev_watch :
			b->type == BP_CATCH ? b->kind :
					      &ev_breakpoint;
	p->event.number = b ? b->number : 0;
	val_free(p->detail);
	p->event.detail = p->detail = detail;
	if (b && b->cond)
		p->remark = "its condition is not evaluated in the past";
	if (other.len)
		session_note(s, NOTE_INFO, "%s", other.s);
	buf_release(&other);
	if (q == *at)
		return false;
	*at = q;
	return true;
}

static void step_event(struct past *p)
{
	p->event.kind = &ev_step;
	p->event.number = 0;
	val_free(p->detail);
	p->event.detail = p->detail = NULL;
	p->remark = NULL;
}

static bool moved(struct session *s, struct past *p, enum past_unit unit, bool over, bool back, uint64_t *at)
{
	switch (unit) {
	case PAST_INSTR:
		if (back ? *at <= p->first : *at >= p->now)
			return false;
		*at += back ? -UINT64_C(1) : 1;
		return true;
	case PAST_LINE:
		return back ? line_back(s, p, over, at) : line_on(s, p, over, at);
	case PAST_OUT:
		return back ? call_back(p, at) : call_on(p, at);
	case PAST_HIT:
		return hit(s, p, back, at);
	}
	return false;
}

/* The record does not go back far enough: the checkpoint before it does.  By instructions, the program goes to where it
   is to be; else it comes to the beginning of this record again, and the move goes on there, in a record of what is
   before. */
static int move_beyond(struct session *s, struct past *p, enum past_unit unit, bool over, uint64_t at, long count,
		       struct err *err)
{
	uint64_t goal = p->first + (unit != PAST_HIT && p->first < at);
	struct past_moment from = { 0 }, m = { 0 };
	struct buf then = { 0 };
	int ret, out = 0;

	if (unit == PAST_INSTR)
		return past_beyond_go(s, p, at > (uint64_t)count ? at - (uint64_t)count : 0, NULL, err);
	if ((over || unit == PAST_OUT) && past_moment(p, at < p->end ? at : p->end - 1, &from) &&
	    past_moment(p, goal, &m))
		out = m.level - from.level; /* calls within the line or the frame that are not left there */
	out = out > 0 ? out : 0;
	if (out || unit == PAST_OUT)
		buf_addf(&then, "rfinish %ld\n", out + (unit == PAST_OUT ? count : 0));
	if (unit != PAST_OUT)
		buf_addf(&then, "%s %ld", unit == PAST_HIT ? "rcontinue" : over ? "rnext" : "rstep", count);
	ret = past_beyond_go(s, p, goal, then.s, err);
	buf_release(&then);
	return ret;
}

int past_move(struct session *s, enum past_unit unit, bool over, bool back, long count, struct err *err)
{
	struct past *p = past_open(s, err);
	uint64_t at = p ? p->at : 0, before;
	bool did = true;

	if (!p)
		return -1;
	step_event(p);
	p->cut = false;
	for (; count > 0 && (back || at < p->now); count--) {
		before = at;
		did = moved(s, p, unit, over, back, &at);
		if (back && (!did || p->cut) && past_beyond_possible(s, p))
			return move_beyond(s, p, unit, over, before, count, err);
		if (!did)
			break;
	}
	if (at != p->at)
		return past_set(s, p, at, err);
	if (back)
		return past_beyond_refuse(s, p, err);
	if (!s->past)
		past_free(p);
	return err_set(err, "the record ends here: no recorded code ran after this");
}

/* ---- to a number ------------------------------------------------------------------------------------------ */

static int refuse_number(struct session *s, struct past *p, struct err *err)
{
	unsigned long long first = p->first, last = p->end - 1, most = p->now - p->first;

	if (!s->past)
		past_free(p);
	return err_set(err, "the record has instructions #%llu to #%llu: at most -%llu ('set record-size' keeps more)",
		       first, last, most);
}

int past_go(struct session *s, uint64_t number, struct err *err)
{
	struct past *p = past_open(s, err);

	if (!p)
		return -1;
	if (number < p->first && !s->gone)
		return past_beyond_go(s, p, number, NULL, err);
	if (number < p->first || number >= p->end)
		return refuse_number(s, p, err);
	step_event(p);
	return past_set(s, p, number, err);
}

int past_go_back(struct session *s, uint64_t count, struct err *err)
{
	struct past *p = past_open(s, err);

	if (!p)
		return -1;
	if (count > p->now - p->first && count <= p->now && !s->gone)
		return past_beyond_go(s, p, p->now - count, NULL, err);
	if (count > p->now - p->first)
		return refuse_number(s, p, err);
	step_event(p);
	return past_set(s, p, p->now - count, err);
}
