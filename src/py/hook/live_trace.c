/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: arming activations that already run, in any thread, by writing tracing state into the thread's
   cframes.  State is computed from lists, never restored from saved values.  Mirrors what Python/ceval.c does with
   cframe.use_tracing: each dispatch ors it into the opcode, entry copies the caller's, exit copies it back. */
#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE
#include <Python.h>
#include <frameobject.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_code.h>
#undef Py_BUILD_CORE
#include "base/buf.h"
#include "base/err.h"
#include "py/hook/live_trace.h"
#include "py/hook/reach_trace.h"

#if PY_VERSION_HEX >> 16 != 0x030B
#error "live_trace.c is for CPython 3.11 only"
#endif

int live_suspended_total;

struct hook_state *live_state_new(struct hook_thread *t)
{
	struct hook_state *st = mem_alloc(sizeof(*st));

	st->t = t;
	st->ts = (PyThreadState *)t->ts;
	if (st->ts->c_tracefunc != live_tracefn)
		st->user = st->ts->c_tracefunc;
	return st;
}

static void free_acts(struct act *a)
{
	struct act *next;

	for (; a; a = next) {
		next = a->next;
		free(a);
	}
}

void live_state_free(struct hook_thread *t)
{
	int i;

	while (t->state->live)
		live_drop(t->state, t->state->live);
	free(t->state->spare_live);
	for (i = 0; i < ACT_BUCKETS; i++) /* of greenlets that never continued */
		free_acts(t->state->act[i]);
	free_acts(t->state->spare);
	free(t->state);
	t->state = NULL;
}

int live_user_on(const struct hook_state *st)
{
	return (st->user && st->user != live_tracefn) || st->ts->c_profilefunc ? LIVE_ON : 0;
}

void live_take(struct hook_state *st)
{
	if (st->ts->c_tracefunc != live_tracefn) {
		st->user = st->ts->c_tracefunc;
		st->ts->c_tracefunc = live_tracefn;
	}
}

void live_give(struct hook_state *st)
{
	if (st->ts->c_tracefunc == live_tracefn)
		st->ts->c_tracefunc = st->user;
	else
		st->user = st->ts->c_tracefunc;
}

struct live *live_find(struct hook_state *st, PyFrameObject *fo)
{
	struct live *l;

	for (l = st->live; l && l->fo != fo; l = l->next)
		;
	return l;
}

static bool is_running(struct hook_state *st, Frame *f)
{
	struct live *l;

	for (l = st->live; l; l = l->next)
		if (l->f == f && !l->suspended)
			return true;
	return false;
}

void live_apply(struct hook_state *st)
{
	PyThreadState *ts = st->ts;
	struct act *a;
	_PyCFrame *cf;
	Frame *f;
	int left = st->running, user;

	if (st->t->in_stop)
		return; /* leaving the stop calls again */
	if (st->user)
		reach_no_lines(st);
	if (left) {
		live_take(st);
		/* all inner ones too: on exit the eval loop copies its own over its caller's */
		for (cf = ts->cframe; cf && left; cf = cf->previous) {
			cf->use_tracing = LIVE_ON;
			for (f = cf->current_frame; f; f = f->previous) {
				left -= is_running(st, f);
				if (f->is_entry)
					break;
			}
		}
		if (ts->tracing)
			ts->cframe->use_tracing = 0; /* PyThreadState_LeaveTracing sets it */
		return;
	}
	if (act_on(act_of_cframe(st, ts->cframe)))
		live_take(st);
	else
		live_give(st);
	user = live_user_on(st);
	for (cf = ts->cframe; cf; cf = cf->previous) {
		a = act_of_cframe(st, cf);
		cf->use_tracing = (uint8_t)(act_on(a) ? LIVE_ON : user);
	}
	if (ts->tracing)
		ts->cframe->use_tracing = 0;
}

void trace_flag_need(PyFrameObject *fo, struct trace_flag *flag, bool need)
{
	if (flag->lent || flag->ours == need)
		return;
	if (need)
		flag->program = fo->f_trace_opcodes;
	fo->f_trace_opcodes = need ? 1 : flag->program;
	flag->ours = need;
}

/* Lines are left alone: a tracer that the program sets later inside this frame must find them on. */
static void flag_of_live(struct live *l)
{
	l->rests = false;
	trace_flag_need(l->fo, &l->opcodes, (live_want(l) & LIVE_INSTRUCTIONS) != 0);
}

void live_rest(struct live *l)
{
	trace_flag_need(l->fo, &l->opcodes, false);
	l->rests = true;
}

