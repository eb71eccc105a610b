/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: what its opcodes do to the stack, where its frames keep things, and how they are made to jump. */
#define Py_BUILD_CORE
#define NEED_OPCODE_TABLES
#include <Python.h>
#if PY_VERSION_HEX >> 16 != 0x030B
#error "py311.c is for CPython 3.11 only"
#endif
#include <frameobject.h>
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_gil.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_opcode.h>
#include <internal/pycore_runtime.h>
#undef Py_BUILD_CORE

#define RECURSION_LIMIT(ts) ((ts)->recursion_limit)
#define RECURSION_REMAINING(ts) ((ts)->recursion_remaining)
#define IS_PYTHON(f) ((void)(f), true)
#define GIL(ceval) ((void)(ceval), &_PyRuntime.ceval.gil)
#include "py/version/until312.h"

const struct py_facts py_facts = {
	.loads_check = true,
	.keywords = KEYWORDS_ANY,
	.resume_args = 8,
	.function_parts = 8,
};
const bool py_saves_depth = true;
const int py_iterator_slots = 1;

/* ---- opcodes ------------------------------------------------------------------------------------ */

bool py_op_has_event(int op, int before)
{
	/* Mirrors Python/ceval.c, DO_TRACING: RESUME is the call event, and the prefix dispatches by itself. */
	return op != RESUME && before != EXTENDED_ARG;
}

static bool op_in(const uint32_t *set, int op)
{
	return set[(op & 255) >> 5] >> (op & 31) & 1;
}

int py_op_target(int op, int arg, int pos, int next)
{
	(void)pos;
	if (!op_in(_PyOpcode_Jump, op))
		return -1;
	if (!op_in(_PyOpcode_RelativeJump, op))
		return arg;
	switch (op) {
	case JUMP_BACKWARD:
	case JUMP_BACKWARD_NO_INTERRUPT:
	case POP_JUMP_BACKWARD_IF_TRUE:
	case POP_JUMP_BACKWARD_IF_FALSE:
	case POP_JUMP_BACKWARD_IF_NONE:
	case POP_JUMP_BACKWARD_IF_NOT_NONE:
		return next - arg;
	default:
		return next + arg;
	}
}

int py_op_effect(int op, int arg, int jump)
{
	int n;

	switch (op) {
	case PRECALL: /* the compiler counts half of CALL's operands here, ... */
		return 0;
	case CALL: /* ... but all of them go at CALL */
		return -(arg + 1);
	case RETURN_GENERATOR: /* counted as 0, but the generator, when resumed, has a sent value */
		return 1;
	}
	n = PyCompile_OpcodeStackEffectWithJump(op, HAS_ARG(op) ? arg : 0, jump);
	return n == PY_INVALID_STACK_EFFECT ? INT32_MIN : n;
}

bool py_op_ends(int op)
{
	return op_leaves(op);
}

bool py_op_returns(int op)
{
	return op == RETURN_VALUE;
}

/* Mirrors the POPs of Python/ceval.c; what only looks at its operands and leaves them takes none. */
/* Opcodes of one kind share a line. */
/* clang-format off */
int py_op_pops(int op, int arg)
{
	switch (op) {
	case POP_TOP: case UNARY_POSITIVE: case UNARY_NEGATIVE: case UNARY_NOT: case UNARY_INVERT:
	case PUSH_EXC_INFO: case CHECK_EXC_MATCH: case GET_AITER: case BEFORE_WITH: case BEFORE_ASYNC_WITH:
	case GET_ITER: case GET_YIELD_FROM_ITER: case PRINT_EXPR: case LIST_TO_TUPLE: case RETURN_VALUE:
	case IMPORT_STAR: case YIELD_VALUE: case ASYNC_GEN_WRAP: case POP_EXCEPT: case STORE_NAME:
	case UNPACK_SEQUENCE: case FOR_ITER: case UNPACK_EX: case DELETE_ATTR: case STORE_GLOBAL:
	case LOAD_ATTR: case LOAD_METHOD: case JUMP_IF_FALSE_OR_POP: case JUMP_IF_TRUE_OR_POP:
	case POP_JUMP_FORWARD_IF_FALSE: case POP_JUMP_FORWARD_IF_TRUE: case POP_JUMP_FORWARD_IF_NOT_NONE:
	case POP_JUMP_FORWARD_IF_NONE: case POP_JUMP_BACKWARD_IF_FALSE: case POP_JUMP_BACKWARD_IF_TRUE:
	case POP_JUMP_BACKWARD_IF_NOT_NONE: case POP_JUMP_BACKWARD_IF_NONE: case RERAISE: case SEND:
	case STORE_FAST: case STORE_DEREF: case GET_AWAITABLE: case LIST_APPEND: case SET_ADD:
	case LIST_EXTEND: case SET_UPDATE: case DICT_MERGE: case DICT_UPDATE:
		return 1;
	case BINARY_SUBSCR: case DELETE_SUBSCR: case CHECK_EG_MATCH: case END_ASYNC_FOR: case STORE_ATTR:
	case PREP_RERAISE_STAR: case COMPARE_OP: case IS_OP: case CONTAINS_OP: case BINARY_OP:
	case IMPORT_NAME: case MAP_ADD:
		return 2;
	case STORE_SUBSCR: case MATCH_CLASS:
		return 3;
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
	case PRECALL: case CALL:
		return arg + 2;
	case CALL_FUNCTION_EX:
		return 3 + (arg & 1);
	}
	return 0;
}
/* clang-format on */

