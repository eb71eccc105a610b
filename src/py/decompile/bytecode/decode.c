/* SPDX-License-Identifier: BSD-3-Clause */
/* Opcodes of all supported CPythons, by name, as the few instructions that the decompiler knows.  Differences between
   versions in how work is packed into opcodes are removed here; later passes know no version. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/tree/dec.h"

/* CPython 3.13 and later push the callable first, and NULL or self after it. */
static bool callable_first(void)
{
	static int yes = -1;

	if (yes < 0)
		yes = op_named("CALL_KW") >= 0;
	return yes;
}

static PyObject *const_at(struct dec *d, int i)
{
	PyObject *consts = ((PyCodeObject *)d->c->co)->co_consts;

	if (i < 0 || i >= PyTuple_GET_SIZE(consts))
		dec_refuse(d, -1, "a constant that does not exist");
	return PyTuple_GET_ITEM(consts, i);
}

static PyObject *local_at(struct dec *d, int i)
{
	PyObject *names = ((PyCodeObject *)d->c->co)->co_localsplusnames;

	if (i < 0 || i >= PyTuple_GET_SIZE(names))
		dec_refuse(d, -1, "a variable that does not exist");
	return PyTuple_GET_ITEM(names, i);
}

/* From 3.13 on a cell is loaded as a variable is, for a closure: the value of one has an instruction of its own. */
static void closure_or_value(struct dec *d, struct ins *in, int variable)
{
	if (op_named("LOAD_CLOSURE") < 0 && in->op == D_FAST && variable < code_nlocals(d->c) &&
	    code_local_kind(d->c, variable) != LOCAL_FAST)
		in->op = D_CLOSURE;
}

static void add_pair(struct dec *d, enum dop one, enum dop two, int arg, int index)
{
	struct ins *in = ins_add(d, one, 0, index);

	in->obj = local_at(d, arg >> 4);
	in = ins_add(d, two, 0, index);
	in->obj = local_at(d, arg & 15);
}

static void add_global(struct dec *d, const struct instr *from, int index, PyObject *name)
{
	bool null = from->arg & 1;

	if (null && !callable_first())
		ins_add(d, D_NULL, 0, index);
	ins_add(d, D_GLOBAL, 0, index)->obj = name;
	if (null && callable_first())
		ins_add(d, D_NULL, 0, index);
}

/* One that has no text: those of type parameters and aliases, for example. */
static void refused_intrinsic(struct ins *in, const struct instr *from, const char *name)
{
	in->op = D_REFUSED;
	in->text = op_arg_word(from->op, from->arg);
	if (!in->text)
		in->text = name;
}

static void intrinsic(struct ins *in, const struct instr *from)
{
	if (op_is_intrinsic(from->op, from->arg, "STOPITERATION_ERROR")) {
		in->op = D_STOP_ITERATION;
	} else if (op_is_intrinsic(from->op, from->arg, "ASYNC_GEN_WRAP")) {
		in->op = D_NOP;
	} else if (op_is_intrinsic(from->op, from->arg, "UNARY_POSITIVE")) {
		in->op = D_UNARY;
		in->text = "+";
	} else if (op_is_intrinsic(from->op, from->arg, "LIST_TO_TUPLE")) {
		in->op = D_LIST_TO_TUPLE;
	} else {
		refused_intrinsic(in, from, "CALL_INTRINSIC_1");
	}
}

/* Some of these are constants: they are written as such. */
static void common_constant(struct dec *d, struct ins *in, const struct instr *from, const char *name)
{
	static const char *const known[] = {
		"AssertionError", "NotImplementedError", "tuple", "all", "any", "list", "set"
	};
	static const char prefix[] = "<built-in function ";
	const char *word = in->text ? in->text : op_arg_word(from->op, from->arg);
	size_t i, skip = word && !strncmp(word, prefix, sizeof(prefix) - 1) ? sizeof(prefix) - 1 : 0, n;

	for (i = 0; word && i < sizeof(known) / sizeof(known[0]); i++) {
		n = strlen(known[i]);
		if (!strncmp(word + skip, known[i], n) && !strcmp(word + skip + n, skip ? ">" : "")) {
			in->text = known[i];
			return;
		}
	}
	in->op = D_CONST;
	in->obj = !word			 ? NULL :
		  !strcmp(word, "None")	 ? Py_None :
		  !strcmp(word, "True")	 ? Py_True :
		  !strcmp(word, "False") ? Py_False :
		  !strcmp(word, "''")	 ? dec_hold(d, PyUnicode_FromString("")) :
		  !strcmp(word, "-1")	 ? dec_hold(d, PyLong_FromLong(-1)) :
					   NULL;
	if (!in->obj) {
		in->op = D_REFUSED;
		in->text = name;
	}
}

