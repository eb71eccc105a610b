/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.12: what its opcodes do to the stack, where its frames keep things, and how they are made to jump. */
#define Py_BUILD_CORE
#define NEED_OPCODE_TABLES
#include <Python.h>
#if PY_VERSION_HEX >> 16 != 0x030C
#error "py312.c is for CPython 3.12 only"
#endif
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_gil.h>
#include <internal/pycore_instruments.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_opcode.h>
#include <internal/pycore_runtime.h>
#undef Py_BUILD_CORE

#define RECURSION_LIMIT(ts) ((ts)->py_recursion_limit)
#define RECURSION_REMAINING(ts) ((ts)->py_recursion_remaining)
#define IS_PYTHON(f) ((f)->owner != FRAME_OWNED_BY_CSTACK)
#define GIL(ceval) ((ceval)->gil)
#include "py/version/until312.h"
#include "py/version/until313.h"

const struct py_facts py_facts = {
	.keywords = KEYWORDS_FLAGGED,
	.for_skips = 1,
	.resume_args = 8,
	.function_parts = 8,
};
const bool py_saves_depth = false;
const int py_iterator_slots = 1;

/* ---- opcodes ------------------------------------------------------------------------------------ */

bool py_op_has_event(int op, int before)
{
	/* RESUME is PY_START or PY_RESUME, and FOR_ITER jumps over END_FOR (Python/bytecodes.c). */
	(void)before;
	return op != RESUME && op != END_FOR;
}

static bool op_jumps(int op)
{
	return _PyOpcode_Jump[(op & 255) >> 5] >> (op & 31) & 1;
}

int py_op_target(int op, int arg, int pos, int next)
{
	(void)pos;
	if (!op_jumps(op))
		return -1;
	return op == JUMP_BACKWARD || op == JUMP_BACKWARD_NO_INTERRUPT ? next - arg : next + arg;
}

int py_op_effect(int op, int arg, int jump)
{
	int n;

	if (op == RETURN_GENERATOR) /* counted as 0, but the generator, when resumed, has a sent value */
		return 1;
	n = PyCompile_OpcodeStackEffectWithJump(op, HAS_ARG(op) ? arg : 0, jump);
	return n == PY_INVALID_STACK_EFFECT ? INT32_MIN : n;
}

/* Mirrors Python/bytecodes.c; what only looks at its operands and leaves them takes none. */
/* Opcodes of one kind share a line. */
/* clang-format off */
int py_op_pops(int op, int arg)
{
	switch (op) {
	case POP_TOP: case UNARY_NEGATIVE: case UNARY_NOT: case UNARY_INVERT: case PUSH_EXC_INFO:
	case CHECK_EXC_MATCH: case GET_AITER: case BEFORE_WITH: case BEFORE_ASYNC_WITH: case GET_ITER:
	case GET_YIELD_FROM_ITER: case RETURN_VALUE: case YIELD_VALUE: case POP_EXCEPT: case STORE_NAME:
	case UNPACK_SEQUENCE: case FOR_ITER: case UNPACK_EX: case DELETE_ATTR: case STORE_GLOBAL: case LOAD_ATTR:
	case POP_JUMP_IF_FALSE: case POP_JUMP_IF_TRUE: case POP_JUMP_IF_NOT_NONE: case POP_JUMP_IF_NONE:
	case RERAISE: case SEND: case STORE_FAST: case STORE_DEREF: case GET_AWAITABLE: case LIST_APPEND:
	case SET_ADD: case LIST_EXTEND: case SET_UPDATE: case DICT_MERGE: case DICT_UPDATE: case CALL_INTRINSIC_1:
	case LOAD_FROM_DICT_OR_GLOBALS: case LOAD_FROM_DICT_OR_DEREF: case INTERPRETER_EXIT:
		return 1;
	case BINARY_SUBSCR: case DELETE_SUBSCR: case CHECK_EG_MATCH: case END_ASYNC_FOR: case STORE_ATTR:
	case COMPARE_OP: case IS_OP: case CONTAINS_OP: case BINARY_OP: case IMPORT_NAME: case MAP_ADD:
	case END_FOR: case END_SEND: case CALL_INTRINSIC_2:
		return 2;
	case STORE_SUBSCR: case MATCH_CLASS: case BINARY_SLICE: case LOAD_SUPER_ATTR: case CLEANUP_THROW:
		return 3;
	case STORE_SLICE:
		return 4;
	case BUILD_TUPLE: case BUILD_LIST: case BUILD_SET: case BUILD_STRING: case BUILD_SLICE:
	case RAISE_VARARGS:
		return arg;
	case BUILD_MAP:
		return 2 * arg;
	case BUILD_CONST_KEY_MAP:
		return arg + 1;
	case FORMAT_VALUE:
		return arg & 4 ? 2 : 1;
	case MAKE_FUNCTION:
		return 1 + __builtin_popcount(arg & 15);
	case CALL:
		return arg + 2;
	case CALL_FUNCTION_EX:
		return 3 + (arg & 1);
	}
	return 0;
}
/* clang-format on */

int py_op_operands_live(int op, int arg)
{
	switch (op) {
	case CALL:
		return arg + 2;
	case CALL_FUNCTION_EX: /* the arguments may have been replaced by a tuple made of them */
		return 2;
	}
	return 0;
}

int py_op_arg_index(int op, int arg, struct op_words *words)
{
	*words = (struct op_words){ "", "", -1 };
	switch (op) {
	case LOAD_GLOBAL:
		words->before = arg & 1 ? "NULL + " : "";
		return arg >> 1;
	case LOAD_ATTR:
		words->before = arg & 1 ? "NULL|self + " : "";
		return arg >> 1;
	case LOAD_SUPER_ATTR:
		words->before = arg & 1 ? "NULL|self + " : "";
		return arg >> 2;
	case COMPARE_OP:
		return arg >> 4;
	}
	return arg;
}

/* ---- frames ------------------------------------------------------------------------------------- */

static Frame *innermost(PyThreadState *ts)
{
	return ts->cframe->current_frame;
}

void py_frame_save_depth(struct py_frame *pf, int depth)
{
	Frame *f = inner(pf);

	f->stacktop = depth < 0 ? -1 : f->f_code->co_nlocalsplus + depth;
}

void py_frame_place(struct py_frame *pf, int unit)
{
	Frame *f = inner(pf);

	f->prev_instr = _PyCode_CODE(f->f_code) + unit;
}
