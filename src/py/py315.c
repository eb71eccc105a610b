/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.15: what its opcodes do to the stack, where its frames keep things, and how they are made to jump. */
#define Py_BUILD_CORE
#define NEED_OPCODE_METADATA
#include <Python.h>
#if PY_VERSION_HEX >> 16 != 0x030F
#error "py315.c is for CPython 3.15 only"
#endif
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_genobject.h>
#include <internal/pycore_instruments.h>
#include <internal/pycore_interpframe.h>
#include <internal/pycore_opcode_metadata.h>
#include <internal/pycore_stackref.h>
#undef Py_BUILD_CORE
#include "base/err.h"
#include "py/code_impl.h"
#include "py/live_monitor.h"
#include "py/value.h"

typedef struct _PyInterpreterFrame Frame;

const int py_version = 315;
const bool py_saves_depth = true;
const int py_iterator_slots = 2;

/* ---- opcodes ------------------------------------------------------------------------------------ */

int py_op_caches(int op)
{
	return _PyOpcode_Caches[op & 255];
}

bool py_op_has_arg(int op)
{
	return OPCODE_HAS_ARG(op);
}

bool py_op_has_event(int op, int before)
{
	/* RESUME is PY_START or PY_RESUME, and FOR_ITER jumps over END_FOR (Python/bytecodes.c). */
	(void)before;
	return op != RESUME && op != END_FOR;
}

int py_op_target(int op, int arg, int pos, int next)
{
	(void)pos;
	if (!OPCODE_HAS_JUMP(op) || op == END_ASYNC_FOR)     /* that one only says where its loop is */
		return -1;
	return op == JUMP_BACKWARD || op == JUMP_BACKWARD_NO_INTERRUPT ? next - arg : next + arg;
}

int py_op_effect(int op, int arg, int jump)
{
	int n = PyCompile_OpcodeStackEffectWithJump(op, OPCODE_HAS_ARG(op) ? arg : 0, jump);

	return n == PY_INVALID_STACK_EFFECT ? INT32_MIN : n;
}

bool py_op_ends(int op)
{
	switch (op) {
	case RETURN_VALUE:
	case INTERPRETER_EXIT:
	case RAISE_VARARGS:
	case RERAISE:
	case JUMP_FORWARD:
	case JUMP_BACKWARD:
	case JUMP_BACKWARD_NO_INTERRUPT:
		return true;
	}
	return false;
}

bool py_op_returns(int op)
{
	return op == RETURN_VALUE;
}

/* What only looks at its operands and leaves them takes none. */
int py_op_pops(int op, int arg)
{
	int n;

	switch (op) {
	case COPY: case SWAP: case GET_LEN: case GET_ANEXT: case IMPORT_FROM: case MATCH_KEYS: case MATCH_MAPPING:
	case MATCH_SEQUENCE: case WITH_EXCEPT_START:
		return 0;
	case LIST_APPEND: case LIST_EXTEND: case SET_ADD: case SET_UPDATE: case DICT_UPDATE: case DICT_MERGE:
	case RERAISE:
		return 1;
	case MAP_ADD:
		return 2;
	}
	n = _PyOpcode_num_popped(op, arg);
	return n < 0 ? 0 : n;
}

int py_op_operands_live(int op, int arg)
{
	switch (op) {
	case CALL:
		return arg + 2;
	case CALL_KW:
		return arg + 3;
	case CALL_FUNCTION_EX:               /* the arguments may have been replaced by a tuple made of them */
		return 2;
	}
	return 0;
}

