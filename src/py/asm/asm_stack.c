/* SPDX-License-Identifier: BSD-3-Clause */
/* What one instruction does to the slots of the value stack and to variables.  Knows opcodes by the names in opcode.h,
   so that it serves all versions. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_walk.h"

/* ---- slots ------------------------------------------------------------------------------------------ */

struct walk_slot *walk_top(struct walk *w, int k)
{
	return &w->now.slot[w->now.depth - 1 - k];
}

static void push_slot(struct walk *w, unsigned bits, int n)
{
	w->now.slot[w->now.depth++] = (struct walk_slot){ bits, ANY, n };
}

static bool surely_cell(unsigned bits)
{
	return bits & CELL && !(bits & ~(CELL | SAVED));
}

/* ---- variables -------------------------------------------------------------------------------------- */

bool walk_is_cell(const struct walk *w, int i)
{
	const struct assembly *a = w->a;

	if (i >= a->nlocals)
		return true;
	return i < a->nlocals - a->added && py_code_local_kind(w->c->co, i) & 0xc0;
}

bool walk_in(const struct walk *w, enum set set, int i)
{
	if (!w->words) /* nothing saves a cell there */
		return set == IS_CELL && walk_is_cell(w, i);
	return w->now.sets[set * w->words + i / 64] >> (i % 64) & 1;
}

void walk_put(struct walk *w, enum set set, int i, bool yes)
{
	uint64_t *word = &w->now.sets[set * w->words + i / 64];

	if (!w->words || i >= w->a->locals.n)
		return;
	*word &= ~(1ull << (i % 64));
	*word |= (uint64_t)yes << (i % 64);
}

static void variable_stored(struct walk *w, int i, unsigned bits)
{
	bool cell = surely_cell(bits);

	walk_put(w, UNBOUND, i, !cell && bits & (SAVED | NONE));
	if (walk_is_cell(w, i)) {
		walk_put(w, IS_CELL, i, cell);
		walk_put(w, IS_PLAIN, i, !cell);
	}
}

void walk_variables(struct walk *w, const struct instr *in)
{
	switch (in->op) {
	case STORE_FAST:
		variable_stored(w, in->arg, walk_top(w, 0)->bits);
		break;
	case DELETE_FAST:
		walk_put(w, UNBOUND, in->arg, true);
		break;
	case MAKE_CELL:
		walk_put(w, IS_CELL, in->arg, true);
		walk_put(w, IS_PLAIN, in->arg, false);
		break;
	case LOAD_FAST_CHECK:
		walk_put(w, UNBOUND, in->arg, false);
		break;
	case LOAD_FAST_AND_CLEAR:
		walk_put(w, UNBOUND, in->arg, true);
		walk_put(w, IS_CELL, in->arg, false);
		walk_put(w, IS_PLAIN, in->arg, true);
		break;
	case STORE_FAST_STORE_FAST:
		variable_stored(w, in->arg >> 4, walk_top(w, 0)->bits);
		variable_stored(w, in->arg & 15, walk_top(w, 1)->bits);
		break;
	case STORE_FAST_LOAD_FAST:
		variable_stored(w, in->arg >> 4, walk_top(w, 0)->bits);
		break;
	}
}

static int check_store(struct walk *w, int i, int k)
{
	return !walk_in(w, IS_CELL, i) || surely_cell(walk_top(w, k)->bits) ?
		       0 :
		       walk_refuse(w, "the variable is a cell: STORE_DEREF");
}

/* A cell must stay a cell, and no other value may be used as one. */
static int check_variable(struct walk *w, const struct instr *in)
{
	int arg = in->arg;

	switch (in->op) {
	case STORE_FAST:
		return check_store(w, arg, 0);
	case STORE_FAST_STORE_FAST:
		return check_store(w, arg >> 4, 0) < 0 ? -1 : check_store(w, arg & 15, 1);
	case STORE_FAST_LOAD_FAST:
		return check_store(w, arg >> 4, 0);
	case DELETE_FAST:
		return walk_in(w, IS_CELL, arg) ? walk_refuse(w, "the variable is a cell: DELETE_DEREF") : 0;
	case LOAD_FROM_DICT_OR_DEREF:
	case LOAD_CLASSDEREF:
	case LOAD_DEREF:
	case STORE_DEREF:
	case DELETE_DEREF:
		return walk_in(w, IS_PLAIN, arg) ? walk_refuse(w, "the variable may not be a cell here") : 0;
	}
	return 0;
}

