/* SPDX-License-Identifier: BSD-3-Clause */
/* What one instruction does to the slots of the value stack and to variables, and what it takes on trust: refused where
   that could be something else.  Knows opcodes by the names in opcode.h, so that it serves all versions. */
#include <Python.h>
#include <opcode.h>
#include "py/asm_walk.h"


/* What may lie in a slot; several where paths join. */
enum {
	ANY = 1 << 0,                        /* an object of which nothing is known */
	NONE = 1 << 1,                       /* NULL */
	HELD = 1 << 2,                       /* the exception that was being handled before */
	LASTI = 1 << 3,                      /* where the exception came from */
	RAISED = 1 << 4,                     /* an exception */
	ITER = 1 << 5,
	VAR = 1 << 6,                        /* the value of a variable, item, attribute or call: trusted */
	SAVED = 1 << 7,                      /* a variable put aside: anything, or NULL */
	LIST = 1 << 8, SET = 1 << 9, DICT = 1 << 10, TUPLE = 1 << 11,
	CELL = 1 << 12, CELLS = 1 << 13,     /* one; a tuple of them */
	CODE = 1 << 14,
	BOOL = 1 << 15,                      /* True or False */
	INT = 1 << 16,
};
/* ---- slots ------------------------------------------------------------------------------------------ */

static struct slot *top(struct walk *w, int k)
{
	return &w->now.slot[w->now.depth - 1 - k];
}

static int want(struct walk *w, int k, unsigned bits, const char *what)
{
	if (top(w, k)->bits & ~bits)
		return walk_refuse(w, "slot %d from the top must be %s", k, what);
	return 0;
}

static void push(struct walk *w, unsigned bits, int n)
{
	w->now.slot[w->now.depth++] = (struct slot){ bits, n };
}

/* ---- what opcodes take ------------------------------------------------------------------------------ */

/* Slots it looks at without taking them. */
static int looks(int op, int arg)
{
	switch (op) {
	case COPY: case SWAP: case LIST_EXTEND: case SET_UPDATE: case DICT_UPDATE: case LIST_APPEND: case SET_ADD:
		return op == COPY || op == SWAP ? arg : arg + 1;
	case MAP_ADD: case DICT_MERGE:
		return arg + 2;
	case RERAISE:
		return arg + 1;
	case WITH_EXCEPT_START:
		return py_version >= 314 ? 5 : 4;
	case CHECK_EXC_MATCH: case SEND: case MATCH_KEYS:
		return 2;
	case PUSH_EXC_INFO: case MATCH_MAPPING: case MATCH_SEQUENCE: case GET_LEN: case IMPORT_FROM: case GET_ANEXT:
	case FOR_ITER:
		return 1;
	}
	return 0;
}

/* Which of its operands, from the top, may be NULL: -1: none. */
static int null_at(int op, int arg)
{
	switch (op) {
	case CALL:
#ifdef PRECALL
	case PRECALL:
#endif
		return py_version >= 313 ? arg : arg + 1;
#ifdef CALL_KW
	case CALL_KW:
		return arg + 1;
#endif
	case CALL_FUNCTION_EX:
		return py_version >= 314 ? 2 : py_version >= 313 ? 1 + (arg & 1) : 2 + (arg & 1);
	}
	return -1;
}

static int take(struct walk *w, const struct instr *in, int pops)
{
	int k, null = null_at(in->op, in->arg), bits;

	for (k = 0; k < pops; k++) {
		bits = top(w, k)->bits;
		if (in->op == POP_TOP || in->op == POP_EXCEPT)
			bits &= in->op == POP_TOP ? ~LASTI : ~HELD;
		if ((in->op == STORE_FAST && k == 0) || k == null ||
		    (py_version >= 314 && in->op == CALL_FUNCTION_EX && !k))
			bits &= ~(SAVED | NONE);
#ifdef STORE_FAST_STORE_FAST
		if (in->op == STORE_FAST_STORE_FAST || (in->op == STORE_FAST_LOAD_FAST && k == 0))
			bits &= ~(SAVED | NONE);
#endif
		if (py_version >= 314 && in->op == POP_TOP)
			bits &= ~NONE;
		if (bits & (NONE | SAVED))
			return walk_refuse(w, "slot %d from the top may be NULL", k);
		if (bits & (LASTI | HELD))
			return walk_refuse(w, "slot %d from the top belongs to the exception being handled", k);
	}
	return 0;
}