int py_op_arg_index(int op, int arg, struct op_words *words)
{
	*words = (struct op_words){ "", "", -1 };
	switch (op) {
	case LOAD_GLOBAL:
		words->after = arg & 1 ? " + NULL" : "";
		return arg >> 1;
	case LOAD_ATTR:
		words->after = arg & 1 ? " + NULL|self" : "";
		return arg >> 1;
	case IMPORT_NAME:
		words->after = arg & 1 ? " + lazy" : arg & 2 ? " + eager" : "";
		return arg >> 2;
	case LOAD_SUPER_ATTR:
		words->after = arg & 1 ? " + NULL|self" : "";
		return arg >> 2;
	case COMPARE_OP:
		if (arg & 16) {
			words->before = "bool(";
			words->after = ")";
		}
		return arg >> 5;
	case LOAD_FAST_LOAD_FAST: case LOAD_FAST_BORROW_LOAD_FAST_BORROW: case STORE_FAST_LOAD_FAST:
	case STORE_FAST_STORE_FAST:
		words->second = arg & 15;
		return arg >> 4;
	}
	return arg;
}

int py_op_compare_bits(int i)
{
	/* Mirrors compare_masks of Python/compile.c: what specialised forms test. */
	static const int mask[] = { 2, 2 | 8, 8, 1 | 2 | 4, 4, 4 | 8 };

	return i >= 0 && i < 6 ? mask[i] : 0;
}

/* ---- code --------------------------------------------------------------------------------------- */

struct py_obj *py_code_bytes(struct py_code *co)
{
	return (struct py_obj *)PyCode_GetCode((PyCodeObject *)co);
}

int py_code_local_kind(struct py_code *co, int i)
{
	return _PyLocals_GetKind(((PyCodeObject *)co)->co_localspluskinds, i);
}

struct py_code *py_generator_code(struct py_obj *gen)
{
	PyCodeObject *co = PyGen_GetCode((PyGenObject *)gen);

	Py_XDECREF(co);                      /* the generator keeps it alive */
	return (struct py_code *)co;
}

struct py_obj *py_generator_name(struct py_obj *gen)
{
	return (struct py_obj *)((PyGenObject *)gen)->gi_name;       /* a coroutine begins the same way */
}

void py_code_drop_lines(struct py_code *co)
{
	_PyCoMonitoringData *data = ((PyCodeObject *)co)->_co_monitoring;

	if (!data)
		return;
	PyMem_Free(data->lines);
	data->lines = NULL;
}

/* ---- frames ------------------------------------------------------------------------------------- */

static Frame *inner(struct py_frame *f)
{
	return ((PyFrameObject *)f)->f_frame;
}

static PyCodeObject *code_of(Frame *f)
{
	return (PyCodeObject *)PyStackRef_AsPyObjectBorrow(f->f_executable);
}

static Frame *innermost(PyThreadState *ts)
{
	return ts->current_frame;
}

uintptr_t py_thread_innermost(struct py_thread *t)
{
	return (uintptr_t)innermost((PyThreadState *)t);
}

static _PyStackRef *stack_of(Frame *f)
{
	return f->localsplus + code_of(f)->co_nlocalsplus;
}

int py_frame_saved_depth(struct py_frame *pf)
{
	Frame *f = inner(pf);

	return f->stackpointer < stack_of(f) ? -1 : (int)(f->stackpointer - stack_of(f));
}

void py_frame_save_depth(struct py_frame *pf, int depth)
{
	Frame *f = inner(pf);

	f->stackpointer = depth < 0 ? NULL : stack_of(f) + depth;
}

void py_frame_place(struct py_frame *pf, int unit)
{
	Frame *f = inner(pf);

	f->instr_ptr = _PyCode_CODE(code_of(f)) + unit;
}

static PyObject *object_of(_PyStackRef ref)
{
	return PyStackRef_IsNull(ref) || PyStackRef_IsTaggedInt(ref) ? NULL : PyStackRef_AsPyObjectBorrow(ref);
}

struct py_obj *py_frame_slot(struct py_frame *pf, int slot, bool *tagged, long *number)
{
	_PyStackRef ref = stack_of(inner(pf))[slot];

	*tagged = !PyStackRef_IsNull(ref) && PyStackRef_IsTaggedInt(ref);
	if (*tagged)
		*number = (long)PyStackRef_UntagInt(ref);
	return (struct py_obj *)object_of(ref);
}

