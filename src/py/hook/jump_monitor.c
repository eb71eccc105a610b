/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.12 and later: a frame that was moved while stopped at an instruction event.  The interpreter has fetched
   that instruction and would run it: an exception of our own, with an exception table made for it, takes it to the
   new place, where the exception is dropped.  Other tools see it raised and handled once. */
#include <Python.h>
#include <opcode.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/code/code_impl.h"
#include "py/hook/live_monitor.h"

/* ---- tables ---------------------------------------------------------------------------------------- */

/* Six bits a byte, the highest first; `first` marks where an entry begins. */
static void add_signed_varint(struct buf *b, unsigned n, unsigned first)
{
	int shift = 30;

	while (shift && !(n >> shift))
		shift -= 6;
	for (; shift; shift -= 6, first = 0)
		buf_addc(b, (char)(first | 64 | (n >> shift & 63)));
	buf_addc(b, (char)(first | (n & 63)));
}

/* All of the code guarded by one handler. */
static PyObject *handler_table(const struct code *c, int target, int depth)
{
	struct buf b = { 0 };
	PyObject *table;

	add_signed_varint(&b, 0, 128);
	add_signed_varint(&b, (unsigned)c->units, 0);
	add_signed_varint(&b, (unsigned)target, 0);
	add_signed_varint(&b, (unsigned)depth << 1, 0);
	table = PyBytes_FromStringAndSize(buf_str(&b), (Py_ssize_t)b.len);
	buf_release(&b);
	return table;
}

static void add_line_entry(struct buf *b, int units, int delta)
{
	int n;

	for (; units > 0; units -= n, delta = 0) {
		n = units < 8 ? units : 8;
		buf_addc(b, (char)(0x80 | PY_CODE_LOCATION_INFO_NO_COLUMNS << 3 | (n - 1)));
		for (delta <<= 1; delta > 63; delta >>= 6)
			buf_addc(b, (char)(64 | (delta & 63)));
		buf_addc(b, (char)delta);
	}
}

/* The code in two lines; the second begins at unit.  Their distance is what CPython keeps in a byte when it compares
   with its guess from the offset (Python/instrumentation.c, compute_line_delta). */
static PyObject *two_line_table(const struct code *c, int unit)
{
	struct buf b = { 0 };
	PyObject *table;

	add_line_entry(&b, unit, 0);
	add_line_entry(&b, c->units - unit, (unit >> 4) + 1);
	table = PyBytes_FromStringAndSize(buf_str(&b), (Py_ssize_t)b.len);
	buf_release(&b);
	return table;
}

/* ---- the way ------------------------------------------------------------------------------------------ */

int hook_jump(struct py_frame *f, int unit, struct err *err)
{
	PyObject *name = py_saves_depth ? NULL : tools_monitor_line(frame_code(f)->co);
	const char *text = name ? PyUnicode_AsUTF8(name) : NULL;

	if (!name)
		return py_frame_jump(f, unit, err);
	PyErr_Clear();
	err_set(err, "cannot jump: '%s' watches the lines of this code and would get wrong ones; stop it first",
		text ? text : "another tool");
	Py_DECREF(name);
	return -1;
}

static PyObject *jump_exception(void)
{
	static PyObject *type;

	if (!type)
		type = PyErr_NewException("cdbg.Jump", PyExc_BaseException, NULL);
	if (!type)
		BUG("no memory for an exception");
	return type;
}

static int resume_unit(const struct code *c)
{
	int i;

	for (i = 0; i < c->n; i++)
		if (c->instr[i].op == RESUME)
			return code_unit(c, i);
	return 0;
}

void jump_monitor_leave(struct hook_thread *t, struct py_frame *f, struct code *c)
{
	struct hook_state *st = t->state;
	PyCodeObject *co = (PyCodeObject *)c->co;
	PyObject *table, *line;

	st->c = c;
	st->address = py_frame_address(f);
	st->unit = PyFrame_GetLasti((PyFrameObject *)f) / 2;
	st->depth = py_frame_saved_depth(f);
	st->full = st->depth >= co->co_stacksize;
	st->top = st->full ? py_frame_take_slot(f, st->depth - 1) : NULL;
	table = handler_table(c, st->unit, st->depth - st->full);
	line = py_saves_depth ? NULL : two_line_table(c, st->unit);
	if (!table || (!line && !py_saves_depth))
		BUG("no memory for a jump");
	live_land(live_mon(c), line);
	Py_XDECREF(line);
	st->handlers = co->co_exceptiontable;
	co->co_exceptiontable = table;
	py_frame_place(f, resume_unit(c)); /* else the line counts as the one that was there before */
	st->landing = LAND_RAISED;
	PyErr_SetNone(jump_exception());
}

/* The exception is on top of the stack, which the interpreter reads again after this event. */
static void drop_exception(struct hook_state *st, struct py_frame *f)
{
	PyCodeObject *co = (PyCodeObject *)st->c->co;

	Py_SETREF(co->co_exceptiontable, st->handlers);
	st->handlers = NULL;
	if (st->full) {
		py_frame_set_slot(f, st->depth - 1, st->top);
		py_unref(st->top);
		st->top = NULL;
	} else {
		py_frame_set_slot(f, st->depth, NULL);
		py_frame_save_depth(f, st->depth);
	}
	st->landing = LAND_DROPPED;
}

static bool is_its_frame(struct hook_thread *t)
{
	return py_thread_innermost(t->ts) == t->state->address;
}

void jump_monitor_line(struct hook_thread *t)
{
	if (t->state->landing == LAND_RAISED && is_its_frame(t))
		drop_exception(t->state, (struct py_frame *)PyEval_GetFrame());
}

bool jump_monitor_instr(struct hook_thread *t)
{
	struct hook_state *st = t->state;

	if (!is_its_frame(t))
		return false;
	if (st->landing == LAND_RAISED && py_saves_depth)
		drop_exception(st, (struct py_frame *)PyEval_GetFrame());
	if (st->landing != LAND_DROPPED)
		BUG("a jump did not land");
	st->landing = LAND_NONE;
	live_landed(live_mon(st->c));
	if (!hook_sink)
		live_stop();
	return true;
}
