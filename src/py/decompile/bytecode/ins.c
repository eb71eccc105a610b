/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the decompiler's instructions an opcode is: one table for all supported CPythons, by name; and what
   instructions have in common.  Does not depend on expressions. */
#include <Python.h>
#include <string.h>
#include "py/decompile/tree/dec.h"

/* Sorted by what they do; looked up once for each opcode. */
static const struct dec_known table[] = {
	{ "NOP", D_NOP },
	{ "RESUME", D_NOP },
	{ "PRECALL", D_NOP },
	{ "CACHE", D_NOP },
	{ "EXTENDED_ARG", D_NOP },
	{ "MAKE_CELL", D_NOP, "cell" },
	{ "COPY_FREE_VARS", D_NOP },
	{ "ASYNC_GEN_WRAP", D_NOP },
	{ "TO_BOOL", D_BOOL },
	{ "RETURN_GENERATOR", D_GENERATOR },
	{ "LOAD_CONST", D_CONST },
	{ "LOAD_CONST_IMMORTAL", D_CONST },
	{ "LOAD_SMALL_INT", D_CONST, NULL, 1 },
	{ "PUSH_NULL", D_NULL },
	{ "LOAD_FAST", D_FAST },
	{ "LOAD_FAST_CHECK", D_FAST, "may be unbound" },
	{ "LOAD_FAST_AND_CLEAR", D_FAST_CLEAR },
	{ "STORE_FAST", D_STORE_FAST },
	{ "DELETE_FAST", D_DELETE_FAST },
	{ "LOAD_GLOBAL", D_GLOBAL },
	{ "STORE_GLOBAL", D_STORE_GLOBAL },
	{ "DELETE_GLOBAL", D_DELETE_GLOBAL },
	{ "LOAD_NAME", D_NAME },
	{ "LOAD_CLASSDEREF", D_NAME },
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
	{ "CALL_INTRINSIC_1", D_INTRINSIC },
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
	{ "LOAD_ASSERTION_ERROR", D_COMMON, "AssertionError" },
	{ "LOAD_COMMON_CONSTANT", D_COMMON },
	{ "BEFORE_WITH", D_WITH },
	{ "BEFORE_ASYNC_WITH", D_WITH, NULL, WITH_ASYNC },
	{ "GET_AITER", D_GET_ITER, NULL, 1 },
	{ "END_ASYNC_FOR", D_END_FOR },
	{ "LOAD_SUPER_ATTR", D_SUPER },
	{ "LOAD_BUILD_CLASS", D_BUILD_CLASS },
	{ "WITH_EXCEPT_START", D_WITH_EXCEPT },
	{ "PUSH_EXC_INFO", D_PUSH_EXC },
	{ "POP_EXCEPT", D_POP_EXCEPT },
	{ "CHECK_EXC_MATCH", D_EXC_MATCH },
};

const struct dec_known *dec_known(const char *name)
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

struct ins *ins_add(struct dec *d, enum dop op, int arg, int index)
{
	struct ins *in = &d->ins[d->n++];

	*in = (struct ins){ .op = op, .arg = arg, .target = -1, .index = index };
	return in;
}

bool ins_same(const struct ins *x, const struct ins *y, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (x[i].op != y[i].op || x[i].arg != y[i].arg || x[i].obj != y[i].obj ||
		    (x[i].op != D_FAST && x[i].text != y[i].text &&
		     (!x[i].text || !y[i].text || strcmp(x[i].text, y[i].text))))
			return false;
	return true;
}

void ins_join_loads(struct ins *x, const struct ins *y, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (x[i].op == D_FAST && !x[i].text)
			x[i].text = y[i].text;
}

/* ---- depths ------------------------------------------------------------------------------------- */

int ins_depth(const struct dec *d, int i)
{
	int depth = d->c->instr[d->ins[i].index].depth, k;

	for (k = i - 1; depth >= 0 && k >= 0 && d->ins[k].index == d->ins[i].index; k--)
		switch (d->ins[k].op) {
		case D_FAST:
		case D_NULL:
		case D_GLOBAL:
		case D_CONST:
			depth++;
			break;
		case D_STORE_FAST:
			depth--;
			break;
		default:
			return -1;
		}
	return depth;
}
