/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks every instruction of every frame: static depth against the saved one, slots readable.  Knows no engine. */
#include <Python.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "py/code/code.h"
#include "py/hook/hook.h"
#include "py/hook/selfcheck.h"
#include "py/record/record_read.h"
#include "py/record/record_value.h"
#include "py/record/recorder.h"

#define SHOWN 20 /* mistakes that are reported one by one */

/* Part of the self-check: each instruction is recorded, and what the record says of the state before it, each variable
   and each slot, is compared with the frame; now and then from the beginning of a chunk.  CDBG_SELFCHECK=small: the
   rings are as small as they can be. */

enum { AGAIN = 997 /* instructions between two readings from the beginning of a chunk */ };

static struct {
	unsigned long long values, wrong, changed, unknown, instructions;
} recorded;

/* The reader that follows what a thread writes. */
static struct follower {
	struct follower *next;
	const struct hook_thread *t;
	struct record_read read;
} * followers;

static int selfcheck_record_start(struct err *err)
{
	const char *v = getenv("CDBG_SELFCHECK");
	struct record_setup setup = { .size = v && !strcmp(v, "small") ? RECORD_SMALLEST : 1 << 20, .values = true };

	return record_start(&setup, err);
}

static struct follower *follower_of(struct hook_thread *t)
{
	struct follower *f;
	struct record_read now;

	for (f = followers; f && f->t != t; f = f->next)
		;
	if (!f) {
		f = mem_alloc(sizeof(*f));
		f->t = t;
		f->next = followers;
		followers = f;
	}
	if (!record_reader(&t->record, &now))
		return NULL;
	if (f->read.words != now.words || f->read.head > now.head) { /* a new ring, or one that is used again */
		record_read_release(&f->read);
		f->read = now;
	}
	f->read.head = now.head;
	return f;
}

static void report(const struct code *c, int index, const char *what, const struct record_value *is,
		   const struct record_value *says)
{
	fprintf(stderr, "selfcheck: record of %s %s offset %d: %s is %llx %llx, the record says %llx %llx\n",
		code_file(c), code_qualname(c), c->instr[index].offset, what, (unsigned long long)is->head,
		(unsigned long long)is->payload, (unsigned long long)says->head, (unsigned long long)says->payload);
}

/* The state that was read, of the innermost frame, against the frame. */
static void compare(const struct record_read *r, struct py_frame *f, const struct code *c, int index, int depth)
{
	const struct record_frame *top = record_read_top(r);
	const uintptr_t *w = py_frame_words(f);
	struct record_value is;
	char what[32];
	uint32_t i;
	int same;

	if (!top || top->unit != (uint32_t)code_unit(c, index) ||
	    top->code != ((struct record_code *)c->hook.record)->item.id) {
		if (recorded.wrong++ < SHOWN)
			fprintf(stderr, "selfcheck: record of %s offset %d is at another place\n", code_qualname(c),
				c->instr[index].offset);
		return;
	}
	if (!top->known || (int)top->depth != depth) {
		recorded.unknown++;
		return;
	}
	for (i = 0; i < top->nlocals + top->depth; i++) {
		is = record_value_of(w[i]);
		same = record_value_same(&is, &top->values[i]);
		recorded.values++;
		recorded.changed += same < 0;
		if (same || recorded.wrong++ >= SHOWN)
			continue;
		snprintf(what, sizeof(what), "%s %u", i < top->nlocals ? "variable" : "slot",
			 i < top->nlocals ? i : i - top->nlocals);
		report(c, index, what, &is, &top->values[i]);
	}
}

static void selfcheck_record_instr(struct hook_thread *t, struct py_frame *f, struct code *c, int index, int depth)
{
	enum record_event what = RECORD_READ_END, last = RECORD_READ_END;
	struct record_read again;
	struct follower *own;

	record_instr(&t->record, t->number, py_frame_address(f), c, code_unit(c, index));
	own = c->hook.record ? follower_of(t) : NULL;
	if (!own) {
		recorded.unknown++;
		return;
	}
	while ((what = record_read_next(&own->read)) != RECORD_READ_END)
		last = what;
	if (last != RECORD_READ_INSTR || own->read.at != own->read.head) {
		if (recorded.wrong++ < SHOWN)
			fprintf(stderr, "selfcheck: the record cannot be read at %s offset %d\n", code_qualname(c),
				c->instr[index].offset);
		return;
	}
	compare(&own->read, f, c, index, depth);
	if (++recorded.instructions % AGAIN || !record_reader(&t->record, &again))
		return;
	if (record_read_to(&again, own->read.number))
		compare(&again, f, c, index, depth);
	else if (recorded.wrong++ < SHOWN)
		fprintf(stderr, "selfcheck: instruction %llu is not in the record\n",
			(unsigned long long)own->read.number);
	record_read_release(&again);
}

static void selfcheck_record_leave(struct hook_thread *t, struct py_frame *f, const struct code *c, int how)
{
	record_leave(&t->record, py_frame_address(f), c, how);
}

/* adds; true when nothing was wrong */
static bool selfcheck_record_report(struct buf *out)
{
	buf_addf(out, "; recorded: %llu values, %llu wrong, %llu changed since, %llu states unknown", recorded.values,
		 recorded.wrong, recorded.changed, recorded.unknown);
	return !recorded.wrong;
}

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
