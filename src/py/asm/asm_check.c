/* SPDX-License-Identifier: BSD-3-Clause */
/* Refuses code that would crash CPython, which checks none of it: follows every path with the possible contents of each
   slot of the value stack.  Knows opcodes by their names, so that it works for all versions. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_walk.h"

int walk_refuse(struct walk *w, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	assembly_refuse(w->a, w->a->at[w->index], "%s: %s", py_op_name(w->c->instr[w->index].op), text);
	free(text);
	return -1;
}

/* The number of values that the operand can have; 0: not limited. */
static int operand_values(const struct assembly *a, int op)
{
	switch (op_arg_kind(op)) {
	case ARG_CONST:
		return (int)PyList_GET_SIZE(a->consts.list);
	case ARG_NAME:
		return (int)PyList_GET_SIZE(a->names.list);
	case ARG_LOCAL:
		return (int)PyList_GET_SIZE(a->locals.list);
	case ARG_COMPARE:
		return 6;
	default:
		return op_arg_words(op);
	}
}

/* A value out of range would index past the ends of CPython's tables. */
/* Opcodes of one kind share a line. */
/* clang-format off */
static bool in_range(const struct walk *w, const struct instr *in)
{
	int n = operand_values(w->a, in->op), i, arg = in->arg;
	struct op_words words;

	switch (in->op) {
	case COPY: case SWAP:
		return arg > 0;
	case BUILD_SLICE:
		return arg == 2 || arg == 3;
	case RAISE_VARARGS: case RERAISE:
		return arg <= 2;
	case RESUME:
		return arg < py_facts.resume_args;
	case YIELD_VALUE:
		return !py_facts.yield_delegates || arg < 2;
	case MAKE_FUNCTION:
		return arg < 16;
	case SET_FUNCTION_ATTRIBUTE:
		return arg && !(arg & (arg - 1)) && arg <= py_facts.function_parts;
	}
	if (!in->has_arg || !n)
		return true;
	i = py_op_arg_index(in->op, arg, &words);
	return i < n && words.second < n && (!op_arg_words(in->op) || op_arg_word(in->op, arg));
}
/* clang-format on */

/* Opcodes of one kind share a line. */
/* clang-format off */
static int check_arg(struct walk *w, const struct instr *in)
{
	if (!in_range(w, in))
		return walk_refuse(w, "invalid operand %d", in->arg);
	switch (in->op) {
	case LOAD_CLASSDEREF:
		if (((PyCodeObject *)w->a->base->co)->co_flags & CO_OPTIMIZED)
			return walk_refuse(w, "a function has no such names");
		__attribute__((fallthrough));
	case LOAD_FROM_DICT_OR_DEREF:
	case STORE_DEREF: case LOAD_DEREF: case DELETE_DEREF:
	case LOAD_CLOSURE:
		if (!walk_is_cell(w, in->arg))
			return walk_refuse(w, "the variable is neither a cell nor free");
		break;
	}
	return 0;
}
/* clang-format on */

/* ---- paths ------------------------------------------------------------------------------------------ */

static void state_copy(struct walk *w, struct state *to, const struct state *from)
{
	memcpy(to->slot, from->slot, (size_t)from->depth * sizeof(*to->slot));
	if (w->words)
		memcpy(to->sets, from->sets, (size_t)w->words * SETS * sizeof(*to->sets));
	to->depth = from->depth;
}

/* w->now arrives at an instruction. */
static int walk_reach(struct walk *w, int to)
{
	struct state *s = &w->state[to];
	bool news = !s->slot;
	struct walk_slot both;
	int i;

	if (w->now.depth > w->a->stack)
		w->a->stack = w->now.depth;
	if (news) {
		s->slot = mem_alloc(((size_t)w->now.depth + 1) * sizeof(*s->slot));
		s->sets = mem_alloc(((size_t)w->words * SETS + 1) * sizeof(*s->sets));
		state_copy(w, s, &w->now);
	} else if (s->depth != w->now.depth) {
		return assembly_refuse(w->a, w->a->at[to],
				       "%s: the stack holds %d here, but %d when it comes from "
				       "line %d",
				       py_op_name(w->c->instr[to].op), s->depth, w->now.depth, w->a->at[w->index]);
	}
	for (i = 0; !news && i < s->depth; i++) {
		both = walk_join(s->slot[i], w->now.slot[i]);
		if (both.bits == s->slot[i].bits && both.items == s->slot[i].items && both.n == s->slot[i].n)
			continue;
		s->slot[i] = both;
		if (!s->queued)
			w->todo[w->n++] = to;
		s->queued = true;
	}
	for (i = 0; !news && i < w->words * SETS; i++) {
		if (!(w->now.sets[i] & ~s->sets[i]))
			continue;
		s->sets[i] |= w->now.sets[i];
		if (!s->queued)
			w->todo[w->n++] = to;
		s->queued = true;
	}
	if (news) {
		w->todo[w->n++] = to;
		s->queued = true;
	}
	return 0;
}