void live_wake(struct live *l)
{
	if (l->rests)
		flag_of_live(l);
}

void live_lend(struct hook_state *st, PyFrameObject *fo)
{
	struct live *l = live_find(st, fo);
	struct act *a = l ? NULL : act_for(st, fo);
	struct trace_flag *flag = l ? &l->opcodes : a ? &a->opcodes : NULL;

	if (!flag)
		return;
	trace_flag_need(fo, flag, false);
	flag->lent = true;
}

void live_unlend(struct hook_state *st, PyFrameObject *fo)
{
	struct live *l = live_find(st, fo); /* a record may have come or gone while the tracer ran */
	struct act *a = l ? NULL : act_for(st, fo);

	if (l) {
		l->opcodes.lent = false;
		flag_of_live(l);
	} else if (a) {
		a->opcodes.lent = false;
		trace_flag_need(fo, &a->opcodes, act_instructions(a));
	}
}

struct act *act_for(struct hook_state *st, PyFrameObject *fo)
{
	struct act *a;

	for (a = *act_bucket(st, fo->f_frame); a && a->fo != fo; a = a->next)
		;
	return a ? a : await_trace_of(st, fo);
}

struct live *live_add(struct hook_state *st, PyFrameObject *fo, unsigned own, unsigned by_code)
{
	struct live *l = st->spare_live ? st->spare_live : mem_raw(sizeof(*l));
	struct act *a = act_for(st, fo);

	st->spare_live = NULL;
	Py_INCREF(fo);
	*l = (struct live){ .fo = fo, .f = fo->f_frame, .own = own, .by_code = by_code };
	if (a) { /* its record has the flag from now on */
		reach_wake(st, a);
		l->opcodes = a->opcodes;
		a->opcodes = (struct trace_flag){ 0 };
	}
	flag_of_live(l);
	l->next = st->live;
	st->live = l;
	st->running++;
	st->serial++;
	return l;
}

void live_drop(struct hook_state *st, struct live *l)
{
	struct live **p;
	struct act *a;

	for (p = &st->live; *p; p = &(*p)->next)
		if (*p == l) {
			*p = l->next;
			break;
		}
	if (l->suspended)
		live_suspended_total--;
	else
		st->running--;
	a = act_for(st, l->fo);
	if (a) {
		a->opcodes = l->opcodes;
		trace_flag_need(l->fo, &a->opcodes, act_instructions(a));
	} else {
		l->opcodes.lent = false;
		trace_flag_need(l->fo, &l->opcodes, false);
	}
	st->serial++;
	py_unref_later(l->fo); /* callers walk the list; a frame that still runs has other references */
	if (st->spare_live)
		free(l);
	else
		st->spare_live = l; /* each step makes one */
}

void live_suspend(struct hook_state *st, struct live *l)
{
	if (l->suspended)
		return;
	l->suspended = true;
	live_suspended_total++;
	st->running--;
	st->serial++;
}

void live_resume(struct hook_state *st, struct live *l, unsigned own)
{
	l->own |= own;
	flag_of_live(l);
	l->suspended = false;
	live_suspended_total--;
	st->running++;
	st->serial++;
}

bool live_suspended(Frame *f)
{
	struct hook_thread *t;
	struct live *l;

	if (!live_suspended_total || f->owner != FRAME_OWNED_BY_GENERATOR)
		return false;
	for (t = hook_thread_first(); t; t = t->next)
		for (l = t->state->live; l; l = l->next)
			if (l->f == f && l->suspended)
				return true;
	return false;
}

void live_move(struct hook_state *st, Frame *f)
{
	struct hook_thread *t;
	struct live **p, *l;

	if (!live_suspended_total || f->owner != FRAME_OWNED_BY_GENERATOR)
		return;
	for (t = hook_thread_first(); t; t = t->next) {
		if (t->state == st)
			continue;
		for (p = &t->state->live; (l = *p); p = &l->next)
			if (l->f == f && l->suspended) {
				*p = l->next;
				l->next = st->live;
				st->live = l;
				return;
			}
	}
}

/* The thread on whose stack the frame is; NULL: on none. */
static PyThreadState *thread_with(Frame *wanted)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	Frame *f;

	for (; ts; ts = PyThreadState_Next(ts))
		for (f = ts->cframe->current_frame; f; f = f->previous)
			if (f == wanted)
				return ts;
	return NULL;
}

