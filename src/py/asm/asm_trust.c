/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the operands that instructions use without a check, and refuses those that could be invalid. A value about
   which nothing is known (of a variable, a call, ...) is accepted where the base uses the same value in the same
   way. Knows opcodes by their names, so that it serves all versions. */
#include <Python.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_walk.h"

/* ---- what the base does ------------------------------------------------------------------------------- */

static bool trusts(struct walk *w, int op, int k)
{
	struct trust *t = w->trust;
	const struct walk_slot *s = walk_top(w, k);
	int var = s->bits == VAR ? s->n : -1, i;
	uint64_t key;

	if (w->learns && var >= w->a->nlocals - w->a->added)
		var += w->a->added;
	key = (uint64_t)(var + 1) << 32 | (uint64_t)k << 8 | (uint64_t)op;
	for (i = 0; i < t->n; i++)
		if (t->taken[i] == key)
			return w->learns || var < 0 || t->kept[var];
	if (w->learns) {
		t->taken = mem_grow(t->taken, &t->cap, (size_t)t->n + 1, sizeof(*t->taken));
		t->taken[t->n++] = key;
	}
	return w->learns;
}

void trust_release(struct trust *t)
{
	free(t->taken);
	free(t->kept);
}

/* Opcodes of one kind share a line. */
/* clang-format off */
void trust_stores(const struct code *c, bool *stored, int from, int by)
{
#define STORED(i) stored[(i) + ((i) >= from ? by : 0)] = true
	int i;

	for (i = 0; i < c->n; i++)
		switch (c->instr[i].op) {
		case STORE_FAST_STORE_FAST:
			STORED(c->instr[i].arg & 15);
			STORED(c->instr[i].arg >> 4);
			break;
		case STORE_FAST_LOAD_FAST:
			STORED(c->instr[i].arg >> 4);
			break;
		case STORE_FAST: case STORE_DEREF:
			STORED(c->instr[i].arg);
			break;
		}
#undef STORED
}
/* clang-format on */

/* ---- operands -------------------------------------------------------------------------------------------- */

static int want(struct walk *w, int k, unsigned bits, const char *what)
{
	const struct walk_slot *s = walk_top(w, k);

	if (!(s->bits & ~bits) || (!(s->bits & ~(bits | VAR)) && trusts(w, w->c->instr[w->index].op, k)))
		return 0;
	return walk_refuse(w, "slot %d from the top must be %s", k, what);
}

/* A tuple of n, -1: of any length; items: of what, 0: of anything. */
static int want_tuple(struct walk *w, int k, int n, unsigned items, const char *what)
{
	const struct walk_slot *s = walk_top(w, k);
	bool right = s->bits == TUPLE && (n < 0 || s->n == n);

	if (right && items && s->items & ~items)
		right = !(s->items & ~(items | VAR)) && trusts(w, w->c->instr[w->index].op, k);
	if (right || (s->bits == VAR && trusts(w, w->c->instr[w->index].op, k)))
		return 0;
	return walk_refuse(w, "slot %d from the top must be %s", k, what);
}

/* An object of the program. */
static int want_object(struct walk *w, int k)
{
	unsigned bits = walk_top(w, k)->bits;

	if (bits & (NONE | SAVED | PLACE))
		return walk_refuse(w, "slot %d from the top may be NULL", k);
	if (bits & (LASTI | HELD))
		return walk_refuse(w, "slot %d from the top belongs to the exception being handled", k);
	return 0;
}