void py_frame_set_slot(struct py_frame *pf, int slot, struct py_obj *value)
{
	_PyStackRef *p = &stack_of(inner(pf))[slot], old = *p;

	*p = value ? PyStackRef_FromPyObjectNew((PyObject *)value) : PyStackRef_NULL;
	PyStackRef_XCLOSE(old);
}

void *py_frame_take_slot(struct py_frame *pf, int slot)
{
	_PyStackRef *p = &stack_of(inner(pf))[slot], old = *p;

	*p = PyStackRef_NULL;
	return PyStackRef_IsNull(old) ? NULL : PyStackRef_AsPyObjectSteal(old);
}

void py_frame_forget_slot(struct py_frame *pf, int slot)
{
	stack_of(inner(pf))[slot] = PyStackRef_NULL;
}

struct py_obj *py_frame_local(struct py_frame *pf, int i)
{
	return (struct py_obj *)object_of(inner(pf)->localsplus[i]);
}

/* By frame.f_locals: it keeps a value alive that borrowed references may still lead to. */
int py_frame_set_local(struct py_frame *pf, int i, struct py_obj *value, struct err *err)
{
	PyObject *name = PyTuple_GET_ITEM(code_of(inner(pf))->co_localsplusnames, i);
	PyObject *locals = PyFrame_GetLocals((PyFrameObject *)pf);
	int ret = locals ? PyObject_SetItem(locals, name, (PyObject *)value) : -1;

	Py_XDECREF(locals);
	return ret < 0 ? err_from_python(err, NULL) : 0;
}

struct py_obj *py_frame_names(struct py_frame *pf)
{
	return (struct py_obj *)inner(pf)->f_locals;
}

bool py_frame_alive(struct py_frame *pf)
{
	return inner(pf)->owner != FRAME_OWNED_BY_FRAME_OBJECT;
}

bool py_frame_is_generator(struct py_frame *pf)
{
	return inner(pf)->owner == FRAME_OWNED_BY_GENERATOR;
}

uintptr_t py_frame_address(struct py_frame *pf)
{
	return (uintptr_t)inner(pf);
}

/* The frames between, which the interpreter keeps on the C stack, have no function. */
bool py_frame_runs_above(struct py_frame *pf, struct py_obj *function)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	Frame *above, *f;

	for (; ts; ts = PyThreadState_Next(ts))
		for (above = NULL, f = innermost(ts); f; f = f->previous) {
			if (f == inner(pf))
				return above && (struct py_obj *)object_of(above->f_funcobj) == function;
			if (f->owner < FRAME_OWNED_BY_INTERPRETER)
				above = f;
		}
	return false;
}

int py_frame_set_line(struct py_frame *pf, int line, struct err *err)
{
	PyThreadState *ts = PyThreadState_Get();
	/* owned, released at the end */
	PyObject *number = PyLong_FromLong(line);
	int depth = py_frame_saved_depth(pf), what = ts->what_event;
	int ret = jump_allowed(pf, err), left;

	if (!ret) {
		/* Mirrors Objects/frameobject.c, frame_setlineno(): it wants to be in a line event, and leaves what
		   it pops in the slots. */
		ts->what_event = PY_MONITORING_EVENT_LINE;
		ret = number ? PyObject_SetAttrString((PyObject *)pf, "f_lineno", number) : -1;
		ts->what_event = what;
		if (ret < 0)
			err_from_python(err, NULL);
		else
			for (left = py_frame_saved_depth(pf); left < depth; left++)
				py_frame_forget_slot(pf, left);
	}
	Py_XDECREF(number);
	return ret;
}

void py_frames_hide(struct py_hidden *h)
{
	PyThreadState *ts = PyThreadState_Get();

	h->frame = ts->current_frame;
	h->depth = ts->py_recursion_limit - ts->py_recursion_remaining;
	ts->current_frame = NULL;
	ts->py_recursion_remaining += h->depth;
}

void py_frames_show(const struct py_hidden *h)
{
	PyThreadState *ts = PyThreadState_Get();

	ts->current_frame = h->frame;
	ts->py_recursion_remaining -= h->depth;
}
