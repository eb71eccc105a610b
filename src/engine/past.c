/* SPDX-License-Identifier: BSD-3-Clause */
/* Going back in a record: see past.h.  Knows no command and no front end. */
#include "engine/past.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "engine/past_impl.h"
#include "engine/session.h"
#include "event/event_table.h"
#include "py/hook/hook.h"
#include "py/record/record_gone.h"
#include "py/record/record_read.h"
#include "py/record/recorder.h"

/* ---- reading ---------------------------------------------------------------------------------------------- */

/* The moments of the chunk that has this number. */
static bool load(struct past *p, uint64_t number)
{
	struct record_read r = p->read;
	const struct record_frame *top;
	enum record_event what;
	uint64_t chunk, next, ticks;

	r.frame = NULL;
	r.n = 0;
	r.cap = 0;
	p->n = 0;
	if (!record_read_before(&r, number))
		return false;
	chunk = r.at / r.chunk;
	p->from = r.number + 1;
	while ((what = record_read_next(&r)) != RECORD_READ_END && (r.at - 1) / r.chunk == chunk) {
		top = record_read_top(&r);
		if (what != RECORD_READ_INSTR || !top)
			continue;
		p->moment = mem_grow(p->moment, &p->cap, p->n + 1, sizeof(*p->moment));
		p->moment[p->n++] = (struct past_moment){
			.serial = top->serial, .code = top->code, .unit = top->unit, .level = r.n
		};
	}
	record_read_release(&r);
	if (number >= p->from && number - p->from < p->n)
		return true;
	/* a damaged chunk: it is not read again for each of its numbers */
	p->lack = p->from + p->n;
	p->lack_end = p->end;
	for (chunk = (chunk + 1) * r.chunk; chunk < r.head; chunk += r.chunk)
		if (record_read_number(&r, chunk, &next, &ticks)) {
			p->lack_end = next;
			break;
		}
	return false;
}

bool past_moment(struct past *p, uint64_t number, struct past_moment *out)
{
	if (number < p->first || number >= p->end || (number >= p->lack && number < p->lack_end))
		return false;
	if ((number < p->from || number - p->from >= p->n) && !load(p, number))
		return false;
	*out = p->moment[number - p->from];
	return true;
}