static int step_handler(struct walk *w, const struct instr *in)
{
	const struct except *e = &w->c->except[w->handler[w->index]];
	int left = w->now.depth - (walk_takes_and_raises(in->op) ? py_op_pops(in->op, in->arg) : 0);

	if (left < e->depth)
		return walk_refuse(w, "its handler needs %d value%s on the stack, there %s %d", e->depth,
				   e->depth == 1 ? "" : "s", left == 1 ? "is" : "are", left < 0 ? 0 : left);
	walk_raised(w, e);
	return walk_reach(w, e->target);
}

static int walk_step(struct walk *w, int index)
{
	const struct instr *in = &w->c->instr[index];
	const struct state *s = &w->state[index];
	int left;

	w->index = index;
	state_copy(w, &w->now, s);
	if (w->handler[index] >= 0 && walk_raises(in->op) && step_handler(w, in) < 0)
		return -1;
	if (in->target >= 0) {
		state_copy(w, &w->now, s);
		if (walk_apply(w, in, 1) < 0 || walk_reach(w, in->target) < 0)
			return -1;
	}
	state_copy(w, &w->now, s);
	if (walk_apply(w, in, 0) < 0)
		return -1;
	left = s->depth - py_op_pops(in->op, in->arg);
	if (py_op_returns(in->op) && left)
		return walk_refuse(w, "%d more value%s left on the stack", left, left == 1 ? " is" : "s are");
	if (py_op_ends(in->op))
		return 0;
	if (index + 1 >= w->c->n)
		return walk_refuse(w, "the code continues past its last instruction");
	return walk_reach(w, index + 1);
}

/* ---- what needs no path ------------------------------------------------------------------------------ */

/* The RESUME after which the code of the function begins: if the iterator of a generator expression is made first
   (3.15), there is another one before the generator is made. */
static int first_resume(const struct code *c)
{
	int i, at = -1;

	for (i = 0; i < c->n; i++)
		if (c->instr[i].op == RESUME && at < 0)
			at = i;
		else if (c->instr[i].op == RETURN_GENERATOR)
			at = -1;
	return at < 0 ? c->n : at;
}

/* Up to its first RESUME, code makes its cells and its generator: this part must be that of the base. */
static int check_prologue(struct assembly *a)
{
	const struct code *base = a->base, *c = &a->code;
	int i, k = 0, last = first_resume(base), arg;

	for (i = 0; i <= last && i < base->n; i++) {
		const struct instr *in = &base->instr[i];

		arg = in->arg;
		if (op_arg_kind(in->op) == ARG_LOCAL && arg >= a->nlocals - a->added)
			arg += a->added;
		if (in->flags & INSTR_PREFIX)
			continue;
		if (k >= c->n || c->instr[k].op != op_plain(in->op) || c->instr[k].arg != arg)
			return assembly_refuse(a, a->at[k < c->n ? k : c->n - 1],
					       "the code must begin unchanged, "
					       "up to RESUME: expected %s here",
					       py_op_name(in->op));
		k++;
	}
	for (i = 0; i < c->n; i++)
		if (c->instr[i].target >= 0 && c->instr[i].target < k)
			return assembly_refuse(a, a->at[i], "nothing may jump to the beginning, up to RESUME");
	for (i = k; i < c->n; i++)
		if (c->instr[i].op == RETURN_GENERATOR || c->instr[i].op == COPY_FREE_VARS)
			return assembly_refuse(a, a->at[i], "%s is only valid at the beginning",
					       py_op_name(c->instr[i].op));
	for (i = 0; i < c->nexcept; i++)
		if (c->except[i].target < k)
			return assembly_refuse(a, a->at[c->except[i].target],
					       "the code up to RESUME cannot have a handler");
	return 0;
}

/* What CPython keeps for itself. */
/* Opcodes of one kind share a line. */
/* clang-format off */
static bool is_internal(int op)
{
	switch (op) {
	case CACHE: case EXTENDED_ARG: case INTERPRETER_EXIT: case RESERVED: case ENTER_EXECUTOR:
		return true;
	}
	return false;
}
/* clang-format on */