/* Where an iterator is two entries of the stack the second one is as a NULL here; yield from needs none. */
static void get_iter(struct dec *d, struct ins *in, const struct dec_known *k, const struct instr *from, int index)
{
	in->arg = k->arg;
	if (k->arg || py_iterator_slots == 1)
		return;
	if (from->arg >= 2)
		in->op = D_NOP;
	else
		ins_add(d, D_NULL, 0, index);
}

static void binary_arg(struct ins *in, const struct instr *from, const char *name)
{
	in->text = op_arg_word(from->op, from->arg);
	if (!in->text) {
		in->op = D_REFUSED;
		in->text = name;
	} else if (!strcmp(in->text, "[]")) {
		in->op = D_SUBSCR;
	} else if (in->text[strlen(in->text) - 1] == '=') {
		in->op = D_INPLACE;
	}
}

static void compare_arg(struct ins *in, const struct instr *from, const char *name)
{
	struct op_words words;

	if (!in->text)
		in->text = op_compare(py_op_arg_index(from->op, from->arg, &words));
	else if (from->arg & 1)
		in->text = !strcmp(in->text, "is") ? "is not" : "not in";
	if (!in->text) {
		in->op = D_REFUSED;
		in->text = name;
	}
}

/* What the argument of this opcode means to ours. */
static void set_arg(struct dec *d, struct ins *in, const struct dec_known *k, const struct instr *from,
		    const char *name, int index)
{
	struct op_words words;

	switch (k->op) {
	case D_FAST:
		closure_or_value(d, in, from->arg);
		break;
	case D_CONST:
		if (k->arg) { /* LOAD_SMALL_INT */
			in->obj = PyLong_FromLong(from->arg);
			Py_XDECREF(in->obj); /* small: the interpreter keeps it */
		} else {
			in->obj = const_at(d, from->arg);
		}
		break;
	case D_RETURN:
		if (!k->arg)
			break;
		in->op = D_CONST;
		in->obj = const_at(d, from->arg);
		ins_add(d, D_RETURN, 0, index);
		break;
	case D_ATTR:
		if (py_op_arg_index(from->op, from->arg, &words) != from->arg && (from->arg & 1)) {
			in->op = D_METHOD;
		}
		break;
	case D_BINARY:
		binary_arg(in, from, name);
		break;
	case D_COMPARE:
		compare_arg(in, from, name);
		break;
	case D_CALL_EX:
		if (!py_op_has_arg(from->op))
			in->arg = 2; /* always one for keywords, which may be NULL */
		break;
	case D_INTRINSIC:
		intrinsic(in, from);
		break;
	case D_SUPER:
		in->arg = from->arg & 3;
		break;
	case D_END_FOR:
		in->arg = callable_first() && strcmp(name, "END_ASYNC_FOR") ? py_iterator_slots : 0;
		break;
	case D_POP:
		if (!strcmp(name, "POP_ITER") && py_iterator_slots > 1)
			ins_add(d, D_POP, 0, index);
		break;
	case D_GET_ITER:
		get_iter(d, in, k, from, index);
		break;
	case D_WITH:
		in->arg = k->arg;
		break;
	case D_FORMAT:
		if (k->arg == 8)
			in->arg = 8 | from->arg;
		else if (strcmp(name, "FORMAT_VALUE"))
			in->arg = k->arg;
		break;
	case D_FOR_ITER:
	case D_JUMP_IF:
	case D_JUMP_OR_POP:
		in->arg = k->arg;
		break;
	default:
		break;
	}
}