/* Opcodes of one kind share a line. */
/* clang-format off */
int trust_looks(int op, int arg)
{
	switch (op) {
	case COPY: case SWAP:
		return arg;
	case LIST_EXTEND: case SET_UPDATE: case DICT_UPDATE: case LIST_APPEND: case SET_ADD: case RERAISE:
		return arg + 1;
	case MAP_ADD:
		return arg + 2;
	case DICT_MERGE:                     /* the function is named when it cannot be done */
		return arg + 3 + py_facts.null_above;
	case WITH_EXCEPT_START:
		return 4 + py_facts.exit_has_self;
	case CHECK_EXC_MATCH: case MATCH_KEYS:
		return 2;
	case SEND:
		return 1 + py_iterator_slots;
	case RESUME:
		return (arg & 3) >= 2 ? 1 + py_iterator_slots : 0;
	case YIELD_VALUE:
		return py_facts.yield_delegates && arg ? 1 + py_iterator_slots : 1;
	case PUSH_EXC_INFO: case MATCH_MAPPING: case MATCH_SEQUENCE: case GET_LEN: case IMPORT_FROM: case GET_ANEXT:
	case FOR_ITER:
		return 1;
	}
	return 0;
}
/* clang-format on */

/* The operand, counted from the top, that may be NULL; -1: none. */
static int null_at(int op, int arg)
{
	switch (op) {
	case CALL:
	case PRECALL:
		return py_facts.null_above ? arg : arg + 1;
	case CALL_KW:
		return arg + 1;
	case CALL_FUNCTION_EX:
		/* function and NULL, arguments, keywords where there are any */
		return py_facts.keywords == KEYWORDS_OR_NULL ? 2 : (arg & 1) + 2 - py_facts.null_above;
	case WITH_EXCEPT_START:
		return py_facts.exit_has_self ? 3 : -1;
	}
	return -1;
}

/* Index from the top of the operand that is above an iterator; -1: none. */
static int place_at(const struct instr *in)
{
	if (py_iterator_slots < 2)
		return -1;
	switch (in->op) {
	case RESUME:
		return (in->arg & 3) >= 2 ? 1 : -1;
	case YIELD_VALUE:
		return in->arg ? 1 : -1;
	case FOR_ITER:
	case POP_ITER:
		return 0;
	case SEND:
	case END_SEND:
		return 1;
	case CLEANUP_THROW:
		return 2;
	}
	return -1;
}

/* Opcodes of one kind share a line. */
/* clang-format off */
static bool may_be_null(const struct instr *in, int k)
{
	if (k == null_at(in->op, in->arg) || k == place_at(in))
		return true;
	switch (in->op) {
	case STORE_FAST_STORE_FAST:
		return true;
	case STORE_FAST_LOAD_FAST:
	case STORE_FAST:
		return !k;
	case POP_TOP: case CALL_FUNCTION_EX:
		return py_facts.keywords == KEYWORDS_OR_NULL && !k;
	}
	return false;
}
/* clang-format on */

/* The code of a comprehension: its one argument is an iterator that the caller has made. */
static int check_looping(struct walk *w, const struct instr *in, int k)
{
	switch (in->op) {
	case PRECALL:
	case CALL:
		if (!in->arg && k == 1)
			return want(w, 0, ITER, "an iterator: GET_ITER makes one");
		break;
	case SET_FUNCTION_ATTRIBUTE:
		return 0;
	case POP_TOP:
		return 0;
	}
	return trusts(w, in->op, k) ?
		       0 :
		       walk_refuse(w, "slot %d from the top loops over its argument: CALL 0 with an iterator", k);
}

/* Opcodes of one kind share a line. */
/* clang-format off */
static int check_objects(struct walk *w, const struct instr *in, int pops)
{
	unsigned own;
	int k;

	for (k = 0; k < pops; k++) {
		own = walk_top(w, k)->bits;
		if (own & LOOPS && check_looping(w, in, k) < 0)
			return -1;
		if ((in->op == POP_TOP && own == LASTI) || in->op == POP_EXCEPT ||
		    (may_be_null(in, k) && !(own & (LASTI | HELD))))
			continue;
		if (want_object(w, k) < 0)
			return -1;
	}
	switch (in->op) {
	case CHECK_EXC_MATCH: case SEND: case MATCH_KEYS: case MATCH_MAPPING: case MATCH_SEQUENCE: case GET_LEN:
	case IMPORT_FROM: case GET_ANEXT: case RESUME: case YIELD_VALUE:
		for (k = in->op == RESUME; k < trust_looks(in->op, in->arg); k++)
			if (k != place_at(in) && want_object(w, k) < 0)
				return -1;
		return 0;
	case DICT_MERGE:
		return want_object(w, trust_looks(in->op, in->arg) - 1);
	case WITH_EXCEPT_START:
		return want_object(w, trust_looks(in->op, in->arg) - 1);
	}
	return 0;
}
/* clang-format on */

