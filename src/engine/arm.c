/* SPDX-License-Identifier: BSD-3-Clause */
/* Arms breakpoints: sets flags in code records and hooks on code objects, and chooses which hooks are installed.
   Knows no condition and no count. */
#include "engine/arm.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "engine/bp.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "engine/stack.h"
#include "event/event_table.h"

/* Why an instruction is armed: it is a place of the breakpoint, or an instruction from which such a place
   is reached. */
enum way {
	WAY_ANY,
	WAY_CALL,  /* a call begins: not when a loop comes back here */
	WAY_ROUND, /* only when a loop comes back here */
	WAY_JUMP,  /* not a place: the jump of such a loop */
	WAY_PAST,  /* not a place: the instruction that follows when it does not jump */
};

/* A breakpoint that is armed at an instruction (of the code record that holds this). */
struct at {
	struct bp *bp;
	int index; /* the instruction with the event */
	enum way way;
};

struct armed {
	struct at *at;
	int n;
	size_t cap;
	unsigned want, next; /* enum hook_want: the present one, the next one */
};

/* The code that is armed; owns a reference to each. */
static struct {
	struct code **item;
	size_t n, cap;
} codes;

/* Frames about to come back to the head of a loop by a jump: addresses, never followed. */
static struct {
	struct py_frame **item;
	size_t n, cap;
} looping;

/* Kinds whose arm(true) was called. */
static struct {
	const struct event_kind **item;
	size_t n, cap;
} kinds;

static void code_gone(struct code *c)
{
	struct armed *a = c->engine;

	if (a)
		free(a->at);
	free(a);
	c->engine = NULL;
}

static struct armed *armed_get(struct code *c)
{
	struct armed *a = c->engine;

	if (!a) {
		code_on_free(code_gone);
		c->engine = a = mem_alloc(sizeof(*a));
	}
	return a;
}

static bool forget_loop(struct py_frame *f)
{
	size_t i;

	for (i = 0; i < looping.n; i++)
		if (looping.item[i] == f) {
			looping.item[i] = looping.item[--looping.n];
			return true;
		}
	return false;
}

void arm_found_add(struct arm_found *found, struct bp *b)
{
	if (found->n < ARM_FEW) {
		found->few[found->n++] = b;
		return;
	}
	found->many = mem_grow(found->many, &found->cap, found->n - ARM_FEW + 1, sizeof(*found->many));
	found->many[found->n++ - ARM_FEW] = b;
}

struct bp *arm_found_at(const struct arm_found *found, size_t i)
{
	return i < ARM_FEW ? found->few[i] : found->many[i - ARM_FEW];
}

void arm_found_release(struct arm_found *found)
{
	free(found->many);
}

void arm_find(struct code *c, int index, struct py_frame *f, struct arm_found *out)
{
	const struct armed *a = c->engine;
	bool again = looping.n && forget_loop(f), back = false;
	int i;

	for (i = 0; a && i < a->n; i++) {
		if (a->at[i].index != index)
			continue;
		if (a->at[i].way == WAY_JUMP)
			back = true;
		else if (a->at[i].way != WAY_PAST && a->at[i].way != (again ? WAY_CALL : WAY_ROUND))
			arm_found_add(out, a->at[i].bp);
	}
	if (back) {
		looping.item = mem_grow(looping.item, &looping.cap, looping.n + 1, sizeof(*looping.item));
		looping.item[looping.n++] = f;
	}
}

static bool everywhere; /* all generated code is armed, for trace */
static struct {
	bool outside, regions, graphs;
} recorded;

/* ---- arming ------------------------------------------------------------------------------------------- */

static void codes_join(struct code *c)
{
	size_t i;

	for (i = 0; i < codes.n; i++)
		if (codes.item[i] == c)
			return;
	codes.item = mem_grow(codes.item, &codes.cap, codes.n + 1, sizeof(*codes.item));
	codes.item[codes.n++] = c;
	py_ref(c->co);
}

static void add_at(struct code *c, struct bp *b, int index, enum way way)
{
	struct armed *a = armed_get(c);

	a->at = mem_grow(a->at, &a->cap, (size_t)a->n + 1, sizeof(*a->at));
	a->at[a->n++] = (struct at){ .bp = b, .index = index, .way = way };
	a->next |= HOOK_FLAGGED;
	c->flags[code_unit(c, index)] |= CODE_BREAK;
	codes_join(c);
}

/* The jumps of loops that come back to an instruction; a jump may not be taken. */
static void add_jumps(struct code *c, struct bp *b, int head)
{
	int i;

	for (i = head; i < c->n; i++) {
		if (c->instr[i].target != head)
			continue;
		add_at(c, b, code_event_index(c, i), WAY_JUMP);
		if (!py_op_ends(c->instr[i].op) && i + 1 < c->n)
			add_at(c, b, code_event_index(c, i + 1), WAY_PAST);
	}
}

