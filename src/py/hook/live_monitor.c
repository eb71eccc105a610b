/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.12 and later: asks sys.monitoring for the events that armed code objects and activations need.  They are
   computed from lists, never restored.  Knows no tool id. */
#include <Python.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/hook/live_monitor.h"
#include "py/value/value.h"

static int global; /* events set for all code */
static struct mon *mons;
static int nlive, ncalls, nends; /* activations; those and code objects on HOOK_CALLS; code with ends */

/* Another tool begins: protects what is armed before that tool gets an event. */
static void other_came(void)
{
	struct mon *m;

	for (m = mons; m; m = m->next)
		live_update(m);
}

int live_start(struct err *err)
{
	return tools_monitor_start(other_came, err);
}

static void set_global(int events)
{
	if (events != global && (tools_monitor_ours() || (events && tools_monitor_take()))) {
		tools_monitor_set_all(events);
		global = events;
	}
}

/* ---- a code object's events ------------------------------------------------------------------------ */

static void set_listed(struct mon *m, bool in)
{
	if (in == (m->link != NULL))
		return;
	if (in) {
		m->next = mons;
		if (mons)
			mons->link = &m->next;
		m->link = &mons;
		mons = m;
	} else {
		*m->link = m->next;
		if (m->next)
			m->next->link = m->link;
		m->link = NULL;
	}
}

/* Its activations are gone: a frame keeps its code alive. */
static void live_code_gone(struct code *c)
{
	struct mon *m = c->hook.own;

	set_listed(m, false);
	live_code_changed(c->hook.armed, 0);
	free(m);
}

struct mon *live_mon(struct code *c)
{
	struct mon *m = c->hook.own;

	if (!m) {
		m = c->hook.own = mem_alloc(sizeof(*m));
		m->c = c;
		c->hook.gone = live_code_gone;
	}
	return m;
}

bool live_full(const struct mon *m)
{
	const struct live *l;

	if (m->c->hook.armed & (HOOK_EVERY | HOOK_STEP | HOOK_RECORD))
		return true;
	for (l = m->live; l; l = l->next)
		if (l->want & LIVE_INSTRUCTIONS)
			return true;
	return false;
}

/*
 * If a line event and an instruction event are at one place, and the only tool for the line answers with DISABLE,
 * CPython forgets the other (Python/instrumentation.c, de_instrument_line): with other tools present, line events are
 * requested too.
 */
static int events_for(const struct mon *m)
{
	unsigned want = m->c->hook.armed;
	const struct live *l;
	int events = 0;

	for (l = m->live; l; l = l->next)
		want |= l->want;
	if (want & LIVE_INSTRUCTIONS)
		events |= tool_event.instruction | (tools_monitor_others() ? tool_event.line : 0);
	if (want & HOOK_RECORD)
		events |= tool_event.ret | tool_event.yield;
	if (want & HOOK_CALLS)
		events |= tool_event.start | tool_event.resume | tool_event.ret | tool_event.yield;
	return events;
}

static void set_events(struct mon *m, int events)
{
	if (!tools_monitor_take()) { /* live_settle() tries again */
		set_listed(m, events);
		return;
	}
	if (events && !m->primed)
		m->primed = tools_monitor_prime(m->c->co);
	if (m->disabled)
		tools_monitor_set(m->c->co, 0);
	tools_monitor_set(m->c->co, events);
	m->disabled = false;
	m->events = events;
	set_listed(m, events);
}

void live_update(struct mon *m)
{
	int events = events_for(m);

	if ((events & ~m->events) || (m->disabled && live_full(m)))
		set_events(m, m->events | events);
}

/* Code with changed flags: instructions that were answered with DISABLE are needed now. */
void hook_flags_changed(struct code *c)
{
	struct mon *m = c->hook.own;

	if (m && m->disabled && m->events)
		set_events(m, m->events);
}

void live_land(struct mon *m, void *table)
{
	PyCodeObject *co = (PyCodeObject *)m->c->co;
	PyObject *own = co->co_linetable;
	int events = m->events | tool_event.instruction;

	m->disabled = true; /* the place that it jumps to may be */
	if (!table) {
		set_events(m, events);
		return;
	}
	if (m->events & tool_event.line)
		set_events(m, m->events & ~tool_event.line);
	m->forged = true;
	py_code_drop_lines(m->c->co);
	co->co_linetable = table;
	set_events(m, events | tool_event.line);
	co->co_linetable = own;
}

void live_landed(struct mon *m)
{
	int events = m->events & ~tool_event.line;

	if (m->forged) {
		set_events(m, events);
		py_code_drop_lines(m->c->co);
		m->forged = false;
	}
	set_events(m, events_for(m) | events);
}

/* ---- activations ------------------------------------------------------------------------------------- */

static void count_live(const struct live *l, int by)
{
	nlive += by;
	if (l->want & HOOK_CALLS)
		ncalls += by;
}

/* Move it from its list to the list of those that have ended. */
static void move_to_ended(struct live **p, struct live **over)
{
	struct live *l = *p;

	count_live(l, -1);
	*p = l->next;
	l->next = *over;
	*over = l;
}

