/* SPDX-License-Identifier: BSD-3-Clause */
/* Opcodes of all supported CPythons, by name, as the few instructions that the decompiler knows.  What one version
   packs into an opcode or spreads over several is evened out here; nothing behind it knows a version. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/dec.h"

struct known {
	const char *name;
	enum dop op;
	const char *text;
	int arg; /* of ours, where fixed */
};

/* Sorted by what they do; looked up once for each opcode. */
static const struct known table[] = {
	{ "NOP", D_NOP },
	{ "RESUME", D_NOP },
	{ "PRECALL", D_NOP },
	{ "CACHE", D_NOP },
	{ "EXTENDED_ARG", D_NOP },
	{ "MAKE_CELL", D_NOP },
	{ "COPY_FREE_VARS", D_NOP },
	{ "ASYNC_GEN_WRAP", D_NOP },
	{ "NOT_TAKEN", D_NOP },
	{ "TO_BOOL", D_BOOL },
	{ "RETURN_GENERATOR", D_GENERATOR },
	{ "LOAD_CONST", D_CONST },
	{ "LOAD_CONST_IMMORTAL", D_CONST },
	{ "LOAD_SMALL_INT", D_CONST, NULL, 1 },
	{ "PUSH_NULL", D_NULL },
	{ "LOAD_FAST", D_FAST },
	{ "LOAD_FAST_CHECK", D_FAST },
	{ "LOAD_FAST_AND_CLEAR", D_FAST_CLEAR },
	{ "STORE_FAST", D_STORE_FAST },
	{ "DELETE_FAST", D_DELETE_FAST },
	{ "LOAD_GLOBAL", D_GLOBAL },
	{ "STORE_GLOBAL", D_STORE_GLOBAL },
	{ "DELETE_GLOBAL", D_DELETE_GLOBAL },
	{ "LOAD_NAME", D_NAME },
	{ "STORE_NAME", D_STORE_NAME },
	{ "DELETE_NAME", D_DELETE_NAME },
	{ "LOAD_DEREF", D_DEREF },
	{ "STORE_DEREF", D_STORE_DEREF },
	{ "DELETE_DEREF", D_DELETE_DEREF },
	{ "LOAD_CLOSURE", D_CLOSURE },
	{ "LOAD_ATTR", D_ATTR },
	{ "LOAD_METHOD", D_METHOD },
	{ "STORE_ATTR", D_STORE_ATTR },
	{ "DELETE_ATTR", D_DELETE_ATTR },
	{ "BINARY_SUBSCR", D_SUBSCR },
	{ "STORE_SUBSCR", D_STORE_SUBSCR },
	{ "DELETE_SUBSCR", D_DELETE_SUBSCR },
	{ "BINARY_SLICE", D_BINARY_SLICE },
	{ "STORE_SLICE", D_STORE_SLICE },
	{ "BUILD_SLICE", D_BUILD_SLICE },
	{ "BINARY_OP", D_BINARY },
	{ "UNARY_NOT", D_UNARY, "not " },
	{ "UNARY_NEGATIVE", D_UNARY, "-" },
	{ "UNARY_POSITIVE", D_UNARY, "+" },
	{ "UNARY_INVERT", D_UNARY, "~" },
	{ "COMPARE_OP", D_COMPARE },
	{ "IS_OP", D_COMPARE, "is" },
	{ "CONTAINS_OP", D_COMPARE, "in" },
	{ "BUILD_TUPLE", D_TUPLE },
	{ "BUILD_LIST", D_LIST },
	{ "BUILD_SET", D_SET },
	{ "BUILD_MAP", D_MAP },
	{ "BUILD_CONST_KEY_MAP", D_CONST_KEY_MAP },
	{ "BUILD_STRING", D_STRING },
	{ "FORMAT_VALUE", D_FORMAT },
	{ "FORMAT_SIMPLE", D_FORMAT, NULL, 0 },
	{ "FORMAT_WITH_SPEC", D_FORMAT, NULL, 4 },
	{ "CONVERT_VALUE", D_FORMAT, NULL, 8 },
	{ "LIST_EXTEND", D_LIST_EXTEND },
	{ "SET_UPDATE", D_SET_UPDATE },
	{ "DICT_UPDATE", D_DICT_UPDATE },
	{ "DICT_MERGE", D_DICT_MERGE },
	{ "LIST_APPEND", D_LIST_APPEND },
	{ "SET_ADD", D_SET_ADD },
	{ "MAP_ADD", D_MAP_ADD },
	{ "LIST_TO_TUPLE", D_LIST_TO_TUPLE },
	{ "UNPACK_SEQUENCE", D_UNPACK },
	{ "UNPACK_EX", D_UNPACK_EX },
	{ "KW_NAMES", D_KW_NAMES },
	{ "CALL", D_CALL },
	{ "CALL_KW", D_CALL_KW },
	{ "CALL_FUNCTION_EX", D_CALL_EX },
	{ "MAKE_FUNCTION", D_MAKE_FUNCTION },
	{ "SET_FUNCTION_ATTRIBUTE", D_FUNCTION_PART },
	{ "POP_TOP", D_POP },
	{ "POP_ITER", D_POP },
	{ "COPY", D_COPY },
	{ "SWAP", D_SWAP },
	{ "GET_ITER", D_GET_ITER },
	{ "FOR_ITER", D_FOR_ITER },
	{ "END_FOR", D_END_FOR },
	{ "JUMP_FORWARD", D_JUMP },
	{ "JUMP_BACKWARD", D_JUMP },
	{ "JUMP_BACKWARD_NO_INTERRUPT", D_JUMP },
	{ "POP_JUMP_FORWARD_IF_FALSE", D_JUMP_IF, NULL, IF_FALSE },
	{ "POP_JUMP_BACKWARD_IF_FALSE", D_JUMP_IF, NULL, IF_FALSE },
	{ "POP_JUMP_IF_FALSE", D_JUMP_IF, NULL, IF_FALSE },
	{ "POP_JUMP_FORWARD_IF_TRUE", D_JUMP_IF, NULL, IF_TRUE },
	{ "POP_JUMP_BACKWARD_IF_TRUE", D_JUMP_IF, NULL, IF_TRUE },
	{ "POP_JUMP_IF_TRUE", D_JUMP_IF, NULL, IF_TRUE },
	{ "POP_JUMP_FORWARD_IF_NONE", D_JUMP_IF, NULL, IF_NONE },
	{ "POP_JUMP_BACKWARD_IF_NONE", D_JUMP_IF, NULL, IF_NONE },
	{ "POP_JUMP_IF_NONE", D_JUMP_IF, NULL, IF_NONE },
	{ "POP_JUMP_FORWARD_IF_NOT_NONE", D_JUMP_IF, NULL, IF_NOT_NONE },
	{ "POP_JUMP_BACKWARD_IF_NOT_NONE", D_JUMP_IF, NULL, IF_NOT_NONE },
	{ "POP_JUMP_IF_NOT_NONE", D_JUMP_IF, NULL, IF_NOT_NONE },
	{ "JUMP_IF_FALSE_OR_POP", D_JUMP_OR_POP, NULL, IF_FALSE },
	{ "JUMP_IF_TRUE_OR_POP", D_JUMP_OR_POP, NULL, IF_TRUE },
	{ "RETURN_VALUE", D_RETURN },
	{ "RETURN_CONST", D_RETURN, NULL, 1 },
	{ "RAISE_VARARGS", D_RAISE },
	{ "RERAISE", D_RERAISE },
	{ "YIELD_VALUE", D_YIELD },
	{ "GET_AWAITABLE", D_GET_AWAITABLE },
	{ "GET_YIELD_FROM_ITER", D_NOP },
	{ "IMPORT_NAME", D_IMPORT },
	{ "IMPORT_FROM", D_IMPORT_FROM },
	{ "LOAD_ASSERTION_ERROR", D_ASSERTION },
	{ "BEFORE_WITH", D_WITH },
	{ "WITH_EXCEPT_START", D_WITH_EXCEPT },
	{ "PUSH_EXC_INFO", D_PUSH_EXC },
	{ "POP_EXCEPT", D_POP_EXCEPT },
	{ "CHECK_EXC_MATCH", D_EXC_MATCH },
};

