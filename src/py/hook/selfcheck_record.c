/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares a record with the program, while it is made: see selfcheck_record.h. */
#include <Python.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "py/code/code.h"
#include "py/hook/selfcheck_record.h"
#include "py/record/recorder.h"
#include "py/record/record_read.h"
#include "py/record/record_value.h"

enum { SHOWN = 20, AGAIN = 997 /* instructions between two readings from the beginning of a chunk */ };

static unsigned long long values, wrong, changed, unknown, instructions;

/* The reader that follows what a thread writes. */
static struct follower {
	struct follower *next;
	const struct hook_thread *t;
	struct record_read read;
} * followers;

int selfcheck_record_start(struct err *err)
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
		if (wrong++ < SHOWN)
			fprintf(stderr, "selfcheck: record of %s offset %d is at another place\n", code_qualname(c),
				c->instr[index].offset);
		return;
	}
	if (!top->known || (int)top->depth != depth) {
		unknown++;
		return;
	}
	for (i = 0; i < top->nlocals + top->depth; i++) {
		is = record_value_of(w[i]);
		same = record_value_same(&is, &top->values[i]);
		values++;
		changed += same < 0;
		if (same || wrong++ >= SHOWN)
			continue;
		snprintf(what, sizeof(what), "%s %u", i < top->nlocals ? "variable" : "slot",
			 i < top->nlocals ? i : i - top->nlocals);
		report(c, index, what, &is, &top->values[i]);
	}
}

void selfcheck_record_instr(struct hook_thread *t, struct py_frame *f, struct code *c, int index, int depth)
{
	enum record_event what = RECORD_READ_END, last = RECORD_READ_END;
	struct record_read again;
	struct follower *own;

	record_instr(&t->record, t->number, py_frame_address(f), c, code_unit(c, index));
	own = c->hook.record ? follower_of(t) : NULL;
	if (!own) {
		unknown++;
		return;
	}
	while ((what = record_read_next(&own->read)) != RECORD_READ_END)
		last = what;
	if (last != RECORD_READ_INSTR || own->read.at != own->read.head) {
		if (wrong++ < SHOWN)
			fprintf(stderr, "selfcheck: the record cannot be read at %s offset %d\n", code_qualname(c),
				c->instr[index].offset);
		return;
	}
	compare(&own->read, f, c, index, depth);
	if (++instructions % AGAIN || !record_reader(&t->record, &again))
		return;
	if (record_read_to(&again, own->read.number))
		compare(&again, f, c, index, depth);
	else if (wrong++ < SHOWN)
		fprintf(stderr, "selfcheck: instruction %llu is not in the record\n",
			(unsigned long long)own->read.number);
	record_read_release(&again);
}

void selfcheck_record_leave(struct hook_thread *t, struct py_frame *f, const struct code *c, int how)
{
	record_leave(&t->record, py_frame_address(f), c, how);
}

bool selfcheck_record_report(struct buf *out)
{
	buf_addf(out, "; recorded: %llu values, %llu wrong, %llu changed since, %llu states unknown", values, wrong,
		 changed, unknown);
	return !wrong;
}
