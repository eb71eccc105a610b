/* SPDX-License-Identifier: BSD-3-Clause */
/* What CPython 3.12 and all after it have in common: see since311.h. */
#ifndef CDBG_SINCE312_H
#define CDBG_SINCE312_H
#include "py/version/monitor.h"
#include "py/version/since311.h"

static Frame *innermost(PyThreadState *ts);

int py_op_compare_bits(int i)
{
	/* Mirrors compare_masks of Python/compile.c: what specialised forms test. */
	static const int mask[] = { 2, 2 | 8, 8, 1 | 2 | 4, 4, 4 | 8 };

	return i >= 0 && i < 6 ? mask[i] : 0;
}

struct py_code *py_generator_code(struct py_obj *gen)
{
	PyCodeObject *co = PyGen_GetCode((PyGenObject *)gen);

	Py_XDECREF(co); /* the generator keeps it alive */
	return (struct py_code *)co;
}

struct py_obj *py_type_dict(struct py_obj *type)
{
	PyObject *dict = PyType_GetDict((PyTypeObject *)type);

	Py_XDECREF(dict); /* the type keeps it alive */
	return (struct py_obj *)dict;
}

void py_code_drop_lines(struct py_code *co)
{
	_PyCoMonitoringData *data = ((PyCodeObject *)co)->_co_monitoring;

	if (!data)
		return;
	PyMem_Free(data->lines);
	data->lines = NULL;
}

static int raw_line_op(uintptr_t lines, int unit); /* the opcode at which a line event is; 0: not known */

/* Mirrors Python/instrumentation.c: the first opcode that is neither of those which stand for any. */
int py_raw_op(uintptr_t code, int unit, int op)
{
	uintptr_t data, each;
	unsigned char under = 0;

	if (op == INSTRUMENTED_LINE || op == INSTRUMENTED_INSTRUCTION) {
		data = raw_word(&((PyCodeObject *)code)->_co_monitoring);
		if (data && op == INSTRUMENTED_LINE)
			op = raw_line_op(raw_word(&((_PyCoMonitoringData *)data)->lines), unit);
		each = data ? raw_word(&((_PyCoMonitoringData *)data)->per_instruction_opcodes) : 0;
		if (op == INSTRUMENTED_INSTRUCTION && each && readable_copy(&under, each + (size_t)unit, 1))
			op = under;
	}
	return _PyOpcode_Deopt[op & 255];
}

uintptr_t py_thread_innermost(struct py_thread *t)
{
	return (uintptr_t)innermost((PyThreadState *)t);
}

int py_frame_set_line(struct py_frame *pf, int line)
{
	PyThreadState *ts = PyThreadState_Get();
	/* owned, released at the end */
	PyObject *number = PyLong_FromLong(line);
	int depth = py_frame_saved_depth(pf), what = ts->what_event, ret, left;

	/* Mirrors Objects/frameobject.c, frame_setlineno(): it must be called in a line event, and leaves the popped
	   values in the slots. */
	ts->what_event = PY_MONITORING_EVENT_LINE;
	ret = number ? PyObject_SetAttrString((PyObject *)pf, "f_lineno", number) : -1;
	ts->what_event = what;
	if (ret == 0)
		for (left = py_frame_saved_depth(pf); left < depth; left++)
			py_frame_forget_slot(pf, left);
	Py_XDECREF(number);
	return ret;
}

#endif