/* Called when no list is being changed: freeing a frame can free its code, and with it activations and struct mon. */
static void release_ended(struct live *over)
{
	struct live *next;

	for (; over; over = next) {
		next = over->next;
		py_unref(over->frame);
		free(over);
	}
}

/* In a callback of the frame's end, so its locals die at their usual time. */
void live_drop(struct mon *m, struct live *l)
{
	struct live **p, *over = NULL;

	for (p = &m->live; *p != l; p = &(*p)->next)
		;
	move_to_ended(p, &over);
	release_ended(over);
}

/* The frame object of a frame that ended without an event (a freed generator) owns the frame, at another address. */
struct live *live_find(struct mon *m, uintptr_t address)
{
	struct live *l, *next;

	for (l = m->live; l; l = next) {
		next = l->next;
		if (l->address != address)
			continue;
		if (py_frame_address(l->frame) == address)
			return l;
		live_drop(m, l);
		next = m->live;
	}
	return NULL;
}

static void take_ended(struct mon *m, struct live **over)
{
	struct live **p = &m->live;

	while (*p)
		if (py_frame_alive((*p)->frame))
			p = &(*p)->next;
		else
			move_to_ended(p, over);
}

struct live *live_add(struct mon *m, struct py_frame *f, struct hook_thread *t, unsigned want)
{
	struct live *l = live_find(m, py_frame_address(f)), *over = NULL;

	if (l) {
		count_live(l, -1);
	} else {
		take_ended(m, &over);
		release_ended(over);
		l = mem_alloc(sizeof(*l));
		l->frame = py_ref(f);
		l->address = py_frame_address(f);
		l->next = m->live;
		m->live = l;
	}
	l->t = t;
	l->want |= want;
	count_live(l, 1);
	live_update(m);
	live_update_global();
	return l;
}

/* t: NULL for every thread's. */
static void take_unwanted(const struct hook_thread *t, unsigned keep, struct live **over)
{
	struct live **p;
	struct mon *m;

	for (m = mons; m; m = m->next)
		for (p = &m->live; *p;) {
			bool meant = !t || (*p)->t == t;

			if (meant && !((*p)->want & keep)) {
				move_to_ended(p, over);
				continue;
			}
			if (meant)
				(*p)->want &= keep;
			p = &(*p)->next;
		}
}

void live_unstep(struct hook_thread *t)
{
	struct live *over = NULL;

	take_unwanted(t, ~(unsigned)HOOK_STEP, &over);
	release_ended(over);
}

void hook_unhold(void)
{
	struct live *over = NULL;

	take_unwanted(NULL, ~(unsigned)HOOK_HOLD, &over);
	release_ended(over);
}

void live_state_free(struct hook_thread *t)
{
	struct live *over = NULL;

	take_unwanted(t, 0, &over);
	release_ended(over);
	free(t->state);
	t->state = NULL;
}

void live_code_changed(unsigned before, unsigned now)
{
	ncalls += !!(now & HOOK_CALLS) - !!(before & HOOK_CALLS);
	nends += !!(now & (HOOK_CALLS | HOOK_STEP | HOOK_RECORD)) - !!(before & (HOOK_CALLS | HOOK_STEP | HOOK_RECORD));
}

/* ---- all code ------------------------------------------------------------------------------------------ */

static bool into_wanted(void)
{
	struct hook_thread *t;

	if (!hook_sink)
		return false;
	for (t = hook_thread_first(); t; t = t->next)
		if (t->into)
			return true;
	return hook_into_default || hook_holding;
}

/* Events that cannot be requested for one code object: any frame begins, unwinds, or gets an exception. */
static int global_wanted(bool into)
{
	return (into ? tool_event.start | tool_event.resume : 0) | (nlive || nends ? tool_event.unwind : 0) |
	       (ncalls ? tool_event.raise : 0);
}

void live_update_global(void)
{
	struct hook_thread *t = hook_thread_self();
	int wanted = global_wanted(t->into || hook_into_default || hook_holding);

	if (wanted & ~global)
		set_global(global | wanted);
}

/* While a thread steps events stay, so that each step need not set them again; those that are not needed end by
   themselves, with DISABLE. */
void live_settle(bool stepping)
{
	int wanted = global_wanted(into_wanted()), events;
	struct live *over = NULL;
	struct mon *m, *next;

	if (stepping) /* except that of beginning frames, which is too slow for other Python code */
		wanted |= global & (tool_event.unwind | tool_event.raise);
	set_global(wanted);
	for (m = mons; m && !stepping; m = next) {
		next = m->next;
		take_ended(m, &over);
		events = events_for(m);
		if (events != m->events)
			set_events(m, events);
	}
	release_ended(over);
	if (!mons && !global)
		tools_monitor_give_back();
}

void live_stop(void)
{
	struct live *over = NULL;
	struct mon *m, *next;

	take_unwanted(NULL, 0, &over);
	for (m = mons; m; m = next) {
		next = m->next;
		set_events(m, 0);
	}
	set_global(0);
	tools_monitor_give_back();
	release_ended(over);
}

bool live_installed(void)
{
	return tools_monitor_ours() && (mons || (global & tool_event.start));
}