static void decode_one(struct dec *d, int index)
{
	const struct instr *from = &d->c->instr[index];
	const char *name = py_op_name(op_plain(from->op));
	const struct dec_known *k = dec_known(name);
	PyObject *obj = (PyObject *)code_arg_object(d->c, index);
	struct ins *in;

	if (!strcmp(name, "LOAD_FAST_LOAD_FAST"))
		return add_pair(d, D_FAST, D_FAST, from->arg, index);
	if (!strcmp(name, "STORE_FAST_STORE_FAST"))
		return add_pair(d, D_STORE_FAST, D_STORE_FAST, from->arg, index);
	if (!strcmp(name, "STORE_FAST_LOAD_FAST"))
		return add_pair(d, D_STORE_FAST, D_FAST, from->arg, index);
	if (!strcmp(name, "NOT_TAKEN")) /* what jumps over it leads to the same place */
		return;
	if (!k || (!obj && (op_arg_kind(from->op) == ARG_NAME || op_arg_kind(from->op) == ARG_LOCAL))) {
		ins_add(d, D_REFUSED, 0, index)->text = name;
		return;
	}
	if (k->op == D_GLOBAL)
		return add_global(d, from, index, obj);
	in = ins_add(d, k->op, from->arg, index);
	in->obj = obj;
	in->text = k->text;
	if (k->op == D_COMMON)
		common_constant(d, in, from, name);
	else
		set_arg(d, in, k, from, name, index);
}

/* Where the iterator of an `async for` ends: what handles StopAsyncIteration. */
static int async_end(struct dec *d, int index)
{
	const struct except *e;
	int k;

	for (k = 0; k < d->c->nexcept; k++) {
		e = &d->c->except[k];
		if (e->start <= index && index < e->end && ins_is_named(d, e->target, "END_ASYNC_FOR"))
			return e->target;
	}
	return -1;
}

static const struct except *covering(struct dec *d, const struct except *rows, int index)
{
	const struct except *e, *found = NULL;

	for (e = rows; e < rows + d->c->nexcept; e++)
		if (e->start <= index && index < e->end)
			found = e;
	return found;
}

/* The instructions that later ones jump back to. */
static uint8_t *jumped_back_to(struct dec *d)
{
	uint8_t *back = dec_alloc(d, (size_t)d->n + 1);
	int i;

	for (i = 0; i < d->n; i++)
		if (d->ins[i].target >= 0 && d->ins[i].target < i)
			back[d->ins[i].target] = 1;
	return back;
}

/* From 3.13 on what only jumps is left out of the ranges, since it cannot raise: it belongs to what it ends.  But where
   a handler, or a loop after the range, jumps back to, something else begins. */
static int over_jumps(struct dec *d, int end, const uint8_t *back)
{
	bool jumped = false;

	if (!callable_first())
		return end;
	for (; end < d->n && !(back[end] && d->ins[end].op == D_NOP); end++)
		if (d->ins[end].op == D_JUMP_IF)
			jumped = true;
		else if (d->ins[end].op != D_NOP && !(jumped && d->ins[end].op == D_JUMP))
			break;
	return end;
}

/* Ranges of the exception table in terms of decoded instructions.  An exception that one of them handles itself is
   passed on to the range that covers that handler. */
static void ranges(struct dec *d, const int *at, const uint8_t *within)
{
	const struct except *rows = exception_rows_reentered(d), *end = rows ? rows + d->c->nexcept : NULL, *e, *by;
	struct except *to, *last = NULL;
	const uint8_t *back = jumped_back_to(d);
	int most;

	d->except = to = dec_alloc(d, (size_t)(d->c->nexcept + 1) * sizeof(*d->except));
	for (e = rows; e < end; e++) {
		most = d->c->nexcept;
		for (by = e; by && (ins_is_named(d, by->target, "CLEANUP_THROW") ||
				    ins_is_named(d, by->target, "END_ASYNC_FOR"));)
			by = most-- ? covering(d, rows, by->target) : NULL;
		if (!by)
			continue;
		*to = *by;
		to->start = at[e->start];
		to->end = over_jumps(d, at[e->end] + within[e->end], back);
		if (e + 1 < end && to->end > at[e[1].start])
			to->end = at[e[1].start];
		to->target = at[by->target];
		if (last && last->end >= to->start && last->start <= to->start && last->target == to->target &&
		    last->depth == to->depth && last->lasti == to->lasti)
			last->end = to->end > last->end ? to->end : last->end;
		else
			last = to++;
	}
	d->nexcept = (int)(to - d->except);
}

