/* SPDX-License-Identifier: BSD-3-Clause */
/* What is not covered, as a stretch of bytecode within the source: the smallest part of the code around the instruction
   that was refused with one way in and one way out, and the same value stack at both.  Knows no statement. */
#include <Python.h>
#include <string.h>
#include "py/decompile/flow/flow.h"

enum { MOST = 6000, TRIES = 40 };

static int touches_by_name(const char *name)
{
	static const struct {
		const char *name;
		int n;
	} all[] = {
		{ "MATCH_KEYS", 2 },	 { "MATCH_CLASS", 3 },	     { "MATCH_MAPPING", 1 }, { "MATCH_SEQUENCE", 1 },
		{ "CHECK_EG_MATCH", 2 }, { "PREP_RERAISE_STAR", 2 }, { "GET_LEN", 1 },	     { "SETUP_ANNOTATIONS", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, name))
			return all[i].n;
	return 4;
}

/* Entries of the value stack that an instruction may read or replace, at least as many as it does: this many, and as
   many times its argument.  Those that are not named here: 4. */
static const struct {
	uint8_t n, args;
} touched[D_BYTECODE + 1] = {
	[D_STORE_FAST] = { 1, 0 },    [D_STORE_GLOBAL] = { 1, 0 }, [D_STORE_DEREF] = { 1, 0 },
	[D_STORE_NAME] = { 1, 0 },    [D_DELETE_ATTR] = { 1, 0 },  [D_POP] = { 1, 0 },
	[D_ATTR] = { 1, 0 },	      [D_METHOD] = { 1, 0 },	   [D_UNARY] = { 1, 0 },
	[D_BOOL] = { 1, 0 },	      [D_GET_ITER] = { 1, 0 },	   [D_FOR_ITER] = { 1, 0 },
	[D_JUMP_IF] = { 1, 0 },	      [D_JUMP_OR_POP] = { 1, 0 },  [D_RETURN] = { 1, 0 },
	[D_YIELD] = { 1, 0 },	      [D_IMPORT_FROM] = { 1, 0 },  [D_UNPACK] = { 1, 0 },
	[D_UNPACK_EX] = { 1, 0 },     [D_WITH] = { 1, 0 },	   [D_PUSH_EXC] = { 1, 0 },
	[D_COMPREHENSION] = { 1, 0 }, [D_POP_EXCEPT] = { 1, 0 },   [D_GET_AWAITABLE] = { 1, 0 },
	[D_LIST_TO_TUPLE] = { 1, 0 }, [D_INTRINSIC] = { 1, 0 },	   [D_BINARY] = { 2, 0 },
	[D_INPLACE] = { 2, 0 },	      [D_COMPARE] = { 2, 0 },	   [D_CHAIN] = { 2, 0 },
	[D_SUBSCR] = { 2, 0 },	      [D_STORE_ATTR] = { 2, 0 },   [D_DELETE_SUBSCR] = { 2, 0 },
	[D_IMPORT] = { 2, 0 },	      [D_END_FOR] = { 2, 0 },	   [D_YIELD_FROM] = { 2, 0 },
	[D_EXC_MATCH] = { 2, 0 },     [D_FORMAT] = { 2, 0 },	   [D_FUNCTION_PART] = { 2, 0 },
	[D_TUPLE] = { 0, 1 },	      [D_LIST] = { 0, 1 },	   [D_SET] = { 0, 1 },
	[D_STRING] = { 0, 1 },	      [D_BUILD_SLICE] = { 0, 1 },  [D_SWAP] = { 0, 1 },
	[D_COPY] = { 0, 1 },	      [D_RAISE] = { 0, 1 },	   [D_CONST_KEY_MAP] = { 1, 1 },
	[D_LIST_EXTEND] = { 1, 1 },   [D_SET_UPDATE] = { 1, 1 },   [D_DICT_UPDATE] = { 1, 1 },
	[D_LIST_APPEND] = { 1, 1 },   [D_SET_ADD] = { 1, 1 },	   [D_MAP_ADD] = { 2, 1 },
	[D_CALL] = { 2, 1 },	      [D_MAP] = { 0, 2 },	   [D_DICT_MERGE] = { 3, 1 },
	[D_CALL_KW] = { 3, 1 },
};

