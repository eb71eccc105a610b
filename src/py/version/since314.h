/* SPDX-License-Identifier: BSD-3-Clause */
/* What CPython 3.14 and all after it have in common: see since311.h.  Slots of a frame are references that may be
   borrowed, or numbers. */
#ifndef CDBG_SINCE314_H
#define CDBG_SINCE314_H
#include "py/version/since313.h"

#define OFFSET(member) offsetof(struct _Py_DebugOffsets, member)
#define SUPPORT(member) OFFSET(debugger_support.member)

const struct py_remote py_remote = {
	.size = sizeof(struct _Py_DebugOffsets),
	.cookie = OFFSET(cookie),
	.cookie_text = _Py_Debug_Cookie,
	.interpreters = OFFSET(runtime_state.interpreters_head),
	.next = OFFSET(interpreter_state.next),
	.id = OFFSET(interpreter_state.id),
	.main_thread = OFFSET(interpreter_state.threads_main),
	.breaker = SUPPORT(eval_breaker),
	.support = SUPPORT(remote_debugger_support),
	.enabled = SUPPORT(remote_debugging_enabled),
	.pending = SUPPORT(debugger_pending_call),
	.path = SUPPORT(debugger_script_path),
	.path_size = SUPPORT(debugger_script_path_size),
	.wake = _PY_EVAL_PLEASE_STOP_BIT | _PY_SIGNALS_PENDING_BIT | _PY_CALLS_TO_DO_BIT | _PY_ASYNC_EXCEPTION_BIT,
	.never = _PY_GIL_DROP_REQUEST_BIT,
};
#undef SUPPORT
#undef OFFSET

bool py_op_has_event(int op, int before)
{
	/* RESUME is PY_START or PY_RESUME, and FOR_ITER jumps over END_FOR (Python/bytecodes.c). */
	(void)before;
	return op != RESUME && op != END_FOR;
}

int py_op_target(int op, int arg, int pos, int next)
{
	(void)pos;
	if (!OPCODE_HAS_JUMP(op) || op == END_ASYNC_FOR) /* that one only says where its loop is */
		return -1;
	return op == JUMP_BACKWARD || op == JUMP_BACKWARD_NO_INTERRUPT ? next - arg : next + arg;
}

bool py_op_ends(int op)
{
	return op_leaves(op) || op == INTERPRETER_EXIT;
}

bool py_op_returns(int op)
{
	return op == RETURN_VALUE;
}

/* The pair of loads that borrow is packed as that of loads that do not. */
static int unpack_borrowing(int op, int arg, struct op_words *words)
{
	return unpack_arg(op == LOAD_FAST_BORROW_LOAD_FAST_BORROW ? LOAD_FAST_LOAD_FAST : op, arg, words);
}

static PyCodeObject *code_of(Frame *f)
{
	return (PyCodeObject *)PyStackRef_AsPyObjectBorrow(f->f_executable);
}

static _PyStackRef *stack_of(Frame *f)
{
	return f->localsplus + code_of(f)->co_nlocalsplus;
}

static PyObject *object_of(_PyStackRef ref)
{
	return PyStackRef_IsNull(ref) || PyStackRef_IsTaggedInt(ref) ? NULL : PyStackRef_AsPyObjectBorrow(ref);
}

bool py_raw_frame(uintptr_t frame, struct raw_frame *out)
{
	uintptr_t slots = frame + offsetof(Frame, localsplus), top;
	Frame f;

	if (!readable_copy(&f, frame, offsetof(Frame, localsplus)))
		return false;
	top = (uintptr_t)f.stackpointer;
	*out = (struct raw_frame){ .previous = (uintptr_t)f.previous,
				   .code = (uintptr_t)object_of(f.f_executable),
				   .instr = (uintptr_t)f.instr_ptr,
				   .slots = slots,
				   .saved = top < slots ? -1 : (int)((top - slots) / sizeof(_PyStackRef)),
				   .python = f.owner < FRAME_OWNED_BY_INTERPRETER };
	return true;
}

uintptr_t py_raw_object(uintptr_t word, bool *number)
{
	_PyStackRef ref = { .bits = word };

	*number = !PyStackRef_IsNull(ref) && PyStackRef_IsTaggedInt(ref);
	return (uintptr_t)object_of(ref);
}

static int raw_line_op(uintptr_t lines, int unit)
{
	unsigned char size = 0, op = 0;
	uintptr_t data = lines + offsetof(_PyCoLineInstrumentationData, data);

	return lines &&
			       readable_copy(&size,
					     (uintptr_t) & ((_PyCoLineInstrumentationData *)lines)->bytes_per_entry,
					     1) &&
			       readable_copy(&op, data + (size_t)unit * size, 1) ?
		       op :
		       0;
}

int py_frame_depth_at(uintptr_t address)
{
	Frame *f = (Frame *)address;

	return f->stackpointer < stack_of(f) ? -1 : (int)(f->stackpointer - stack_of(f));
}

void py_frame_save_depth(struct py_frame *pf, int depth)
{
	Frame *f = inner(pf);

	f->stackpointer = depth < 0 ? NULL : stack_of(f) + depth;
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

#endif