/* COPY 1, a jump, POP_TOP: the jump, and what drops the value where there is no jump; else false. */
static bool or_pop_at(struct dec *d, int i, int *jump, int *drop)
{
	int k, p;

	if (d->ins[i].op != D_COPY || d->ins[i].arg != 1)
		return false;
	for (k = i + 1; k < d->n && (d->ins[k].op == D_BOOL || d->ins[k].op == D_NOP); k++)
		;
	for (p = k + 1; p < d->n && d->ins[p].op == D_NOP; p++)
		;
	*jump = k;
	*drop = p;
	return p < d->n && d->ins[k].op == D_JUMP_IF && d->ins[k].arg <= IF_TRUE && d->ins[p].op == D_POP;
}

/* From 3.12 on these three are what JUMP_IF_FALSE_OR_POP was; where both ways drop the value, it is not needed. */
void decode_or_pops(struct dec *d)
{
	int i, k, p, to;

	for (i = 0; i < d->n; i++) {
		if (!or_pop_at(d, i, &k, &p))
			continue;
		for (to = d->ins[k].target; to < d->n && d->ins[to].op == D_NOP; to++)
			;
		if (to >= d->n || d->ins[to].op != D_POP)
			continue;
		d->ins[i].op = d->ins[p].op = D_NOP;
		d->ins[k].target = to + 1;
	}
	for (i = 0; i < d->n; i++)
		if (or_pop_at(d, i, &k, &p)) {
			d->ins[i].op = d->ins[p].op = D_NOP;
			d->ins[k].op = D_JUMP_OR_POP;
		}
}

/* CPython 3.11 checks each load of a variable: that of one which is deleted somewhere may raise.  Later ones have an
   instruction for loads that may. */
static void mark_loads(struct dec *d)
{
	uint8_t *deleted;
	int i, any = 0;

	if (op_named("LOAD_FAST_CHECK") >= 0)
		return;
	deleted = dec_alloc(d, (size_t)code_nlocals(d->c) + 1);
	for (i = 0; i < d->n; i++)
		if (d->ins[i].op == D_DELETE_FAST && d->c->instr[d->ins[i].index].arg < code_nlocals(d->c))
			any = deleted[d->c->instr[d->ins[i].index].arg] = 1;
	for (i = 0; any && i < d->n; i++)
		if (d->ins[i].op == D_FAST && d->c->instr[d->ins[i].index].arg < code_nlocals(d->c) &&
		    deleted[d->c->instr[d->ins[i].index].arg])
			d->ins[i].text = "may be unbound";
}

void dec_decode(struct dec *d)
{
	struct code *c = d->c;
	uint8_t *within;
	int *at, i, k, step;

	code_decode(c);
	d->ins = dec_alloc(d, (size_t)(2 * c->n + 2) * sizeof(*d->ins));
	at = dec_alloc(d, (size_t)(c->n + 1) * sizeof(*at));
	within = dec_alloc(d, (size_t)c->n + 1);
	d->n = 0;
	for (i = 0; i < c->n; i += step) {
		at[i] = d->n;
		step = 1;
		if (c->instr[i].flags & INSTR_PREFIX)
			continue;
		step = combine_at(d, i);
		for (k = i + 1; k < i + step && k < c->n; k++) {
			at[k] = at[i];
			within[k] = d->n > at[i];
		}
		if (step)
			continue;
		step = 1;
		decode_one(d, i);
	}
	at[c->n] = d->n;
	for (i = 0; i < d->n; i++) {
		k = c->instr[d->ins[i].index].target;
		switch (d->ins[i].op) {
		case D_FOR_ITER:
			k = d->ins[i].arg == 1 ? async_end(d, d->ins[i].index) : k;
			/* fall through */
		case D_JUMP:
		case D_JUMP_IF:
		case D_JUMP_OR_POP:
			if (k < 0)
				dec_refuse(d, d->ins[i].index, "a jump to nowhere");
			d->ins[i].target = at[k];
			break;
		default:
			break;
		}
	}
	ranges(d, at, within);
	mark_loads(d);
	d->block = NULL;
	d->nblock = 0;
}
