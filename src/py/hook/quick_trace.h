/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: the common way of an activation with a breakpoint ahead: when it begins it waits for a call, then for
   a line, and then it rests.  What runs once in a compiled call costs what it touches, more than what it does; so this
   does at once what reach_trace.c and await_trace.c do in general.  False, or NULL: it is not such a one, and nothing
   has changed. */
#ifndef CDBG_QUICK_TRACE_H
#define CDBG_QUICK_TRACE_H
#include <internal/pycore_dict.h>
#include <internal/pycore_frame.h>
#include "base/buf.h"
#include "py/hook/reach_trace.h"

static inline struct act *act_new(struct hook_state *st, Frame *f)
{
	struct act *a = st->spare, **bucket = act_bucket(st, f);

	if (a)
		st->spare = a->next;
	else
		a = mem_alloc(sizeof(*a));
	*a = (struct act){ .next = *bucket, .f = f, .outer = st->ts->cframe };
	*bucket = a;
	st->acts++;
	return a;
}

static inline void act_end(struct hook_state *st, struct act *a)
{
	struct act **p;

	for (p = act_bucket(st, a->f); *p != a; p = &(*p)->next)
		;
	*p = a->next;
	a->next = st->spare;
	st->spare = a;
	st->acts--;
}

/* may_rest() of reach_trace.c, of code that is known already. */
static inline struct reach *resting_reach(const struct hook_state *st, const struct code *c)
{
	struct reach *r = c->hook.own;

	return r && r->known && c->hook.armed == HOOK_FLAGGED && !st->running && !st->t->in_stop ? r : NULL;
}

/* The activation is about to begin, armed for its code alone: its record. */
static inline struct act *quick_begin(struct hook_state *st, Frame *f, struct code *c)
{
	struct reach *r = resting_reach(st, c);
	PyThreadState *ts = st->ts;
	struct act *a;

	if (!r || r->first < 0 || !r->version || ((PyDictObject *)f->f_globals)->ma_version_tag != r->version ||
	    ts->c_tracefunc || st->awaits || f->owner != FRAME_OWNED_BY_THREAD || _PyInterpreterFrame_LASTI(f) >= 0)
		return NULL;
	st->user = NULL;
	a = act_new(st, f);
	a->code = c;
	a->begun = true;
	a->rest = ACT_TO_CALL;
	a->call = r->ask[0].call;
	a->loaded = r->ask[0].at;
	a->depth = r->ask[0].depth;
	st->awaits = a;
	r->resting++;
	ts->cframe->use_tracing = ts->c_profilefunc ? LIVE_ON : 0;
	return a;
}

/* A function that the activation which waits has called has returned. */
static inline bool quick_returned(struct hook_state *st, bool sees)
{
	struct act *a = st->awaits;
	PyThreadState *ts = st->ts;
	_PyCFrame *cf = ts->cframe;
	const struct reach *r;
	int unit;

	if (!sees || !a || cf->current_frame != a->f || cf->previous != a->outer)
		return false;
	unit = _PyInterpreterFrame_LASTI(a->f);
	if (unit != a->call)
		return !a->loaded || await_expected(a);
	r = resting_reach(st, a->code);
	/* without a frame object, which CPython makes for the first event, it has lines */
	if (!r || r->ahead[unit] != REACH_LINE || a->f->frame_obj || a->fo || a->want || a->covered || st->lined ||
	    ts->c_tracefunc || ts->tracing)
		return false;
	a->rest = ACT_TO_LINE;
	st->awaits = NULL;
	st->lined = a;
	st->to_line++;
	st->hot = NULL; /* no event told that the activation began: its object may be where another one was */
	st->user = NULL;
	ts->c_tracefunc = live_tracefn;
	cf->use_tracing = LIVE_ON;
	return true;
}

/* The facts that each instruction of the current frame needs, found once. */
static inline void hot_set(struct hook_state *st, PyFrameObject *fo, struct code *c, unsigned own, struct reach *r)
{
	st->hot = fo;
	st->hot_code = c;
	st->hot_want = own;
	st->hot_serial = st->serial;
	st->hot_reach = r;
}

/* A line event of an activation that waits for it. */
static inline bool quick_line(struct hook_state *st, PyFrameObject *fo)
{
	struct act *a = st->lined;
	const _PyCFrame *cf = st->ts->cframe;
	enum reach_ahead ahead;
	struct reach *r;

	if (!a || a->f != fo->f_frame || cf->current_frame != a->f || cf->previous != a->outer || st->user)
		return false;
	r = resting_reach(st, a->code);
	if (!r || a->covered || a->opcodes.ours || a->opcodes.lent)
		return false;
	ahead = r->ahead[_PyInterpreterFrame_LASTI(a->f)];
	if (ahead == REACH_LINE)
		return true;
	if (ahead == REACH_ASK)
		return false;
	st->lined = NULL;
	st->to_line--;
	if (ahead == REACH_NONE) {
		a->rest = ACT_RESTS;
		st->ts->c_tracefunc = NULL; /* and LeaveTracing clears use_tracing */
		return true;
	}
	a->rest = ACT_AWAKE; /* the event of this instruction follows */
	a->fo = fo;
	a->opcodes = (struct trace_flag){ .ours = true, .program = fo->f_trace_opcodes };
	fo->f_trace_opcodes = 1;
	r->resting--;
	hot_set(st, fo, a->code, 0, r);
	return true;
}

/* The event of an instruction of the hot frame, from which no flagged one can be reached. */
static inline bool quick_rest(struct hook_state *st, PyFrameObject *fo)
{
	struct reach *r = st->hot_reach;
	struct act *a;

	if (!r || r != resting_reach(st, st->hot_code) || st->user ||
	    r->ahead[_PyInterpreterFrame_LASTI(fo->f_frame)] != REACH_NONE)
		return false;
	a = act_find(st, fo->f_frame, st->ts->cframe);
	if (!a || a->fo != fo || a->rest != ACT_AWAKE || a->want || a->covered || !a->opcodes.ours || a->opcodes.lent)
		return false;
	a->rest = ACT_RESTS;
	a->opcodes.ours = false;
	fo->f_trace_opcodes = a->opcodes.program;
	r->resting++;
	st->hot = NULL;
	st->ts->c_tracefunc = NULL; /* and LeaveTracing clears use_tracing */
	return true;
}

/* The activation of quick_begin() has ended.  False: the caller's tracing state is to be computed. */
static inline bool quick_end(struct hook_state *st, struct act *a)
{
	PyThreadState *ts = st->ts;

	if (a->rest == ACT_RESTS)
		((struct reach *)a->code->hook.own)->resting--;
	else
		reach_ended(st, a);
	act_end(st, a);
	if (st->acts || st->running || st->awaits || ts->c_tracefunc || ts->tracing)
		return false;
	st->user = NULL;
	ts->cframe->use_tracing = ts->c_profilefunc ? LIVE_ON : 0;
	return true;
}

#endif