/* ---- one instruction -------------------------------------------------------------------------------- */

static unsigned kind_of_variable(const struct walk *w, int i)
{
	return (walk_in(w, IS_CELL, i) ? CELL : VAR) | (walk_in(w, IS_PLAIN, i) ? VAR : 0);
}

static unsigned kind_of_common(int arg)
{
	const char *word = op_arg_word(LOAD_COMMON_CONSTANT, arg);

	if (!word)
		return ANY;
	return !strcmp(word, "None")			       ? NOTHING :
	       !strcmp(word, "True") || !strcmp(word, "False") ? BOOL :
	       *word == '\''				       ? STRING :
	       *word == '-'				       ? INT :
								 ANY;
}

/* What makes an object of one kind. */
static unsigned kind_built(int op, int arg)
{
	(void)arg;
	switch (op) {
	case BUILD_SET:
		return SET;
	case BUILD_MAP:
	case BUILD_CONST_KEY_MAP:
		return DICT;
	case LIST_TO_TUPLE:
		return TUPLE;
	case PREP_RERAISE_STAR:
	case CHECK_EG_MATCH:
		return MAYBE;
	case CALL_INTRINSIC_1:
		return op_is_intrinsic(op, arg, "STOPITERATION_ERROR") ? RAISED :
		       op_is_intrinsic(op, arg, "LIST_TO_TUPLE")       ? TUPLE :
									 ANY;
	case CALL_INTRINSIC_2:
		return op_is_intrinsic(op, arg, "PREP_RERAISE_STAR")	    ? MAYBE :
		       op_is_intrinsic(op, arg, "SET_FUNCTION_TYPE_PARAMS") ? FUNCTION :
									      ANY;
	case BUILD_INTERPOLATION:
		return TEMPLATE;
	}
	return ANY;
}

/* The kinds of all values that the instruction pushes. */
static unsigned kind_pushed(const struct walk *w, const struct instr *in)
{
	int arg = in->arg;

	switch (in->op) {
	case PUSH_NULL:
		return NONE;
	case LOAD_COMMON_CONSTANT:
		return kind_of_common(arg);
	case LOAD_FAST:
	case LOAD_FAST_CHECK:
		return kind_of_variable(w, arg);
	case LOAD_FAST_AND_CLEAR:
		return SAVED | kind_of_variable(w, arg);
	case STORE_FAST_LOAD_FAST:
		return kind_of_variable(w, arg & 15);
	case LOAD_CLOSURE:
		return kind_of_variable(w, arg);
	case BINARY_SLICE: /* torch 2.15 extends a list that it cut from one */
	case LOAD_DEREF:
	case LOAD_GLOBAL:
	case LOAD_NAME:
	case LOAD_ATTR:
	case UNPACK_SEQUENCE:
	case CALL:
		return VAR;
	case BINARY_SUBSCR:
		return VAR;
	case BINARY_OP:
		return arg == NB_SUBSCR ? VAR : ANY;
	case GET_ITER:
		return ITER;
	case TO_BOOL:
	case UNARY_NOT:
	case IS_OP:
	case CONTAINS_OP:
	case MATCH_MAPPING:
	case MATCH_SEQUENCE:
		return BOOL;
	case COMPARE_OP:
		return py_facts.wants_bool && (arg & 16 || w->ints) ? BOOL : ANY;
	case GET_LEN:
		return INT;
	case LOAD_SMALL_INT:
		return INT;
	}
	return kind_built(in->op, arg);
}

/* The code inside a comprehension: it has its argument for an iterator. */
static bool loops_over_argument(PyObject *code)
{
	struct code *c = code_get((struct py_code *)code);
	int i, load = -1;

	if (((PyCodeObject *)code)->co_argcount != 1 || strcmp(code_local_name(c, 0), ".0"))
		return false;
	code_decode(c);
	for (i = 0; i < c->n; i++) {
		if (c->instr[i].op == FOR_ITER && load >= 0 && op_plain(c->instr[load].op) == LOAD_FAST &&
		    !c->instr[load].arg)
			return true;
		if (!(c->instr[i].flags & INSTR_PREFIX))
			load = i;
	}
	return false;
}

static struct walk_slot slot_of_const(PyObject *v)
{
	struct walk_slot s = { 0, 0, -1 };
	Py_ssize_t i;

