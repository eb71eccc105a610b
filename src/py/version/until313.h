/* SPDX-License-Identifier: BSD-3-Clause */
/* Common to CPython 3.12 and 3.13, and absent in 3.14: see since311.h.  Slots of a frame are pointers. */
#ifndef CDBG_UNTIL313_H
#define CDBG_UNTIL313_H
#include "py/version/since312.h"

bool py_op_ends(int op)
{
	return op_leaves(op) || op == RETURN_CONST || op == INTERPRETER_EXIT;
}

bool py_op_returns(int op)
{
	return op == RETURN_VALUE || op == RETURN_CONST;
}

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

static int raw_line_op(uintptr_t lines, int unit)
{
	unsigned char op = 0;

	return lines && readable_copy(&op, (uintptr_t) & ((_PyCoLineInstrumentationData *)lines)[unit].original_opcode,
				      1) ?
		       op :
		       0;
}

void py_frame_set_slot(struct py_frame *pf, int slot, struct py_obj *value)
{
	PyObject **p = &_PyFrame_Stackbase(inner(pf))[slot];
	PyObject *old = *p;

	*p = Py_XNewRef((PyObject *)value);
	Py_XDECREF(old);
}

void *py_frame_take_slot(struct py_frame *pf, int slot)
{
	PyObject **p = &_PyFrame_Stackbase(inner(pf))[slot], *value = *p;

	*p = NULL;
	return value;
}

void py_frame_forget_slot(struct py_frame *pf, int slot)
{
	_PyFrame_Stackbase(inner(pf))[slot] = NULL;
}

struct py_obj *py_frame_local(struct py_frame *pf, int i)
{
	return (struct py_obj *)inner(pf)->localsplus[i];
}

/* The frames between, which the interpreter keeps on the C stack, have no function. */
bool py_frame_runs_above(struct py_frame *pf, struct py_obj *function)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	Frame *above, *f;

	for (; ts; ts = PyThreadState_Next(ts))
		for (above = NULL, f = innermost(ts); f; f = f->previous) {
			if (f == inner(pf))
				return above && (struct py_obj *)above->f_funcobj == function;
			if (f->owner != FRAME_OWNED_BY_CSTACK)
				above = f;
		}
	return false;
}

#endif