static int touches(const struct ins *in)
{
	static const enum dop none[] = { D_NOP,		 D_CONST,	D_NULL,	   D_FAST,	  D_GLOBAL,
					 D_NAME,	 D_DEREF,	D_CLOSURE, D_DELETE_FAST, D_DELETE_GLOBAL,
					 D_DELETE_DEREF, D_DELETE_NAME, D_JUMP,	   D_COMMON,	  D_BUILD_CLASS,
					 D_GENERATOR,	 D_KW_NAMES,	D_BYTECODE };
	size_t i;

	if (in->op == D_REFUSED)
		return touches_by_name(in->text);
	if (touched[in->op].n || touched[in->op].args)
		return touched[in->op].n + touched[in->op].args * in->arg;
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (none[i] == in->op)
			return 0;
	return 4;
}

static int depth_of(struct dec *d, int i)
{
	return d->c->instr[d->ins[i].index].depth;
}

/* Is the depth of the stack before this one known, and is it the beginning of an instruction of the code? */
static bool boundary(struct dec *d, int i)
{
	return depth_of(d, i) >= 0 && d->ins[i].op != D_COMPREHENSION &&
	       (i == 0 || d->ins[i - 1].index != d->ins[i].index);
}

/* ---- the stretches that are known --------------------------------------------------------------- */

void stretch_apply(struct dec *d)
{
	struct stretch *s;

	for (s = d->stretches; s; s = s->more) {
		struct ins *in = &d->ins[s->first];

		*in = (struct ins){ .op = D_BYTECODE, .target = s->next, .index = in->index, .stretch = s };
	}
}

/* The instruction that was refused, or the stretch that has it. */
static int refused_at(struct dec *d)
{
	struct stretch *s;
	int i, at = -1;

	for (i = 0; i < d->n && d->ins[i].index <= d->why_index; i++)
		if (at < 0 || d->ins[i].index > d->ins[at].index)
			at = i;
	for (s = d->stretches; s && at >= 0; s = s->more)
		if (s->in[at])
			at = s->first;
	return at;
}

/* ---- finding one -------------------------------------------------------------------------------- */

struct scan {
	struct dec *d;
	int first, at, level;
	uint8_t *in, *out;    /* by block: within; led to from within */
	int *urgent, nurgent; /* blocks that cannot follow it */
	int low;	      /* no block below it is led to */
	int missing, led;     /* ways in from elsewhere; blocks led to that the first one dominates */
	int size;
};

/* The handler of block k that the beginning does not have; -1: none. */
static int own_handler(struct scan *s, int k)
{
	int h = s->d->block[k].handler, e = s->d->block[s->first].handler;

	return h >= 0 && h != e && !(e >= 0 && flow_covered(s->d, s->first, h)) ? h : -1;
}

static void scan_lead_to(struct scan *s, int k, bool handler)
{
	if (k < 0 || s->in[k] || s->out[k])
		return;
	s->out[k] = 1;
	if (!flow_dominates(s->d, s->first, k))
		return;
	s->led++;
	if (handler || depth_of(s->d, s->d->block[k].first) > s->level)
		s->urgent[s->nurgent++] = k;
	else if (k < s->low)
		s->low = k;
}

/* Ways from other blocks to this one that are not within. */
static int ways_in(struct scan *s, int k)
{
	struct dec *d = s->d;
	int i, n = 0;

	for (i = 0; i < d->block[k].npred; i++)
		n += !s->in[d->block[k].pred[i]];
	for (i = 0; d->block[k].handles && i < d->nblock; i++)
		n += d->block[i].handler == k && d->block[i].order >= 0 && !s->in[i];
	return n;
}

/* Block k becomes part of it; false: it cannot. */
static bool scan_take(struct scan *s, int k)
{
	const struct block *b = &s->d->block[k];
	int depth = depth_of(s->d, b->first), i, h = own_handler(s, k);

	if (depth >= 0 && s->level && depth - touches(&s->d->ins[b->first]) < s->level)
		return false;
	s->in[k] = 1;
	s->size++;
	if (s->out[k]) {
		s->out[k] = 0;
		s->led--;
	}
	if (k != s->first)
		s->missing += ways_in(s, k);
	for (i = 0; i < 2; i++)
		if (b->succ[i] >= 0 && b->succ[i] != s->first && b->succ[i] != k && s->in[b->succ[i]])
			s->missing--;
	if (b->handler >= 0 && s->in[b->handler] && b->handler != s->first)
		s->missing--;
	scan_lead_to(s, b->succ[0], false);
	scan_lead_to(s, b->succ[1], false);
	scan_lead_to(s, h, true);
	return true;
}