	if (PyTuple_CheckExact(v)) {
		s = (struct walk_slot){ TUPLE, 0, (int)PyTuple_GET_SIZE(v) };
		for (i = 0; i < PyTuple_GET_SIZE(v); i++)
			s.items |= PyUnicode_CheckExact(PyTuple_GET_ITEM(v, i)) ? STRING : ANY;
	} else if (PyCode_Check(v)) {
		s = (struct walk_slot){ CODE, loops_over_argument(v) ? LOOPS : 0, ((PyCodeObject *)v)->co_nfreevars };
	} else {
		s.bits = PyBool_Check(v)	 ? BOOL :
			 PyLong_CheckExact(v)	 ? INT :
			 PyUnicode_CheckExact(v) ? STRING :
			 v == Py_None		 ? NOTHING :
						   ANY;
	}
	return s;
}

static void push_results(struct walk *w, const struct instr *in, int n)
{
	unsigned kind = kind_pushed(w, in);

	switch (in->op) {
	case LOAD_CONST:
		w->now.slot[w->now.depth++] = slot_of_const(PyList_GET_ITEM(w->a->consts.list, in->arg));
		return;
	case LOAD_FAST_LOAD_FAST:
		push_slot(w, kind_of_variable(w, in->arg >> 4), in->arg >> 4);
		push_slot(w, kind_of_variable(w, in->arg & 15), in->arg & 15);
		return;
	case STORE_FAST_LOAD_FAST:
		push_slot(w, kind, in->arg & 15);
		return;
	case LOAD_FAST_CHECK:
	case LOAD_FAST:
	case LOAD_DEREF:
		push_slot(w, kind, in->arg);
		return;
	case GET_ITER:
		push_slot(w, n > 1 ? COUNTED : kind, n > 1 ? w->index : -1);
		if (n > 1)
			push_slot(w, PLACE, w->index);
		return;
	}
	while (n-- > 0)
		push_slot(w, kind, -1);
}

/* The two slots that a load of a method or function pushes: with a NULL, or with the object it is called on. */
static bool push_callable(struct walk *w, const struct instr *in, int n)
{
	int null = 0;

	switch (in->op) {
	case LOAD_GLOBAL:
		null = in->arg & 1 ? NONE : 0;
		break;
	case LOAD_METHOD:
		null = NONE | ANY;
		break;
	case LOAD_ATTR:
	case LOAD_SUPER_ATTR:
		null = n == 2 ? NONE | ANY : 0;
		break;
	case LOAD_SPECIAL:
		null = NONE | ANY;
		break;
	}
	if (!null || n != 2)
		return false;
	push_slot(w, py_facts.null_above ? ANY : (unsigned)null, -1);
	push_slot(w, py_facts.null_above ? (unsigned)null : ANY, -1);
	return true;
}

/* The kinds that the n top slots may have. */
static unsigned kinds_of(struct walk *w, int n)
{
	unsigned bits = 0;

	while (n-- > 0)
		bits |= walk_top(w, n)->bits;
	return bits;
}

/* Functions, and what holds other values. */
static bool push_built(struct walk *w, const struct instr *in)
{
	struct walk_slot s = { 0, 0, -1 };

	switch (in->op) {
	case BUILD_TUPLE:
	case BUILD_LIST:
		s = (struct walk_slot){ in->op == BUILD_TUPLE ? TUPLE : LIST, kinds_of(w, in->arg), in->arg };
		w->now.depth -= in->arg;
		break;
	case LIST_APPEND:
	case LIST_EXTEND:
		walk_top(w, in->arg)->items |= in->op == LIST_APPEND ? walk_top(w, 0)->bits : ANY;
		w->now.depth--;
		return true;
	case MAKE_FUNCTION:
		s = (struct walk_slot){ FUNCTION | (walk_top(w, 0)->items & LOOPS), 0, walk_top(w, 0)->n };
		w->now.depth -= py_op_pops(in->op, in->arg);
		break;
	case SET_FUNCTION_ATTRIBUTE:
		s = *walk_top(w, 0);
		w->now.depth -= 2;
		break;
	default:
		return false;
	}
	w->now.slot[w->now.depth++] = s;
	return true;
}