static const struct known *known(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

bool dec_ends(enum dop op)
{
	return op == D_RETURN || op == D_RAISE || op == D_RERAISE;
}

static struct ins *add(struct dec *d, enum dop op, int arg, int index)
{
	struct ins *in = &d->ins[d->n++];

	*in = (struct ins){ .op = op, .arg = arg, .target = -1, .index = index };
	return in;
}

/* CPython 3.13 and later push the callable first, and NULL or self behind it. */
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
	if (in->op == D_FAST && variable < code_nlocals(d->c) && code_local_kind(d->c, variable) != LOCAL_FAST)
		in->op = D_CLOSURE;
}

static void add_pair(struct dec *d, enum dop one, enum dop two, int arg, int index)
{
	struct ins *in = add(d, one, 0, index);

	in->obj = local_at(d, arg >> 4);
	in = add(d, two, 0, index);
	in->obj = local_at(d, arg & 15);
}

static void add_global(struct dec *d, const struct instr *from, int index, PyObject *name)
{
	bool null = from->arg & 1;

	if (null && !callable_first())
		add(d, D_NULL, 0, index);
	add(d, D_GLOBAL, 0, index)->obj = name;
	if (null && callable_first())
		add(d, D_NULL, 0, index);
}

/* yield from and await are a loop over SEND: one instruction of ours.  Returns how many it takes; 0: there is
   no such loop here. */