/* What must be of one exact type, as CPython takes it on trust. */
static int check_types(struct walk *w, const struct instr *in)
{
	int arg = in->arg;

	switch (in->op) {
	case FOR_ITER:
		return want(w, 0, ITER | VAR, "an iterator: GET_ITER makes one");
	case SEND:
		return want(w, 1, ITER | VAR, "an iterator: GET_YIELD_FROM_ITER or GET_AWAITABLE makes one");
	case LIST_APPEND: case LIST_EXTEND:
		return want(w, arg, LIST | VAR, "a list");
	case SET_ADD: case SET_UPDATE:
		return want(w, arg, SET | VAR, "a set");
	case DICT_UPDATE: case DICT_MERGE:
		return want(w, arg, DICT | VAR, "a dict");
	case MAP_ADD:
		return want(w, arg + 1, DICT | VAR, "a dict");
#ifdef LIST_TO_TUPLE
	case LIST_TO_TUPLE:
		return want(w, 0, LIST | VAR, "a list");
#endif
	case PUSH_EXC_INFO:
		return want(w, 0, RAISED, "the exception that a handler begins with");
	case POP_EXCEPT:
		return want(w, 0, HELD, "what PUSH_EXC_INFO has put aside");
	case RERAISE:
		return want(w, 0, RAISED | VAR, "an exception") < 0 ||
		       (arg && want(w, arg, LASTI, "what a '.try ... lasti' puts there") < 0) ? -1 : 0;
	case MATCH_CLASS: case MATCH_KEYS:
		return want(w, 0, TUPLE, "a tuple");
#ifdef CALL_KW
	case CALL_KW:
		return want(w, 0, TUPLE, "a tuple of names");
#endif
#ifdef TO_BOOL
	case POP_JUMP_IF_TRUE: case POP_JUMP_IF_FALSE: case UNARY_NOT:
		return want(w, 0, BOOL, "True or False: TO_BOOL makes it so");
#endif
	}
	return 0;
}

bool walk_is_cell(const struct walk *w, int i)
{
	const struct assembly *a = w->a;

	if (i >= a->nlocals)
		return true;
	return i < a->nlocals - a->added && py_code_local_kind(w->c->co, i) & 0xc0;
}

/* ---- functions -------------------------------------------------------------------------------------- */

static int check_cells(struct walk *w, int k, int frees)
{
	const struct slot *s = top(w, k);

	if (s->bits != (TUPLE | CELLS) || s->n != frees)
		return walk_refuse(w, "slot %d from the top must be a tuple of %d cells", k, frees);
	return 0;
}

static int check_function(struct walk *w, const struct instr *in)
{
	const struct slot *code = top(w, 0);
	int i;

	if (code->bits != CODE)
		return walk_refuse(w, "slot 0 from the top must be a code object, a constant");
#ifdef SET_FUNCTION_ATTRIBUTE
	for (i = w->index + 1; i < w->c->n && w->c->instr[i].op == SET_FUNCTION_ATTRIBUTE; i++)
		if (w->c->instr[i].arg == 8)
			return check_cells(w, i - w->index, code->n);
	(void)in;
	if (code->n)
		return walk_refuse(w, "the function needs its %d free variables: SET_FUNCTION_ATTRIBUTE closure",
				   code->n);
#else
	int k = 1;

	if (in->arg & 8 && check_cells(w, k++, code->n) < 0)
		return -1;
	if (!(in->arg & 8) && code->n)
		return walk_refuse(w, "the function needs its %d free variables: a tuple of cells, and 8", code->n);
	for (i = 4; i; i >>= 1)
		if (in->arg & i && want(w, k++, i == 1 ? TUPLE : i == 2 ? DICT : DICT | TUPLE,
					i == 1 ? "a tuple" : i == 2 ? "a dict" : "a tuple or a dict") < 0)
			return -1;
#endif
	return 0;
}