/* ---- functions ------------------------------------------------------------------------------------------- */

static int check_cells(struct walk *w, int k, int n)
{
	char what[64];

	snprintf(what, sizeof(what), "a tuple of %d cell%s", n, n == 1 ? "" : "s");
	return want_tuple(w, k, n, CELL, what);
}

/* Their length is even: names and values. */
static int check_annotations(struct walk *w, int k)
{
	const struct walk_slot *s = walk_top(w, k);

	if (s->bits == DICT)
		return 0;
	if (s->bits == TUPLE && s->n >= 0 && s->n % 2)
		return walk_refuse(w, "slot %d from the top must be a tuple of names and values", k);
	return want(w, k, s->n < 0 ? DICT : TUPLE, "a dict, or a tuple of names and values");
}

static int check_attribute(struct walk *w, int which, int k, int frees)
{
	switch (which) {
	case 1:
		return want(w, k, TUPLE, "a tuple");
	case 2:
		return want(w, k, DICT, "a dict");
	case 4:
		return check_annotations(w, k);
	case 8:
		return frees < 0 ? walk_refuse(w, "the function's free variables are not known") :
				   check_cells(w, k, frees);
	}
	return 0;
}

static int check_function(struct walk *w, const struct instr *in)
{
	const struct walk_slot *code = walk_top(w, 0);
	int i, k = 1;

	if (code->bits != CODE)
		return walk_refuse(w, "slot 0 from the top must be a code object, a constant");
	for (i = w->index + 1; i < w->c->n && w->c->instr[i].op == SET_FUNCTION_ATTRIBUTE; i++)
		if (w->c->instr[i].arg == 8)
			return 0;
	for (i = 8; i; i >>= 1) /* where they are flags of MAKE_FUNCTION */
		if (in->arg & i && check_attribute(w, i, k++, code->n) < 0)
			return -1;
	if (in->arg & 8)
		return 0;
	return !code->n ? 0 : walk_refuse(w, "the function needs a tuple of its %d free variables", code->n);
}

/* Names of arguments, for a call that has `most` arguments. */
static int check_names(struct walk *w, int most)
{
	const struct walk_slot *s = walk_top(w, 0);

	if (s->bits == TUPLE && s->n > most)
		return walk_refuse(w, "there are more names than arguments");
	return want_tuple(w, 0, s->n, STRING, "a tuple of names, a constant");
}

/* A list of exceptions and None to which there is no other reference. */
static int check_raised(struct walk *w)
{
	const struct walk_slot *s = walk_top(w, 0);

	if (s->bits == LIST && !(s->items & ~(RAISED | MAYBE | NOTHING)))
		return 0;
	return walk_refuse(w, "slot 0 from the top must be a list of the exceptions that were raised");
}

/* ---- intrinsics: their functions check nothing ------------------------------------------------------------- */

/* A name, type parameters or None, and what gives the value: made right before. */
static int check_alias(struct walk *w)
{
	const struct instr *made = &w->c->instr[w->index - 1];
	const struct state *s = w->index ? &w->state[w->index - 1] : NULL;

	if (s && s->slot && made->op == BUILD_TUPLE && made->arg == 3 && !w->joined[w->index] && s->depth >= 3 &&
	    s->slot[s->depth - 3].bits == STRING && !(s->slot[s->depth - 2].bits & ~(TUPLE | NOTHING)))
		return 0;
	return walk_refuse(w, "slot 0 from the top must be a tuple of a name, type parameters and a function");
}