static int check_generator(struct walk *w, const struct instr *in)
{
	int flags = ((PyCodeObject *)w->a->base->co)->co_flags;

	if (in->op != YIELD_VALUE && in->op != RETURN_GENERATOR && in->op != SEND)
		return 0;
	if (flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR))
		return 0;
	return walk_refuse(w, "the code is not a generator");
}

static bool are_names(PyObject *tuple)
{
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(tuple); i++)
		if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(tuple, i)))
			return false;
	return true;
}

/* Calls in several instructions, which must be adjacent. */
static int check_call(struct walk *w, int i)
{
	const struct instr *in = &w->c->instr[i], *next = i + 1 < w->c->n ? in + 1 : NULL;
	int follows = PRECALL < NO_OPCODE ? PRECALL : CALL;

	if (in->op == PRECALL && (!next || next->op != CALL || next->arg != in->arg))
		return walk_refuse(w, "CALL %d must follow", in->arg);
	if (in->op == KW_NAMES) {
		PyObject *names = PyList_GET_ITEM(w->a->consts.list, in->arg);

		if (!next || next->op != follows)
			return walk_refuse(w, "the call must follow");
		if (!PyTuple_CheckExact(names) || PyTuple_GET_SIZE(names) > next->arg || !are_names(names))
			return walk_refuse(w, "expected a tuple of names of the call's arguments");
	}
	return 0;
}

static int check_all(struct walk *w)
{
	int i;

	for (i = 0; i < w->c->n; i++) {
		const struct instr *in = &w->c->instr[i];

		w->index = i;
		if (is_internal(in->op))
			return walk_refuse(w, "the assembler and CPython make these themselves");
		if (check_arg(w, in) < 0 || check_generator(w, in) < 0 || check_call(w, i) < 0)
			return -1;
	}
	return 0;
}

/* In 3.12 and later, loads of variables are not checked: if one may be unbound, the load that checks must be used. */
static int check_loads(struct walk *w)
{
	int i;

	for (i = 0; i < w->c->n && !py_facts.loads_check; i++) {
		struct instr *in = &w->c->instr[i];
		int arg = in->arg;

		w->index = i;
		if (!w->state[i].slot)
			continue;
		state_copy(w, &w->now, &w->state[i]);
		if (in->op == LOAD_FAST && walk_in(w, UNBOUND, arg))
			in->op = LOAD_FAST_CHECK;
		if (in->op == STORE_FAST_LOAD_FAST)
			walk_variables(w, in);
		if ((in->op == LOAD_FAST_LOAD_FAST || in->op == STORE_FAST_LOAD_FAST) &&
		    (walk_in(w, UNBOUND, arg & 15) || (in->op == LOAD_FAST_LOAD_FAST && walk_in(w, UNBOUND, arg >> 4))))
			return walk_refuse(w, "a variable may be unbound here: LOAD_FAST_CHECK loads it");
	}
	return 0;
}

static void walk_begin(struct walk *w)
{
	int i, k, args = code_nargs(w->a->base);

	w->words = py_facts.loads_check ? 0 : (w->a->locals.n + 63) / 64;
	w->state = mem_alloc(((size_t)w->c->n + 1) * sizeof(*w->state));
	w->todo = mem_alloc(((size_t)w->c->n + 1) * sizeof(*w->todo));
	w->handler = mem_alloc(((size_t)w->c->n + 1) * sizeof(*w->handler));
	w->joined = mem_alloc(((size_t)w->c->n + 1) * sizeof(*w->joined));
	w->now.slot = mem_alloc((DEPTH_MAX + 8) * sizeof(*w->now.slot));
	w->now.sets = mem_alloc(((size_t)w->words * SETS + 1) * sizeof(*w->now.sets));
	for (i = 0; i < w->c->n; i++) {
		w->handler[i] = -1;
		if (w->c->instr[i].target >= 0)
			w->joined[w->c->instr[i].target] = true;
	}
	for (k = 0; k < w->c->nexcept; k++)
		for (i = w->c->except[k].start, w->joined[w->c->except[k].target] = true; i < w->c->except[k].end; i++)
			w->handler[i] = k;
	for (i = 0; i < w->a->locals.n; i++) {
		walk_put(w, UNBOUND, i, i >= args && !walk_is_cell(w, i));
		walk_put(w, IS_CELL, i, walk_is_cell(w, i));
		walk_put(w, IS_PLAIN, i, !walk_is_cell(w, i));
	}
}