int live_arm_frame(PyFrameObject *fo, unsigned want, struct err *err)
{
	Frame *f = fo->f_frame;
	PyThreadState *ts;
	struct hook_state *st;
	struct live *l;
	bool sleeping;

	if (f->owner == FRAME_OWNED_BY_FRAME_OBJECT)
		return err_set(err, "cannot follow this frame: it has ended");
	ts = thread_with(f);
	sleeping = !ts;
	if (sleeping && f->owner != FRAME_OWNED_BY_GENERATOR)
		return err_set(err, "cannot follow this frame: it is on no thread's stack");
	st = hook_thread_of((struct py_thread *)(ts ? ts : PyThreadState_Get()))->state;
	l = live_find(st, fo);
	if (!l) {
		l = live_add(st, fo, want, 0);
		if (sleeping)
			live_suspend(st, l);
	} else {
		l->own |= want;
		flag_of_live(l);
		st->serial++;
	}
	live_apply(st);
	return 0;
}

void live_disarm_frame(PyFrameObject *fo)
{
	struct hook_thread *t;
	struct live *l;

	for (t = hook_thread_first(); t; t = t->next) {
		l = live_find(t->state, fo);
		if (l) {
			live_drop(t->state, l);
			live_apply(t->state);
		}
	}
}

/* CPython makes them only on the way out from the innermost. */
PyFrameObject *live_frame_object(PyThreadState *ts, Frame *f)
{
	PyFrameObject *fo = f->frame_obj ? NULL : PyThreadState_GetFrame(ts), *back;

	while (fo && !f->frame_obj) {
		back = PyFrame_GetBack(fo);
		Py_DECREF(fo);
		fo = back;
	}
	Py_XDECREF(fo);
	return f->frame_obj;
}

/* Creating frame objects may run the garbage collector and finalizers, and release the GIL: the frame could be
   freed. */
void live_arm_code(struct code *c, unsigned want)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	int collecting = PyGC_Disable();
	struct hook_state *st;
	struct live *l;
	PyFrameObject *fo;
	Frame *f;

	for (; ts; ts = PyThreadState_Next(ts)) {
		for (f = ts->cframe->current_frame; f; f = f->previous) {
			if (f->f_code != (PyCodeObject *)c->co || _PyFrame_IsIncomplete(f))
				continue;
			fo = live_frame_object(ts, f);
			if (!fo) {
				PyErr_Clear();
				continue;
			}
			st = hook_thread_of((struct py_thread *)ts)->state;
			l = live_find(st, fo);
			if (l) {
				l->by_code = want;
				flag_of_live(l);
				st->serial++;
			} else
				live_add(st, fo, 0, want);
			live_apply(st);
		}
	}
	if (collecting)
		PyGC_Enable();
}

/* Activations whose code is not armed any more: a tracer of the program gets no events of instructions that it did not
   ask for.  all: nothing is armed any more. */
static void give_flags(struct hook_state *st, bool all)
{
	struct act *a;
	int i;

	for (i = 0; st->acts && i < ACT_BUCKETS; i++)
		for (a = st->act[i]; a; a = a->next)
			if (a->fo && (all || !act_on(a)))
				trace_flag_need(a->fo, &a->opcodes, false);
}

/* Take `own` and `by_code` bits away from the records that are of this code (NULL: of any). */
static void unwant(struct hook_state *st, const void *code, unsigned own, unsigned by_code)
{
	struct live *l, *next;
	bool any = false;

	for (l = st->live; l; l = next) {
		next = l->next;
		if ((code && l->f->f_code != code) || !((l->own & own) | (l->by_code & by_code)))
			continue;
		any = true;
		l->own &= ~own;
		l->by_code &= ~by_code;
		st->serial++;
		if (!live_want(l)) {
			live_drop(st, l);
			continue;
		}
		flag_of_live(l);
	}
	if (by_code && hook_thread_alive(st->t)) /* the end of a step disarms no code */
		give_flags(st, !code);
	if ((any || st->acts) && hook_thread_alive(st->t))
		live_apply(st);
}

void live_disarm_code(struct code *c)
{
	struct hook_thread *t;

	for (t = hook_thread_first(); t; t = t->next)
		unwant(t->state, c->co, 0, ~0u);
}

void live_disarm_all(void)
{
	struct hook_thread *t;

	for (t = hook_thread_first(); t; t = t->next)
		unwant(t->state, NULL, ~0u, ~0u);
}

void hook_unhold(void)
{
	struct hook_thread *t;

	for (t = hook_thread_first(); t; t = t->next)
		unwant(t->state, NULL, HOOK_HOLD, 0);
}

void live_unstep(struct hook_state *st)
{
	unwant(st, NULL, HOOK_STEP, 0);
}