static int check_intrinsic(struct walk *w, const struct instr *in)
{
	static const struct {
		const char *name;
		int k;
		unsigned bits;
		const char *what;
	} wants[] = {
		{ "STOPITERATION_ERROR", 0, RAISED, "an exception" },
		{ "LIST_TO_TUPLE", 0, LIST, "a list" },
		{ "SUBSCRIPT_GENERIC", 0, TUPLE, "a tuple" },
		{ "TYPEVAR", 0, STRING, "a string, a constant" },
		{ "PARAMSPEC", 0, STRING, "a string, a constant" },
		{ "TYPEVARTUPLE", 0, STRING, "a string, a constant" },
		{ "TYPEVAR_WITH_BOUND", 1, STRING, "a string, a constant" },
		{ "TYPEVAR_WITH_CONSTRAINTS", 1, STRING, "a string, a constant" },
		{ "SET_FUNCTION_TYPE_PARAMS", 0, TUPLE, "a tuple" },
		{ "SET_FUNCTION_TYPE_PARAMS", 1, FUNCTION, "a function made here" },
		{ "PREP_RERAISE_STAR", 1, RAISED, "an exception" },
	};
	size_t i;

	for (i = 0; i < sizeof(wants) / sizeof(*wants); i++)
		if (op_is_intrinsic(in->op, in->arg, wants[i].name) &&
		    want(w, wants[i].k, wants[i].bits, wants[i].what) < 0)
			return -1;
	if (op_is_intrinsic(in->op, in->arg, "TYPEALIAS"))
		return check_alias(w);
	return op_is_intrinsic(in->op, in->arg, "PREP_RERAISE_STAR") ? check_raised(w) : 0;
}

/* ---- by opcode ------------------------------------------------------------------------------------------- */

/* From 3.15 on: above an iterator is NULL, above a sequence the number that the same GET_ITER pushed.  1: the latter;
   0: there is an iterator to be checked, or neither. */
static int check_place(struct walk *w, const struct instr *in)
{
	int k = place_at(in);
	const struct walk_slot *place = k < 0 ? NULL : walk_top(w, k);

	if ((in->op != FOR_ITER && in->op != SEND) || !place || place->bits == NONE)
		return 0;
	if (place->bits == PLACE && walk_top(w, k + 1)->bits == COUNTED && place->n >= 0 &&
	    place->n == walk_top(w, k + 1)->n)
		return 1;
	return walk_refuse(w, "slot %d from the top must be NULL, or both be what one GET_ITER made", k);
}

static int check_loop(struct walk *w, const struct instr *in)
{
	int made = check_place(w, in);

	const struct instr *to = in->op == FOR_ITER ? &w->c->instr[in->target] : NULL;

	if (in->op != FOR_ITER || made < 0)
		return made < 0 ? -1 : 0;
	/* at the end of its loop it skips these, which the compiler adds */
	if (py_facts.for_skips > 0 && to->op != END_FOR)
		to = NULL;
	if (py_facts.for_skips > 1 && to && (in->target + 1 >= w->c->n || to[1].op != POP_TOP))
		to = NULL;
	if (!to)
		return walk_refuse(w, "its label must be before END_FOR%s",
				   py_facts.for_skips > 1 ? " and POP_TOP" : "");
	return made ? 0 : want(w, py_iterator_slots - 1, ITER, "an iterator: GET_ITER makes one");
}