static void walk_end(struct walk *w)
{
	int i;

	for (i = 0; i < w->c->n; i++) {
		free(w->state[i].slot);
		free(w->state[i].sets);
	}
	free(w->state);
	free(w->todo);
	free(w->handler);
	free(w->joined);
	free(w->now.slot);
	free(w->now.sets);
}

static int walk_paths(struct walk *w)
{
	int ret = walk_reach(w, 0), i;

	while (ret == 0 && w->n) {
		i = w->todo[--w->n];
		w->state[i].queued = false;
		ret = walk_step(w, i);
	}
	return ret;
}

/* Follows the paths of the unchanged base, and refuses nothing in it, until base_end(). */
static void base_walk(struct walk *w, struct assembly *a, const struct assembly *text, struct trust *trust)
{
	const struct code *c = text->base;
	int i;

	*a = (struct assembly){ .base = text->base, .consts = text->consts, .names = text->names, .err = text->err };
	*w = (struct walk){ .a = a, .c = &a->code, .trust = trust, .learns = true };
	a->nlocals = text->nlocals - text->added;
	a->locals.list = text->locals.list;
	a->locals.n = text->locals.n - text->added;
	a->code = *c;
	a->code.instr = mem_alloc(((size_t)c->n + 1) * sizeof(*a->code.instr));
	a->at = mem_alloc(((size_t)c->n + 1) * sizeof(*a->at));
	memcpy(a->code.instr, c->instr, (size_t)c->n * sizeof(*c->instr));
	for (i = 0; i < c->n; i++) {
		struct instr *in = &a->code.instr[i];

		in->op = (uint8_t)(in->flags & INSTR_PREFIX ? NOP : op_plain(in->op));
	}
	walk_begin(w);
	walk_paths(w);
}

static void base_end(struct walk *w)
{
	walk_end(w);
	free(w->a->code.instr);
	free(w->a->at);
}

/* The unchecked values that the base uses. */
static void learn_unchecked(struct assembly *text, struct trust *trust)
{
	struct err err, *mine = text->err;
	struct assembly a;
	struct walk w;
	int i;

	text->err = &err;
	base_walk(&w, &a, text, trust);
	text->err = mine;
	trust->kept = mem_alloc(((size_t)text->locals.n + 1) * sizeof(*trust->kept));
	trust_stores(&text->code, trust->kept, 0, 0);
	for (i = 0; i < text->locals.n; i++)
		trust->kept[i] = !trust->kept[i];		    /* trusted: not stored to by the text ... */
	trust_stores(&a.code, trust->kept, a.nlocals, text->added); /* ... or was so in the base, too */
	base_end(&w);
}

/* True if the contents of a slot are valid where the other's are expected. */
static bool slot_fits(const struct walk_slot *from, const struct walk_slot *to)
{
	const unsigned own = NONE | HELD | LASTI | SAVED, any = ANY | VAR | BOOL | INT | STRING | NOTHING;

	if (from->bits & own & ~to->bits)
		return false;
	return to->bits & any || !(from->bits & ~to->bits);
}

int asm_may_jump(struct code *c, int from, int to, struct err *err)
{
	struct assembly code, a;
	struct trust trust = { 0 };
	struct walk w;
	int i, ret = 0;

	if (assembly_init(&code, c, NULL, err) < 0)
		return -1;
	base_walk(&w, &a, &code, &trust);
	for (i = 0; ret == 0 && w.state[from].slot && i < w.state[to].depth && i < w.state[from].depth; i++)
		if (!slot_fits(&w.state[from].slot[i], &w.state[to].slot[i]))
			ret = err_set(err,
				      "cannot jump to offset %d: slot %d of the value stack does not hold what "
				      "the code there expects",
				      c->instr[to].offset, i);
	base_end(&w);
	trust_release(&trust);
	assembly_release(&code);
	return ret;
}

int assembly_check(struct assembly *a)
{
	struct trust trust = { 0 };
	struct walk w = { .a = a, .c = &a->code, .trust = &trust };
	int ret;

	if (!a->code.n)
		return assembly_refuse(a, 0, "there are no instructions");
	if (check_prologue(a) < 0)
		return -1;
	walk_begin(&w);
	ret = check_all(&w);
	if (ret == 0) {
		learn_unchecked(a, &trust);
		ret = walk_paths(&w);
	}
	if (ret == 0)
		ret = check_loads(&w);
	walk_end(&w);
	trust_release(&trust);
	return ret;
}