static int by_serial(const void *a, const void *b)
{
	const struct past_call *x = a, *y = b;

	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

/* The chunks tell of frames that began before them again. */
static void read_calls(struct past *p)
{
	struct record_read r = p->read;
	const struct record_frame *top;
	enum record_event what;
	size_t i, n = 0;

	r.frame = NULL;
	r.n = 0;
	r.cap = 0;
	if (p->call || !record_read_before(&r, p->first))
		return;
	while ((what = record_read_next(&r)) != RECORD_READ_END) {
		top = record_read_top(&r);
		if (what != RECORD_READ_BEGIN || !top)
			continue;
		p->call = mem_grow(p->call, &p->calls_cap, p->ncalls + 1, sizeof(*p->call));
		p->call[p->ncalls++] = (struct past_call){ top->serial, top->code };
	}
	record_read_release(&r);
	if (p->ncalls)
		qsort(p->call, p->ncalls, sizeof(*p->call), by_serial);
	for (i = 0; i < p->ncalls; i++)
		if (!n || p->call[i].serial != p->call[n - 1].serial)
			p->call[n++] = p->call[i];
	p->ncalls = n;
}

/* Is the last instruction of the record the one that the present is before? */
static uint64_t present_number(struct session *s, struct past *p)
{
	const struct frame *f = stack_frame(&s->stack, s, 0);
	const struct record_code *c;
	struct past_moment last;

	if (s->gone)
		return p->end - 1;
	if (!f || !f->code || !f->at_event || f->index < 0 || !past_moment(p, p->end - 1, &last))
		return p->end;
	c = record_code_at(last.code);
	return c && f->code->hook.record == c && last.unit == (uint32_t)code_unit(f->code, f->index) ? p->end - 1 :
												       p->end;
}

struct past *past_open(struct session *s, struct err *err)
{
	struct past *p = s->past;

	if (p)
		return p;
	if (!s->thread || s->viewed != s->thread) {
		err_set(err,
			s->thread ? "only the thread that stopped can go back: 'thread %d' selects it" :
				    "the program is not stopped",
			s->thread ? s->thread->number : 0);
		return NULL;
	}
	p = mem_alloc(sizeof(*p));
	if (s->gone) {
		p->read = record_gone_reader(record_gone_ring(s->gone_ring));
	} else if (!record_reader(&s->thread->record, &p->read)) {
		free(p);
		err_set(err, record_on() ? "nothing of this thread is recorded yet ('info record')" :
					   "nothing is recorded: 'record' begins");
		return NULL;
	}
	if (!record_read_range(&p->read, &p->first, &p->end)) {
		record_read_release(&p->read);
		free(p);
		err_set(err, "the record of this thread is empty");
		return NULL;
	}
	p->end_ticks = p->read.ticks;
	p->now = p->at = present_number(s, p);
	return p;
}

bool past_present(struct session *s, uint64_t *number)
{
	struct err err;
	struct past *p;

	if (!record_on() || !s->thread || s->viewed != s->thread || s->gone)
		return false;
	p = past_open(s, &err);
	*number = p ? p->now : 0;
	if (p && !s->past)
		past_free(p);
	return true;
}

void past_wrote(struct session *s)
{
	if (s->viewed && record_on())
		record_wrote(&s->viewed->record);
}

void past_free(struct past *p)
{
	record_read_release(&p->read);
	val_free(p->detail);
	free(p->moment);
	free(p->call);
	free(p->frame);
	free(p);
}

/* ---- going there ------------------------------------------------------------------------------------------ */

static void fill_frames(struct session *s, struct past *p)
{
	const struct record_frame *f;
	int i, n = 0;

	p->frame = mem_grow(p->frame, &p->frames_cap, (size_t)p->read.n + 1, sizeof(*p->frame));
	for (i = p->read.n - 1; i >= 0; i--) {
		f = &p->read.frame[i];
		if (record_code_at(f->code))
			p->frame[n++] = (struct past_frame){ record_code_at(f->code), f };
	}
	stack_fill_past(&s->stack, s, p->frame, n);
	s->selected = 0;
}

void past_drop(struct session *s)
{
	if (s->past)
		past_free(s->past);
	s->past = NULL;
	s->ago = 0;
}

int past_now(struct session *s, struct err *err)
{
	if (s->gone)
		return err_set(err, "there is no present: this is the record of a process that is gone");
	if (!s->past)
		return err_set(err, "this is the present");
	stack_clear(&s->stack); /* the stop reads the frames again before it is shown */
	past_drop(s);
	session_change_front(s);
	return 0;
}

void past_end(struct session *s)
{
	if (s->past && !s->gone)
		past_now(s, NULL);
}

/* Takes p, which is the session's from now on. */
int past_set(struct session *s, struct past *p, uint64_t number, struct err *err)
{
	const struct frame *f;

	if (number >= p->now && !s->gone) {
		if (s->past)
			return past_now(s, err);
		past_free(p);
		return err_set(err, "this is the present");
	}
	if (!record_read_to(&p->read, number)) {
		if (!s->past)
			past_free(p);
		return err_set(err, "the record is damaged there: instruction %llu cannot be read",
			       (unsigned long long)number);
	}
	s->past = p;
	p->at = number;
	s->ago = p->now - number;
	fill_frames(s, p);
	f = stack_frame(&s->stack, s, 0);
	p->event.thread = s->thread;
	p->event.code = f ? f->code : NULL;
	p->event.index = f ? f->index : -1;
	p->event.at_event = true;
	session_change_front(s);
	return 0;
}

int past_reader(struct session *s, struct record_read *out, uint64_t *first, uint64_t *at, struct err *err)
{
	struct past *p = past_open(s, err);

	if (!p)
		return -1;
	*out = p->read;
	out->frame = NULL;
	out->n = 0;
	out->cap = 0;
	*first = p->first;
	*at = p->at < p->end ? p->at : p->end - 1;
	if (!s->past)
		past_free(p);
	return 0;
}

/* ---- a process that is gone ------------------------------------------------------------------------------- */

int past_gone(struct session *s, struct err *err)
{
	const struct frame *f;
	struct past *p;

	stack_clear(&s->stack);
	past_drop(s);
	p = past_open(s, err);
	if (!p)
		return -1;
	p->event.kind = &ev_step;
	if (past_set(s, p, p->now, err) < 0)
		return -1;
	f = stack_frame(&s->stack, s, 0);
	if (record_gone_ring(s->gone_ring)->left)
		s->past->remark = "it ran, and its frame ended: the process went on in code that was not recorded";
	if (f && past_source_newer(s, f->file))
		s->past->remark = "its source was changed after the record was written: lines may have moved";
	if (record_gone_cut())
		s->past->remark = "the file was cut: the process may have run on after this instruction";
	return 0;
}

int past_gone_thread(struct session *s, int number, struct err *err)
{
	const struct record_gone_ring *ring;
	int i, was = s->gone_ring;

	for (i = 0; (ring = record_gone_ring(i)) && ring->thread != number; i++)
		;
	if (!ring)
		return err_set(err, "the record has no thread %d: 'info threads' lists them", number);
	s->gone_ring = i;
	if (past_gone(s, err) == 0)
		return 0;
	s->gone_ring = was;
	past_gone(s, NULL);
	return -1;
}

bool past_gone_at(int i, int *number, const struct record_code **code, uint32_t *unit)
{
	const struct record_gone_ring *ring = record_gone_ring(i);
	const struct record_frame *top;
	struct record_read r;
	uint64_t first, end;

	if (!ring)
		return false;
	r = record_gone_reader(ring);
	*number = ring->thread;
	*code = NULL;
	if (record_read_range(&r, &first, &end) && record_read_to(&r, end - 1) && (top = record_read_top(&r))) {
		*code = record_code_at(top->code);
		*unit = top->unit;
	}
	record_read_release(&r);
	return true;
}

bool past_source_newer(const struct session *s, const char *file)
{
	struct stat st;

	return s->gone && file && stat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_mtime > record_gone_written();
}

int past_thread(const struct session *s)
{
	const struct record_gone_ring *ring = s->gone ? record_gone_ring(s->gone_ring) : NULL;

	return ring ? ring->thread : s->viewed ? s->viewed->number : 0;
}

/* ---- saying so -------------------------------------------------------------------------------------------- */

const struct event *past_event(const struct session *s, const struct event *ev)
{
	return s->past ? &s->past->event : ev;
}

/* Which call of its code the innermost frame is, of those in the record; 0: it is not known. */
static size_t call_number(struct past *p)
{
	const struct record_frame *top = record_read_top(&p->read);
	size_t i, n = 0;

	read_calls(p);
	for (i = 0; top && i < p->ncalls && p->call[i].serial <= top->serial; i++)
		n += p->call[i].code == top->code;
	return n;
}

static const char *function_of(struct session *s)
{
	const struct frame *f = stack_frame(&s->stack, s, 0);

	return f && f->qualname ? f->qualname : "?";
}

void past_text(const struct session *s, struct buf *out)
{
	struct past *p = s->past;
	double seconds;

	if (!p)
		return;
	seconds = record_seconds(p->read.ticks, p->end_ticks);
	if (s->gone)
		buf_addf(out, "RECORD of process %u, which is gone: ", record_gone_pid());
	if (s->gone && !s->ago) {
		buf_addf(out, "its last instruction (call %zu of %s): read-only\n%s%s%s", call_number(p),
			 function_of((struct session *)s), p->remark ? "(" : "", p->remark ? p->remark : "",
			 p->remark ? ")\n" : "");
		return;
	}
	buf_addf(out, "%s-%llu instruction%s (call %zu of %s, ", s->gone ? "" : "PAST ", s->ago, s->ago == 1 ? "" : "s",
		 call_number(p), function_of((struct session *)s));
	if (seconds < 1e-3)
		buf_addf(out, "%.1f us", seconds * 1e6);
	else if (seconds < 1)
		buf_addf(out, "%.1f ms", seconds * 1e3);
	else
		buf_addf(out, "%.1f s", seconds);
	buf_adds(out, s->gone ? " before its last): read-only\n" : " ago): read-only, 'now' returns\n");
	if (p->remark)
		buf_addf(out, "(%s)\n", p->remark);
}

struct val *past_val(const struct session *s)
{
	struct val *v = val_map();

	val_put(v, "instructions", val_int(-(long long)s->ago));
	val_put(v, "number", val_int((long long)s->past->at));
	val_put(v, "call", val_int((long long)call_number(s->past)));
	val_put(v, "function", val_str(function_of((struct session *)s)));
	val_put(v, "seconds", val_real(record_seconds(s->past->read.ticks, s->past->end_ticks)));
	if (s->gone)
		val_put(v, "pid", val_int(record_gone_pid()));
	if (s->past->remark)
		val_put(v, "remark", val_str(s->past->remark));
	return v;
}
