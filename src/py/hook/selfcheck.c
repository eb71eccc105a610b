/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks every instruction of every frame: static depth against the saved one, slots readable.  Knows no engine. */
#include <Python.h>
#include <stdlib.h>
#include "base/buf.h"
#include "py/hook/selfcheck.h"
#include "py/hook/selfcheck_record.h"

#define SHOWN 20 /* mistakes that are reported one by one */

static unsigned long long instructions, unsaved, wrong, slots, bad;

bool selfcheck_wanted(void)
{
	static int wanted = -1; /* each stop asks */
	const char *v;

	if (wanted < 0) {
		v = getenv("CDBG_SELFCHECK");
		wanted = v && *v && strcmp(v, "0");
	}
	return wanted;
}

static bool readable(PyObject *o)
{
	PyTypeObject *type;

	if (((uintptr_t)o & 7) || (uintptr_t)o < 4096 || Py_REFCNT(o) <= 0)
		return false;
	type = Py_TYPE(o);
	return type && !((uintptr_t)type & 7) && PyType_HasFeature(Py_TYPE(type), Py_TPFLAGS_TYPE_SUBCLASS);
}

static void report_mistake(struct code *c, int index, const char *what, int a, int b)
{
	fprintf(stderr, "selfcheck: %s in %s %s offset %d: %d, %d\n", what, code_file(c), code_name(c),
		c->instr[index].offset, a, b);
}

static bool selfcheck_instr(struct hook_thread *t, struct py_frame *f, struct code *c, int index)
{
	int saved = py_saves_depth ? py_frame_saved_depth(f) : -1, depth = c->instr[index].depth, i;
	struct py_obj *o;
	bool tagged;
	long number;

	selfcheck_record_instr(t, f, c, index, saved < 0 ? depth : saved);
	instructions++;
	if (saved < 0) {
		unsaved++;
		saved = depth;
	} else if (saved != depth && wrong++ < SHOWN)
		report_mistake(c, index, "depth static, saved", depth, saved);
	for (i = 0; i < saved; i++) {
		o = py_frame_slot(f, i, &tagged, &number);
		slots++;
		if (o && !tagged && !readable((PyObject *)o) && bad++ < SHOWN)
			report_mistake(c, index, "slot of", i, saved);
	}
	return false;
}

static unsigned check_enter(struct hook_thread *t, struct code *c)
{
	(void)t;
	(void)c;
	return HOOK_EVERY | HOOK_CALLS;
}

static void check_leave(struct hook_thread *t, struct py_frame *f, struct code *c, enum hook_how how,
			struct py_obj *value)
{
	(void)value;
	selfcheck_record_leave(t, f, c, how);
}

/* Asked for with the end of frames. */
static void check_raise(struct hook_thread *t, struct py_frame *f, struct code *c, struct py_obj *type,
			struct py_obj *value, struct py_obj *tb)
{
	(void)t;
	(void)f;
	(void)c;
	(void)type;
	(void)value;
	(void)tb;
}

static const struct hook_sink sink = {
	.instr = selfcheck_instr, .enter = check_enter, .leave = check_leave, .raise = check_raise
};

int selfcheck_start(struct err *err)
{
	if (selfcheck_record_start(err) < 0 || hook_start(&sink, err) < 0)
		return -1;
	hook_into_all(true);
	hook_place(true, true, true);
	return 0;
}

bool selfcheck_report(struct buf *out)
{
	buf_addf(out, "selfcheck: %llu instructions, %llu depths wrong, %llu not saved, %llu slots, %llu bad",
		 instructions, wrong, unsaved, slots, bad);
	return selfcheck_record_report(out) && !wrong && !bad && instructions;
}