/* CALL gives its operands to the function that it calls (see args_trace.c); CALL_FUNCTION_EX keeps them. */
int py_op_operands_live(int op, int arg)
{
	(void)arg; /* the arguments may have been replaced by a tuple made of them */
	return op == CALL_FUNCTION_EX ? 2 : 0;
}

int py_op_arg_index(int op, int arg, struct op_words *words)
{
	*words = (struct op_words){ "", "", -1 };
	if (op != LOAD_GLOBAL)
		return arg;
	if (arg & 1)
		words->before = "NULL + ";
	return arg >> 1;
}

int py_op_compare_bits(int i)
{
	(void)i;
	return 0;
}

/* ---- code --------------------------------------------------------------------------------------- */

struct py_code *py_generator_code(struct py_obj *gen)
{
	return (struct py_code *)((PyGenObject *)gen)->gi_code;
}

struct py_obj *py_type_dict(struct py_obj *type)
{
	return (struct py_obj *)((PyTypeObject *)type)->tp_dict;
}

/* ---- frames ------------------------------------------------------------------------------------- */

struct py_obj *py_frame_slot(struct py_frame *pf, int slot, bool *tagged, long *number)
{
	(void)number;
	*tagged = false;
	return (struct py_obj *)_PyFrame_Stackbase(inner(pf))[slot];
}

uintptr_t py_raw_object(uintptr_t word, bool *number)
{
	*number = false;
	return word;
}

int py_raw_op(uintptr_t code, int unit, int op)
{
	(void)code;
	(void)unit;
	return _PyOpcode_Deopt[op & 255];
}

void py_frame_set_slot(struct py_frame *pf, int slot, struct py_obj *value)
{
	PyObject **p = &_PyFrame_Stackbase(inner(pf))[slot];
	PyObject *old = *p;

	*p = Py_NewRef((PyObject *)value);
	Py_XDECREF(old);
}

struct py_obj *py_frame_local(struct py_frame *pf, int i)
{
	return (struct py_obj *)inner(pf)->localsplus[i];
}

bool py_frame_runs_above(struct py_frame *pf, struct py_obj *function)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	Frame *above;

	for (; ts; ts = PyThreadState_Next(ts))
		for (above = ts->cframe->current_frame; above; above = above->previous)
			if (above->previous == inner(pf))
				return (struct py_obj *)above->f_func == function;
	return false;
}

int py_frame_set_line(struct py_frame *pf, int line)
{
	PyFrameObject *fo = (PyFrameObject *)pf;
	PyThreadState *ts = PyThreadState_Get();
	/* owned, released at the end */
	PyObject *number = PyLong_FromLong(line);
	PyObject *trace = fo->f_trace;
	int what = ts->tracing_what;
	int ret;

	/* Mirrors Objects/frameobject.c, frame_setlineno(): it needs a tracer, and a line event. */
	fo->f_trace = Py_NewRef(Py_None);
	ts->tracing_what = PyTrace_LINE;
	ret = number ? PyObject_SetAttrString((PyObject *)fo, "f_lineno", number) : -1;
	ts->tracing_what = what;
	Py_XSETREF(fo->f_trace, trace);
	Py_XDECREF(number);
	return ret;
}