/* ---- variables -------------------------------------------------------------------------------------- */

bool walk_in(const struct walk *w, enum set set, int i)
{
	if (!w->words)                       /* nothing puts a cell aside there */
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

static void stored(struct walk *w, int i, unsigned bits)
{
	walk_put(w, UNBOUND, i, bits & (SAVED | NONE));
	if (walk_is_cell(w, i) && bits & SAVED) {
		walk_put(w, IS_CELL, i, true);
		walk_put(w, IS_PLAIN, i, false);
	}
}

void walk_variables(struct walk *w, const struct instr *in)
{
	switch (in->op) {
	case STORE_FAST:
		stored(w, in->arg, top(w, 0)->bits);
		break;
	case DELETE_FAST:
		walk_put(w, UNBOUND, in->arg, true);
		break;
	case MAKE_CELL:
		walk_put(w, IS_CELL, in->arg, true);
		walk_put(w, IS_PLAIN, in->arg, false);
		break;
#ifdef LOAD_FAST_CHECK
	case LOAD_FAST_CHECK:
		walk_put(w, UNBOUND, in->arg, false);
		break;
	case LOAD_FAST_AND_CLEAR:
		walk_put(w, UNBOUND, in->arg, true);
		if (walk_is_cell(w, in->arg)) {
			walk_put(w, IS_CELL, in->arg, false);
			walk_put(w, IS_PLAIN, in->arg, true);
		}
		break;
#endif
#ifdef STORE_FAST_STORE_FAST
	case STORE_FAST_STORE_FAST:
		stored(w, in->arg >> 4, top(w, 0)->bits);
		stored(w, in->arg & 15, top(w, 1)->bits);
		break;
	case STORE_FAST_LOAD_FAST:
		stored(w, in->arg >> 4, top(w, 0)->bits);
		break;
#endif
	}
}

/* A cell must stay one, and nothing else be taken for one. */
static int check_variable(struct walk *w, const struct instr *in)
{
	int op = in->op;

	if ((op == STORE_FAST && !(top(w, 0)->bits & (SAVED | CELL))) || op == DELETE_FAST)
		return !walk_in(w, IS_CELL, in->arg) ? 0 :
		       walk_refuse(w, "the variable is a cell: %s", op == STORE_FAST ? "STORE_DEREF" : "DELETE_DEREF");
	if ((op == LOAD_DEREF || op == STORE_DEREF || op == DELETE_DEREF) && walk_in(w, IS_PLAIN, in->arg))
		return walk_refuse(w, "the variable may be no cell here");
	return 0;
}

/* ---- one instruction -------------------------------------------------------------------------------- */

static unsigned kind_of_variable(const struct walk *w, int i)
{
	return walk_in(w, IS_CELL, i) ? CELL : VAR;
}

/* What makes an object of one kind. */
static unsigned kind_built(int op, int arg)
{
	(void)arg;
	switch (op) {
	case BUILD_LIST:
		return LIST;
	case BUILD_SET:
		return SET;
	case BUILD_MAP:
#ifdef BUILD_CONST_KEY_MAP
	case BUILD_CONST_KEY_MAP:
#endif
		return DICT;
#ifdef LIST_TO_TUPLE
	case LIST_TO_TUPLE:
		return TUPLE;
#endif
#ifdef PREP_RERAISE_STAR
	case PREP_RERAISE_STAR:
		return RAISED;
#endif
#ifdef CALL_INTRINSIC_1
	case CALL_INTRINSIC_1:               /* INTRINSIC_STOPITERATION_ERROR, INTRINSIC_LIST_TO_TUPLE */
		return arg == 3 ? RAISED : arg == 6 ? TUPLE : ANY;
	case CALL_INTRINSIC_2:               /* INTRINSIC_PREP_RERAISE_STAR */
		return arg == 1 ? RAISED : ANY;
#endif
	}
	return ANY;
}

/* Of all that the instruction pushes. */
static unsigned kind_pushed(const struct walk *w, const struct instr *in)
{
	int arg = in->arg;

	switch (in->op) {
	case PUSH_NULL:
		return NONE;
	case LOAD_FAST:
#ifdef LOAD_FAST_CHECK
	case LOAD_FAST_CHECK:
#endif
		return kind_of_variable(w, arg);
#ifdef LOAD_FAST_AND_CLEAR
	case LOAD_FAST_AND_CLEAR:
		return SAVED;
#endif
#ifdef STORE_FAST_LOAD_FAST
	case STORE_FAST_LOAD_FAST:
		return kind_of_variable(w, arg & 15);
#endif
#if defined(LOAD_CLOSURE) && LOAD_CLOSURE < 256  /* the compiler's own have higher numbers */
	case LOAD_CLOSURE:
		return CELL;
#endif
	case LOAD_DEREF: case LOAD_GLOBAL: case LOAD_NAME: case LOAD_ATTR: case UNPACK_SEQUENCE: case CALL:
		return VAR;
#ifdef BINARY_SUBSCR
	case BINARY_SUBSCR:
		return VAR;
#else
	case BINARY_OP:
		return arg == NB_SUBSCR ? VAR : ANY;
#endif
#ifdef GET_YIELD_FROM_ITER
	case GET_YIELD_FROM_ITER:
#endif
	case GET_ITER: case GET_AITER: case GET_AWAITABLE: case GET_ANEXT:
		return ITER;
	case CHECK_EG_MATCH:
		return RAISED;
#ifdef TO_BOOL
	case TO_BOOL: case UNARY_NOT: case IS_OP: case CONTAINS_OP: case MATCH_MAPPING: case MATCH_SEQUENCE:
		return BOOL;
	case COMPARE_OP:
		return arg & 16 || w->ints ? BOOL : ANY;
	case GET_LEN:
		return INT;
#endif
#ifdef LOAD_SMALL_INT
	case LOAD_SMALL_INT:
		return INT;
#endif
	}
	return kind_built(in->op, arg);
}

static void pushed(struct walk *w, const struct instr *in, int n)
{
	unsigned kind = kind_pushed(w, in);
	PyObject *v;

	if (in->op == LOAD_CONST) {
		v = PyList_GET_ITEM(w->a->consts.list, in->arg);
		if (PyCode_Check(v))
			push(w, CODE, ((PyCodeObject *)v)->co_nfreevars);
		else if (PyTuple_CheckExact(v))
			push(w, TUPLE, (int)PyTuple_GET_SIZE(v));
		else
			push(w, PyBool_Check(v) ? BOOL : PyLong_CheckExact(v) ? INT : ANY, -1);
		return;
	}
#ifdef LOAD_FAST_LOAD_FAST
	if (in->op == LOAD_FAST_LOAD_FAST) {
		push(w, kind_of_variable(w, in->arg >> 4), -1);
		push(w, kind_of_variable(w, in->arg & 15), -1);
		return;
	}
#endif
	while (n-- > 0)
		push(w, kind, -1);
}

/* What a method or function is loaded as: with a NULL, or with the object it is called on. */
static bool push_callable(struct walk *w, const struct instr *in, int n)
{
	int null = 0;

	switch (in->op) {
	case LOAD_GLOBAL:
		null = in->arg & 1 ? NONE : 0;
		break;
#if defined(LOAD_METHOD) && LOAD_METHOD < 256
	case LOAD_METHOD:
		null = NONE | ANY;
		break;
#endif
	case LOAD_ATTR:
#ifdef LOAD_SUPER_ATTR
	case LOAD_SUPER_ATTR:
#endif
		null = n == 2 ? NONE | ANY : 0;
		break;
#ifdef LOAD_SPECIAL
	case LOAD_SPECIAL:
		null = NONE | ANY;
		break;
#endif
	}
	if (!null || n != 2)
		return false;
	push(w, py_version >= 313 ? ANY : (unsigned)null, -1);
	push(w, py_version >= 313 ? (unsigned)null : ANY, -1);
	return true;
}

/* Moves and copies of slots, and what leaves a kind behind; true: done. */
static bool shuffled(struct walk *w, const struct instr *in)
{
	struct slot s;
	bool cells = in->op == BUILD_TUPLE;
	int i;

	switch (in->op) {
	case COPY:
		s = *top(w, in->arg - 1);
		push(w, s.bits, s.n);
		return true;
	case SWAP:
		s = *top(w, 0);
		*top(w, 0) = *top(w, in->arg - 1);
		*top(w, in->arg - 1) = s;
		return true;
	case CHECK_EXC_MATCH:
		*top(w, 0) = (struct slot){ BOOL, -1 };
		return true;
	case PUSH_EXC_INFO:
		s = *top(w, 0);
		*top(w, 0) = (struct slot){ HELD, -1 };
		push(w, s.bits, s.n);
		return true;
	case BUILD_TUPLE:
		for (i = 0; i < in->arg; i++)
			cells &= top(w, i)->bits == CELL;
		w->now.depth -= in->arg;
		push(w, cells ? TUPLE | CELLS : TUPLE, in->arg);
		return true;
	}
	return false;
}

/* w->now: the state before, becomes that after, when it jumps or not. */
int walk_apply(struct walk *w, const struct instr *in, int jump)
{
	int effect = py_op_effect(in->op, in->arg, jump), pops = py_op_pops(in->op, in->arg), need, n;

	if (effect == INT32_MIN || (unsigned)in->arg > DEPTH_MAX)
		return walk_refuse(w, "its effect on the stack is unknown");
	need = pops > -effect ? pops : -effect;
	need = looks(in->op, in->arg) > need ? looks(in->op, in->arg) : need;
	if (w->now.depth < need)
		return walk_refuse(w, "it needs %d value%s on the stack, there %s %d", need, need == 1 ? "" : "s",
			      w->now.depth == 1 ? "is" : "are", w->now.depth);
	if (w->now.depth + effect + 2 > DEPTH_MAX)
		return walk_refuse(w, "the stack grows too deep");
	if (in->op == COPY && top(w, in->arg - 1)->bits & (NONE | SAVED))
		return walk_refuse(w, "slot %d from the top may be NULL", in->arg - 1);
	if (take(w, in, pops) < 0 || check_types(w, in) < 0 || (in->op == MAKE_FUNCTION && check_function(w, in) < 0))
		return -1;
	if (check_variable(w, in) < 0)
		return -1;
	walk_variables(w, in);
	if (shuffled(w, in))
		return 0;
	if (in->op == FOR_ITER || in->op == SEND) {
		for (n = effect; n > 0; n--)
			push(w, ANY, -1);
		w->now.depth += n;
		if (in->op == SEND)
			*top(w, 0) = (struct slot){ ANY, -1 };
		return 0;
	}
	w->ints = pops == 2 && (top(w, 0)->bits == INT || top(w, 1)->bits == INT);
	n = effect + pops;
	w->now.depth -= pops;
	if (!push_callable(w, in, n) && n > 0)
		pushed(w, in, n);
	else if (n < 0)
		w->now.depth += n;
	return 0;
}


void walk_raised(struct walk *w, const struct except *e)
{
	w->now.depth = e->depth;
	if (e->lasti)
		push(w, LASTI, -1);
	push(w, RAISED, -1);
}

struct slot walk_join(struct slot a, struct slot b)
{
	return (struct slot){ a.bits | b.bits, a.n == b.n ? a.n : -1 };
}
