/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes frames: the chain, the position, the locals, and how many slots of a value stack are valid. */
#include <Python.h>
#include <string.h>
#include "base/err.h"
#include "py/code/code_impl.h"
#include "py/frame/frame.h"
#include "py/value/value.h"
#include "py/version/opcodes.h"

static PyCodeObject *frame_object_code(struct py_frame *f)
{
	PyCodeObject *co = PyFrame_GetCode((PyFrameObject *)f);

	Py_DECREF(co); /* the frame keeps it alive */
	return co;
}

/* ---- the chain ---------------------------------------------------------------------------------- */

/*
 * Frame objects are made on demand, and making one may start a collection: finalizers would run and release the GIL
 * while another thread's frame is being read.
 */
struct py_frame *frame_top_of(struct py_thread *t)
{
	int gc = PyGC_Disable();
	PyFrameObject *f = PyThreadState_GetFrame((PyThreadState *)t);

	if (gc)
		PyGC_Enable();
	return (struct py_frame *)f;
}

struct py_frame *frame_top(void)
{
	return frame_top_of((struct py_thread *)PyThreadState_Get());
}

struct py_frame *frame_back(struct py_frame *f)
{
	int gc = PyGC_Disable();
	PyFrameObject *back = PyFrame_GetBack((PyFrameObject *)f);

	if (gc)
		PyGC_Enable();
	return (struct py_frame *)back;
}

/* ---- the position ------------------------------------------------------------------------------- */

struct code *frame_code(struct py_frame *f)
{
	return code_get((struct py_code *)frame_object_code(f));
}

int frame_index(struct py_frame *f)
{
	struct code *c = frame_code(f);
	int offset = PyFrame_GetLasti((PyFrameObject *)f);

	return offset < 0 ? -1 : code_index(c, offset);
}

int py_frame_unit(struct py_frame *f)
{
	struct code *c = frame_code(f);
	int index = frame_index(f);

	return index < 0 ? -1 : code_unit(c, index);
}

int frame_line(struct py_frame *f)
{
	int line = PyFrame_GetLineNumber((PyFrameObject *)f);

	return line > 0 ? line : 0;
}

/* Only then does the interpreter read the next instruction again, and only then are all slots of the stack valid. */
static bool frame_at_event(struct py_frame *f, struct code *c)
{
	int index = py_frame_alive(f) ? frame_index(f) : -1;
	int saved = index < 0 ? -1 : py_frame_saved_depth(f);

	if (index < 0 || c->instr[index].flags & INSTR_NO_EVENT)
		return false;
	return saved >= 0 && saved == c->instr[index].depth;
}

int py_frame_jump(struct py_frame *f, int unit, struct err *err)
{
	struct code *c = frame_code(f);
	PyCodeObject *co = (PyCodeObject *)c->co;
	/* owned, released at the end */
	PyObject *forged, *table = co->co_linetable;
	struct err why = { "" };
	const char *text;
	int index, first, ret;

	index = code_index(c, 2 * unit);
	if (!frame_at_event(f, c))
		return err_set(err, "cannot jump from here: %s is not stopped before an instruction ('stepi' first)",
			       code_name(c));
	if (index < 0 || code_unit(c, index) != unit)
		return err_set(err, "no instruction begins at offset %d", 2 * unit);
	for (first = index; first && c->instr[first - 1].flags & INSTR_PREFIX;)
		first--;
	if (first < index)
		return err_set(err, "offset %d follows the EXTENDED_ARG of offset %d: jump to that instead", 2 * unit,
			       c->instr[first].offset);
	if (c->instr[index].depth < 0)
		return err_set(err, "cannot jump to offset %d: no path through the code leads there", 2 * unit);
	forged = (PyObject *)location_forge(c);
	if (!forged)
		return err_from_python(err, "cannot jump");
	co->co_linetable = forged;
	ret = py_frame_set_line(f, location_forged_line(c, index));
	if (ret < 0)
		err_from_python(&why, NULL);
	co->co_linetable = table;
	Py_DECREF(forged);
	if (ret < 0) {
		text = strstr(why.text, ": ");
		err_set(err, "cannot jump to offset %d: %s", 2 * unit, text ? text + 2 : why.text);
	}
	return ret;
}

/* ---- the value stack ---------------------------------------------------------------------------- */

static PyObject *frame_raw_slot(struct py_frame *f, int slot)
{
	bool tagged;
	long number;
	struct py_obj *v = py_frame_slot(f, slot, &tagged, &number);

	return tagged ? NULL : (PyObject *)v;
}

/*
 * A call with its operands still on the stack: true only while the function that it called runs right above.  In all
 * other cases (a finalizer runs while the call drops its arguments, a signal handler runs after it) the slots may hold
 * objects that were freed.  The called function's address is compared, never followed.
 */
static int frame_live_operands(struct py_frame *f, const struct instr *in, int base)
{
	int live = py_op_operands_live(in->op, in->arg);
	PyObject *called;

	if (live < 2 || base < 0)
		return 0;
	called = frame_raw_slot(f, base);
	if (!called)
		called = frame_raw_slot(f, base + 1);
	return called && py_frame_runs_above(f, (struct py_obj *)called) ? live : 0;
}