/* The block to take next; -1: none. */
static int scan_choose(struct scan *s)
{
	int k;

	while (s->nurgent) {
		k = s->urgent[--s->nurgent];
		if (s->out[k])
			return k;
	}
	for (; s->low < s->d->nblock; s->low++)
		if (s->out[s->low] && flow_dominates(s->d, s->first, s->low))
			return s->low;
	return -1;
}

/* What follows it: a block, -1: nothing does; -2: it is not a stretch. */
static int scan_follows(struct scan *s)
{
	struct dec *d = s->d;
	int i, best = -1;

	if (s->missing || s->led > 1 || !s->in[s->at])
		return -2;
	for (i = 0; i < d->nblock; i++) {
		if (!s->out[i] || (s->led && !flow_dominates(d, s->first, i)))
			continue;
		if (best < 0 || d->block[i].order < d->block[best].order)
			best = i;
	}
	if (best >= 0 && (!boundary(d, d->block[best].first) || depth_of(d, d->block[best].first) != s->level))
		return -2;
	return best;
}

/* The smallest stretch that begins with this block; false: none. */
static bool scan_from(struct scan *s, int first, int *next)
{
	struct dec *d = s->d;
	int k;

	if (!boundary(d, d->block[first].first))
		return false;
	s->first = first;
	s->level = depth_of(d, d->block[first].first);
	s->missing = s->led = s->size = s->nurgent = 0;
	s->low = d->nblock;
	memset(s->in, 0, (size_t)d->nblock);
	memset(s->out, 0, (size_t)d->nblock);
	for (k = first; k >= 0; k = scan_choose(s)) {
		if (!scan_take(s, k))
			return false;
		*next = scan_follows(s);
		if (*next != -2 && (s->size > 1 || d->ins[d->block[first].first].op != D_BYTECODE))
			return true;
	}
	return false;
}

/* The instructions of the code that these are. */
static void mark_code(struct dec *d, struct stretch *s)
{
	int i, k, last = -1;

	s->at = dec_alloc(d, (size_t)d->c->n + 1);
	for (i = 0, k = 0; k < d->c->n; k++) {
		for (; i < d->n && d->ins[i].index <= k; i++)
			if (last < 0 || d->ins[i].index > d->ins[last].index)
				last = i;
		s->at[k] = last >= 0 && s->in[last] && !(d->c->instr[k].flags & INSTR_PREFIX);
	}
}

static void add_stretch(struct dec *d, const struct scan *s, int next)
{
	struct stretch *new = dec_alloc(d, sizeof(*new)), *old, **at;
	int k, i;

	new->first = d->block[s->first].first;
	new->next = next < 0 ? -1 : d->block[next].first;
	new->in = dec_alloc(d, (size_t)d->n + 1);
	new->why = dec_text(d, "%s, at %d", d->why, d->c->instr[d->why_index].offset);
	for (k = 0; k < d->nblock; k++)
		if (s->in[k])
			new->in[d->block[k].first] = 1;
	for (at = &d->stretches; (old = *at);) {
		if (!new->in[old->first]) {
			at = &old->more;
			continue;
		}
		for (i = 0; i < d->n; i++)
			new->in[i] |= old->in[i];
		new->why = old->why;
		*at = old->more;
	}
	mark_code(d, new);
	new->more = d->stretches;
	d->stretches = new;
}

bool stretch_add(struct dec *d)
{
	struct scan s = { .d = d };
	int at, k, next, most;

	if (d->why_index < 0 || d->why_index >= d->c->n || !d->c->depth_ok || ++d->made.ntries > TRIES)
		return false;
	d->steps->instructions(d);
	if (d->n > MOST)
		return false;
	stretch_apply(d);
	flow_each(d);
	at = refused_at(d);
	if (at < 0 || d->block[at].order < 0)
		return false;
	s.at = at;
	s.in = dec_alloc(d, (size_t)d->nblock + 1);
	s.out = dec_alloc(d, (size_t)d->nblock + 1);
	s.urgent = dec_alloc(d, (size_t)(d->nblock + 1) * sizeof(int));
	for (k = 0; k < d->nblock; k++)
		if (d->block[k].handler >= 0)
			d->block[d->block[k].handler].handles = true;
	for (k = at, most = d->nblock; most--; k = d->block[k].idom) {
		if (scan_from(&s, k, &next)) {
			add_stretch(d, &s, next);
			return true;
		}
		if (k == d->block[k].idom)
			break;
	}
	return false;
}
