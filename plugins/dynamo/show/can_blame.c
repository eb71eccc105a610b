/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether blame can judge the call of the selected frame: see can_blame.h. */
#include "show/can_blame.h"
#include "code/dynamo_code.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "torch/dynamo_torch.h"

/* Are the entry's graphs kept, and may its function be called again? */
static bool serves(struct entry *e, PyFrameObject *frame)
{
	PyObject *globals = NULL, *why = NULL;
	bool can = e->func->co != NULL;
	int i;

	for (i = 0; can && i < e->made.ngraphs; i++)
		can = e->made.graph[i].part || e->made.graph[i].copy;
	globals = can ? PyFrame_GetGlobals(frame) : NULL;
	if (globals)
		why = package_call("blame", "refusal", Py_BuildValue("(OO)", e->func->co, globals));
	can = why == Py_None;
	PyErr_Clear();
	Py_XDECREF(why);
	Py_XDECREF(globals);
	return can;
}

/* Of the frame that runs an entry's code: the selected one, or that of the call which a stop is about, as at catch
   wrong, where it has not begun. */
static bool serves_call(PyObject *frame)
{
	PyCodeObject *co = frame && PyFrame_Check(frame) ? PyFrame_GetCode((PyFrameObject *)frame) : NULL;
	struct entry *e = co ? model_entry(co) : NULL;

	Py_XDECREF(co);
	return e && serves(e, (PyFrameObject *)frame);
}

bool can_blame(void)
{
	struct selected_frame at;
	bool can;

	if (selected_frame_get(&at, NULL) < 0)
		return false;
	can = serves_call(at.frame ? (PyObject *)at.frame : compiling_top() ? compiling_top()->frame : NULL);
	selected_frame_release(&at);
	return can;
}