int frame_depth(struct py_frame *f, bool at_event)
{
	struct code *c = frame_code(f);
	const struct instr *in;
	int saved, index, base;

	if (!py_frame_alive(f))
		return 0;
	code_decode(c);
	saved = py_frame_saved_depth(f);
	index = frame_index(f);
	if (saved >= 0)
		return saved;
	if (index < 0)
		return 0;
	in = &c->instr[index];
	if (in->depth < 0 || (at_event && !py_saves_depth))
		return in->depth;
	base = in->depth - py_op_pops(in->op, in->arg);
	if (base < 0)
		return 0;
	return base + frame_live_operands(f, in, base);
}

void frame_slot(struct py_frame *f, int slot, struct stack_slot *out)
{
	bool tagged;

	*out = (struct stack_slot){ .kind = SLOT_UNKNOWN };
	if (slot < 0 || slot >= frame_object_code(f)->co_stacksize || !py_frame_alive(f))
		return;
	out->value = py_frame_slot(f, slot, &tagged, &out->number);
	out->kind = tagged ? SLOT_INT : out->value ? SLOT_OBJECT : SLOT_NULL;
	if (tagged)
		out->value = NULL;
}

struct py_obj *frame_return_value(struct py_frame *f, struct code *c, int index)
{
	struct stack_slot top = { .kind = SLOT_UNKNOWN };
	int depth;

	code_decode(c);
	if (c->instr[index].op == RETURN_CONST)
		return code_arg_object(c, index);
	depth = frame_depth(f, true);
	if (depth > 0)
		frame_slot(f, depth - 1, &top);
	return top.kind == SLOT_OBJECT ? top.value : NULL;
}

/* ---- locals ------------------------------------------------------------------------------------- */

struct py_obj *frame_local(struct py_frame *f, int i)
{
	struct code *c = frame_code(f);
	PyObject *v = (PyObject *)py_frame_local(f, i);

	/* before MAKE_CELL the slot holds the variable itself */
	if (v && code_local_kind(c, i) != LOCAL_FAST && PyCell_Check(v))
		v = PyCell_GET(v);
	return (struct py_obj *)v;
}

/* A snapshot made by frame.f_locals or locals() would overwrite the variable after a Python tracer has run. */
static void frame_update_snapshot(struct py_frame *f, const char *name, PyObject *value)
{
	PyObject *names = (PyObject *)py_frame_names(f);

	if (names && PyDict_CheckExact(names) && PyDict_SetItemString(names, name, value) < 0)
		PyErr_Clear();
}

int frame_set_local(struct py_frame *f, const char *name, struct py_obj *value, struct err *err)
{
	struct code *c = frame_code(f);
	bool mapped = !(frame_object_code(f)->co_flags & CO_OPTIMIZED);
	PyObject *names = (PyObject *)py_frame_names(f), *v, *key;
	int i, ret;

	if (!py_frame_alive(f))
		return err_set(err, "cannot set '%s': its frame has exited", name);
	for (i = 0; i < code_nlocals(c); i++) {
		if (strcmp(code_local_name(c, i), name))
			continue;
		v = (PyObject *)py_frame_local(f, i);
		if (v && code_local_kind(c, i) != LOCAL_FAST && PyCell_Check(v))
			PyCell_Set(v, (PyObject *)value);
		else if (py_frame_set_local(f, i, value) < 0)
			return err_from_python(err, NULL);
		if (!mapped)
			frame_update_snapshot(f, name, (PyObject *)value);
		return 0;
	}
	if (!mapped || !names)
		return err_set(err, "no local '%s' in %s", name, code_name(c));
	key = PyUnicode_InternFromString(name);
	ret = key ? PyObject_SetItem(names, key, (PyObject *)value) : -1;
	Py_XDECREF(key);
	return ret < 0 ? err_from_python(err, NULL) : 0;
}

struct py_obj *frame_locals_dict(struct py_frame *f)
{
	PyCodeObject *co = frame_object_code(f);
	PyObject *names = (PyObject *)py_frame_names(f), *v;
	PyObject *d = PyDict_New();
	int i;

	if (d && !(co->co_flags & CO_OPTIMIZED) && names && PyDict_Update(d, names) < 0)
		goto fail;
	for (i = 0; d && i < co->co_nlocalsplus; i++) {
		v = (PyObject *)frame_local(f, i);
		if (v && PyDict_SetItem(d, PyTuple_GET_ITEM(co->co_localsplusnames, i), v) < 0)
			goto fail;
	}
	return (struct py_obj *)d;
fail:
	PyErr_Clear();
	Py_DECREF(d);
	return NULL;
}

struct py_obj *frame_globals(struct py_frame *f)
{
	PyObject *globals = PyFrame_GetGlobals((PyFrameObject *)f);

	Py_DECREF(globals); /* the function of the frame keeps it alive */
	return (struct py_obj *)globals;
}