static int sending(struct dec *d, int index)
{
	const struct instr *in = d->c->instr;
	int i, n = d->c->n;

	if (index + 1 >= n || strcmp(py_op_name(in[index + 1].op), "SEND"))
		return 0;
	for (i = index + 2; i < n && i < index + 8; i++)
		if (!strcmp(py_op_name(in[i].op), "JUMP_BACKWARD_NO_INTERRUPT"))
			break;
	if (i >= n || i >= index + 8)
		return 0;
	add(d, D_YIELD_FROM, 0, index);
	for (i++; i < n; i++) { /* 3.12 and later: END_SEND, and a handler that gives StopIteration's value */
		const char *name = py_op_name(in[i].op);

		if (strcmp(name, "END_SEND") && strcmp(name, "NOP"))
			break;
	}
	return i - index;
}

static void decode_one(struct dec *d, int index)
{
	const struct instr *from = &d->c->instr[index];
	const char *name = py_op_name(op_plain(from->op));
	const struct known *k = known(name);
	PyObject *obj = (PyObject *)code_arg_object(d->c, index);
	struct op_words words;
	struct ins *in;

	if (!strcmp(name, "LOAD_FAST_LOAD_FAST"))
		return add_pair(d, D_FAST, D_FAST, from->arg, index);
	if (!strcmp(name, "STORE_FAST_STORE_FAST"))
		return add_pair(d, D_STORE_FAST, D_STORE_FAST, from->arg, index);
	if (!strcmp(name, "STORE_FAST_LOAD_FAST"))
		return add_pair(d, D_STORE_FAST, D_FAST, from->arg, index);
	if (!k) {
		add(d, D_REFUSED, 0, index)->text = name;
		return;
	}
	if (k->op == D_GLOBAL)
		return add_global(d, from, index, obj);
	in = add(d, k->op, from->arg, index);
	in->obj = obj;
	in->text = k->text;
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
		add(d, D_RETURN, 0, index);
		break;
	case D_ATTR:
		if (py_op_arg_index(from->op, from->arg, &words) != from->arg && (from->arg & 1)) {
			in->op = D_METHOD;
		}
		break;
	case D_BINARY:
		in->text = op_arg_word(from->op, from->arg);
		if (!in->text) {
			in->op = D_REFUSED;
			in->text = name;
		} else if (!strcmp(in->text, "[]")) {
			in->op = D_SUBSCR;
		} else if (in->text[strlen(in->text) - 1] == '=') {
			in->op = D_INPLACE;
		}
		break;
	case D_COMPARE:
		if (!in->text)
			in->text = op_compare(py_op_arg_index(from->op, from->arg, &words));
		else if (from->arg & 1)
			in->text = !strcmp(in->text, "is") ? "is not" : "not in";
		break;
	case D_CALL_EX:
		if (!py_op_has_arg(from->op))
			in->arg = 2; /* always one for keywords, which may be NULL */
		break;
	case D_FORMAT:
		if (k->arg == 8)
			in->arg = 8 | from->arg;
		else if (strcmp(name, "FORMAT_VALUE"))
			in->arg = k->arg;
		break;
	case D_JUMP_IF:
	case D_JUMP_OR_POP: in->arg = k->arg; break;
	default: break;
	}
}

void dec_decode(struct dec *d)
{
	struct code *c = d->c;
	int *at, i, k, step;

	code_decode(c);
	d->ins = dec_alloc(d, (size_t)(2 * c->n + 2) * sizeof(*d->ins));
	at = dec_alloc(d, (size_t)(c->n + 1) * sizeof(*at));
	d->n = 0;
	for (i = 0; i < c->n; i += step) {
		at[i] = d->n;
		step = 1;
		if (c->instr[i].flags & INSTR_PREFIX)
			continue;
		step = !strcmp(py_op_name(op_plain(c->instr[i].op)), "LOAD_CONST") ? sending(d, i) : 0;
		for (k = i; k < i + step && k < c->n; k++)
			at[k] = d->n - 1;
		if (step)
			continue;
		step = 1;
		decode_one(d, i);
	}
	at[c->n] = d->n;
	d->at = at;
	for (i = 0; i < d->n; i++) {
		k = c->instr[d->ins[i].index].target;
		switch (d->ins[i].op) {
		case D_JUMP:
		case D_JUMP_IF:
		case D_JUMP_OR_POP:
		case D_FOR_ITER:
			if (k < 0)
				dec_refuse(d, d->ins[i].index, "a jump to nowhere");
			d->ins[i].target = at[k];
			break;
		default: break;
		}
	}
	d->block = NULL;
	d->nblock = 0;
}