/* Opcodes of one kind share a line. */
/* clang-format off */
static int check_container(struct walk *w, const struct instr *in)
{
	switch (in->op) {
	case LIST_APPEND: case LIST_EXTEND:
		return want(w, in->arg, LIST, "a list");
	case SET_ADD: case SET_UPDATE:
		return want(w, in->arg, SET, "a set");
	case DICT_UPDATE: case DICT_MERGE:
		return want(w, in->arg, DICT, "a dict");
	case MAP_ADD:
		return want(w, in->arg + 1, DICT, "a dict");
	case LIST_TO_TUPLE:
		return want(w, 0, LIST, "a list");
	}
	return 0;
}
/* clang-format on */

/* Opcodes of one kind share a line. */
/* clang-format off */
static int check_exception(struct walk *w, const struct instr *in)
{
	switch (in->op) {
	case PUSH_EXC_INFO:
		return want(w, 0, RAISED, "the exception that a handler begins with");
	case POP_EXCEPT:
		return walk_top(w, 0)->bits == HELD ? 0 :
		       walk_refuse(w, "slot 0 from the top must be what PUSH_EXC_INFO has saved");
	case RERAISE:
		if (in->arg && walk_top(w, in->arg)->bits != LASTI)
			return walk_refuse(w, "slot %d from the top must be what a '.try ... lasti' puts there",
					   in->arg);
		return want(w, 0, RAISED, "an exception");
	case WITH_EXCEPT_START: case END_ASYNC_FOR:
	case CLEANUP_THROW:
		return want(w, 0, RAISED, "an exception");
	case CHECK_EG_MATCH:
		return want(w, 1, RAISED | MAYBE, "an exception");
	case PREP_RERAISE_STAR:
		return want(w, 1, RAISED, "an exception") < 0 ? -1 : check_raised(w);
	}
	return 0;
}
/* clang-format on */

static int check_keywords(struct walk *w, const struct instr *in)
{
	unsigned bits = py_facts.keywords == KEYWORDS_OR_NULL ? DICT | NONE : DICT;

	if (py_facts.keywords == KEYWORDS_ANY || (py_facts.keywords == KEYWORDS_FLAGGED && !(in->arg & 1)))
		return 0;
	return want(w, 0, bits, "a dict: DICT_MERGE makes one");
}

/* Opcodes of one kind share a line. */
/* clang-format off */
static int check_other(struct walk *w, const struct instr *in)
{
	switch (in->op) {
	case BUILD_CONST_KEY_MAP:
		return want_tuple(w, 0, in->arg, 0, "a tuple of as many keys");
	case MATCH_CLASS: case MATCH_KEYS:
		return want(w, 0, TUPLE, "a tuple");
	case CALL_FUNCTION_EX:
		return check_keywords(w, in);
	case CALL_KW:
		return check_names(w, in->arg);
	case POP_JUMP_IF_TRUE: case POP_JUMP_IF_FALSE: case UNARY_NOT:
		return !py_facts.wants_bool ? 0 : want(w, 0, BOOL, "True or False: TO_BOOL makes it so");
	case BUILD_TEMPLATE:
		return want_tuple(w, 1, -1, STRING, "a tuple of strings") < 0 ? -1 :
		       want_tuple(w, 0, -1, TEMPLATE, "a tuple of what BUILD_INTERPOLATION makes");
	case CALL_INTRINSIC_1: case CALL_INTRINSIC_2:
		return check_intrinsic(w, in);
	case MAKE_FUNCTION:
		return check_function(w, in);
	case SET_FUNCTION_ATTRIBUTE:
		return want(w, 0, FUNCTION | LOOPS, "a function made here") < 0 ? -1 :
		       check_attribute(w, in->arg, 1, walk_top(w, 0)->n);
	}
	return 0;
}
/* clang-format on */

int trust_check(struct walk *w, const struct instr *in, int pops)
{
	bool right = check_objects(w, in, pops) == 0 && check_loop(w, in) == 0 && check_container(w, in) == 0 &&
		     check_exception(w, in) == 0 && check_other(w, in) == 0;

	return right || w->learns ? 0 : -1;
}