static void arm_add_place(struct bp *b, const struct place *p)
{
	bool call = b->type == BP_BREAK && b->loc->type == LOC_FUNC;
	struct code *c = p->code;
	int index;

	code_decode(c);
	index = code_event_index(c, p->index);
	add_at(c, b, index, p->around ? WAY_ROUND : call ? WAY_CALL : WAY_ANY);
	/* `while True:` as the first statement jumps back to where calls are stopped. */
	if (p->around || (call && (c->instr[index].flags & INSTR_TARGET)))
		add_jumps(c, b, p->around ? p->index : index);
}

static void clear_all(void)
{
	struct armed *a;
	struct code *c;
	size_t i;
	int k;

	for (i = 0; i < codes.n; i++) {
		c = codes.item[i];
		a = c->engine;
		for (k = 0; k < a->n; k++)
			c->flags[code_unit(c, a->at[k].index)] &= (uint8_t)~CODE_BREAK;
		a->n = 0;
		a->next = 0;
	}
	looping.n = 0;
}

/* Tell the hooks, and release code without breakpoints. */
static void apply_all(void)
{
	struct armed *a;
	struct code *c;
	size_t i, kept = 0;

	for (i = 0; i < codes.n; i++) {
		c = codes.item[i];
		a = c->engine;
		hook_flags_changed(c);
		if (a->next != a->want)
			hook_code(c, a->next);
		a->want = a->next;
		if (a->want)
			codes.item[kept++] = c;
		else
			py_unref_later(c->co); /* may free c */
	}
	codes.n = kept;
}

static bool core_kind(const struct event_kind *k)
{
	const struct event_kind *const *e;

	for (e = event_table; *e; e++)
		if (*e == k)
			return true;
	return false;
}

/* Tell each kind of event when its first catchpoint is set and when its last one is deleted. */
static void arm_kinds(struct session *s)
{
	const struct event_kind *k;
	size_t i;
	int n;

	for (n = 0; (k = event_at(n)); n++) {
		if (!k->arm)
			continue;
		for (i = 0; i < kinds.n && kinds.item[i] != k; i++)
			;
		if (bp_catching(s, k->name) == (i < kinds.n))
			continue;
		if (i < kinds.n) {
			kinds.item[i] = kinds.item[--kinds.n];
			k->arm(false);
		} else {
			kinds.item = mem_grow(kinds.item, &kinds.cap, kinds.n + 1, sizeof(*kinds.item));
			kinds.item[kinds.n++] = k;
			k->arm(true);
		}
	}
}

static void tell_plugs(struct session *s, bool on)
{
	static bool was;

	if (on != was)
		plug_watched(s, on);
	was = on;
}

/* Warn once when hooks cannot be installed, and again at a stop, where the user has just set something. */
static void check_able(struct session *s, bool armed)
{
	static bool told;
	struct err err;

	if (!armed || hook_able(&err) == 0) {
		told = false;
		return;
	}
	if (!told || session_stopped(s))
		session_note(s, NOTE_WARNING, "%s", err.text);
	told = true;
}

void bp_arm(struct session *s)
{
	bool outside = false, regions = everywhere, armed = regions, inside;
	struct code *c;
	struct bp *b;
	int i;

	clear_all();
	for (b = bp_first(s); b; b = b->next) {
		if (!b->enabled)
			continue;
		for (i = 0; i < b->places.n; i++) {
			arm_add_place(b, &b->places.place[i]);
			c = b->places.place[i].code;
			inside = plug_inside(s, c, stack_kind(s, c) == KIND_GENERATED);
			outside |= !inside;
			regions |= inside;
		}
		if (b->type == BP_CATCH && core_kind(b->kind))
			armed = outside = true;
		else if (b->type == BP_CATCH || (b->type == BP_BREAK && !b->places.n))
			regions = true; /* pending: its code may be generated and run within the same call */
	}
	outside |= recorded.outside;
	regions |= recorded.regions;
	apply_all();
	hook_place(outside, regions, recorded.graphs);
	check_able(s, armed || codes.n);
	tell_plugs(s, regions && hook_needs_regions());
	arm_kinds(s);
}

void arm_recorded(struct session *s, bool outside, bool regions, bool graphs)
{
	recorded.outside = outside;
	recorded.regions = regions;
	recorded.graphs = graphs;
	bp_arm(s);
}

void arm_generated(struct session *s, bool on)
{
	everywhere = on;
	bp_arm(s);
}