/* Moves and copies of slots, and instructions that push a known kind; true: done. */
static bool shuffled(struct walk *w, const struct instr *in)
{
	struct walk_slot s;

	switch (in->op) {
	case COPY:
		walk_top(w, in->arg - 1)->items |= walk_top(w, in->arg - 1)->bits & LIST ? ANY : 0;
		s = *walk_top(w, in->arg - 1);
		w->now.slot[w->now.depth++] = s;
		return true;
	case SWAP:
		s = *walk_top(w, 0);
		*walk_top(w, 0) = *walk_top(w, in->arg - 1);
		*walk_top(w, in->arg - 1) = s;
		return true;
	case CHECK_EXC_MATCH:
		*walk_top(w, 0) = (struct walk_slot){ BOOL, 0, -1 };
		return true;
	case PUSH_EXC_INFO:
		s = *walk_top(w, 0);
		*walk_top(w, 0) = (struct walk_slot){ HELD, 0, -1 };
		w->now.slot[w->now.depth++] = s;
		return true;
	}
	return false;
}

/* A branch on a copy of the slot below: on one path that is not None. */
static void branched(struct walk *w, const struct instr *in, int jump)
{
	const char *name = py_op_name(in->op);
	bool after_copy = w->index && !w->joined[w->index] && in[-1].op == COPY && in[-1].arg == 1;

	if (after_copy && w->now.depth && walk_top(w, 0)->bits == MAYBE && strstr(name, "_NONE") &&
	    jump == !!strstr(name, "_IF_NOT_NONE"))
		walk_top(w, 0)->bits = RAISED;
}

/* w->now: the state before, becomes that after, when it jumps or not. */
int walk_apply(struct walk *w, const struct instr *in, int jump)
{
	int effect = py_op_effect(in->op, in->arg, jump), pops = py_op_pops(in->op, in->arg), need, n;

	if (effect == INT32_MIN || (unsigned)in->arg > DEPTH_MAX)
		return walk_refuse(w, "its effect on the stack is unknown");
	need = pops > -effect ? pops : -effect;
	need = trust_looks(in->op, in->arg) > need ? trust_looks(in->op, in->arg) : need;
	if (w->now.depth < need)
		return walk_refuse(w, "it needs %d value%s on the stack, there %s %d", need, need == 1 ? "" : "s",
				   w->now.depth == 1 ? "is" : "are", w->now.depth);
	if (w->now.depth + effect + 2 > DEPTH_MAX)
		return walk_refuse(w, "the stack grows too deep");
	if (trust_check(w, in, pops) < 0 || check_variable(w, in) < 0)
		return -1;
	walk_variables(w, in);
	if (shuffled(w, in) || push_built(w, in))
		return 0;
	if (in->op == FOR_ITER || in->op == SEND) {
		for (n = effect; n > 0; n--)
			push_slot(w, ANY, -1);
		w->now.depth += n;
		if (in->op == SEND)
			*walk_top(w, 0) = (struct walk_slot){ ANY, 0, -1 };
		return 0;
	}
	w->ints = pops == 2 && (walk_top(w, 0)->bits == INT || walk_top(w, 1)->bits == INT);
	n = effect + pops;
	w->now.depth -= pops;
	if (!push_callable(w, in, n) && n > 0)
		push_results(w, in, n);
	else if (n < 0)
		w->now.depth += n;
	branched(w, in, jump);
	return 0;
}

void walk_raised(struct walk *w, const struct except *e)
{
	w->now.depth = e->depth;
	if (e->lasti)
		push_slot(w, LASTI, -1);
	push_slot(w, RAISED, -1);
}

struct walk_slot walk_join(struct walk_slot a, struct walk_slot b)
{
	return (struct walk_slot){ a.bits | b.bits, a.items | b.items, a.n == b.n ? a.n : -1 };
}

/* ---- what the handler finds ---------------------------------------------------------------------------- */

/* Opcodes of one kind share a line. */
/* clang-format off */
bool walk_takes_and_raises(int op)
{
	switch (op) {
	case POP_TOP: case STORE_FAST: case PUSH_EXC_INFO: case POP_EXCEPT: case YIELD_VALUE: case FOR_ITER:
	case POP_ITER:
		return false;
	}
	return true;
}

bool walk_raises(int op)
{
	switch (op) {
	case PUSH_EXC_INFO: case LOAD_CONST: case RETURN_VALUE:
	case LOAD_COMMON_CONSTANT:
		return false;
	}
	return true;
}
/* clang-format on */
