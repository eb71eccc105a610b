/* SPDX-License-Identifier: BSD-3-Clause */
/* Step plans: where a step, next, finish or until must stop, thread by thread.  Knows no command and no terminal, and
   stops nothing itself: dispatch.c asks. */
#include "engine/step.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "engine/doing.h"
#include "engine/option.h"
#include "engine/plug.h"
#include "engine/python_lines.h"
#include "engine/session.h"
#include "event/event_table.h"

enum plan_type { PLAN_STEP, PLAN_FINISH, PLAN_UNTIL, PLAN_START, PLAN_HERE };

struct plan {
	enum plan_type type;
	enum step_unit unit;
	bool over;
	long count;
	struct py_frame *frame; /* owned; NULL: the next frame that is shown */
	/* Where a step by line began: its line, or the region that holds it (end 0: none); the last index seen. */
	int line, start, end, last;
	bool by_python;	  /* generated code is stepped by the lines of its decompiled source */
	int python_line;  /* where it began; -1: not asked for yet */
	struct places to; /* PLAN_UNTIL: flagged CODE_TEMP */
	bool this_frame;
	struct py_code *co;	       /* PLAN_START: owned */
	const struct event_kind *kind; /* PLAN_START, PLAN_HERE */
};

/* ---- plans come and go ----------------------------------------------------------------------------- */

static void flag_places(struct places *p, bool on)
{
	struct code *c;
	int i, unit;

	for (i = 0; i < p->n; i++) {
		c = p->place[i].code;
		unit = code_unit(c, code_event_index(c, p->place[i].index));
		if (on == !!(c->flags[unit] & CODE_TEMP))
			continue;
		c->flags[unit] ^= CODE_TEMP;
		c->temps += on ? 1 : -1;
		hook_flags_changed(c);
		hook_code(c, c->hook.armed);
	}
}

static struct plan *spare; /* owned: each step takes one */

static void plan_free(struct hook_thread *t)
{
	struct plan *p = t->plan;

	if (!p)
		return;
	t->plan = NULL;
	t->stepping = 0;
	t->into = hook_into_wanted();
	flag_places(&p->to, false);
	places_release(&p->to);
	py_unref_later(p->frame);
	py_unref_later(p->co);
	if (spare)
		free(p);
	else
		spare = p;
	hook_unstep(t);
}

static struct plan *plan_new(struct session *s, struct hook_thread *t, enum plan_type type)
{
	struct plan *p;

	plan_free(t);
	p = spare ? spare : mem_raw(sizeof(*p));
	spare = NULL;
	*p = (struct plan){ .type = type, .count = 1, .by_python = option_is(s, "step-mode", "python") };
	t->plan = p;
	return p;
}

/* Make the plan follow this frame (NULL: the next frame that is shown). */
static void plan_follow(struct plan *p, struct py_frame *f)
{
	struct err err;

	py_unref_later(p->frame);
	p->frame = NULL;
	if (f && hook_frame(f, HOOK_STEP, &err) == 0)
		p->frame = py_ref(f);
}

static void plan_origin(struct session *s, struct plan *p, struct code *c, int index)
{
	const struct region *r;

	p->line = stack_line(s, c, index);
	p->end = 0;
	p->last = index;
	p->python_line = -1;
	if (stack_kind(s, c) != KIND_GENERATED)
		return;
	r = plug_region(s, c, index);
	if (r && r->kind != REGION_ORIGINAL) { /* the copied original is stepped by lines */
		p->start = r->start;
		p->end = r->end;
	}
}

static void plan_go(struct session *s, struct hook_thread *t, struct plan *p)
{
	t->stepping = 1;
	if (p->type == PLAN_START || (p->type == PLAN_STEP && !p->over) || !p->frame)
		t->into = 1;
	s->resume = RESUME_GO;
}

bool step_any(const struct session *s)
{
	struct hook_thread *t;

	(void)s;
	for (t = hook_thread_first(); t && !t->plan; t = t->next)
		;
	return t != NULL;
}

void step_stopped(struct session *s, struct hook_thread *t)
{
	(void)s;
	plan_free(t);
}

void step_release(struct session *s)
{
	struct hook_thread *t;

	(void)s;
	for (t = hook_thread_first(); t; t = t->next)
		plan_free(t);
	free(spare);
	spare = NULL;
	python_lines_release();
}

/* ---- what the commands ask for --------------------------------------------------------------------- */

static int check_stopped(struct session *s, struct err *err)
{
	if (s->exited)
		return err_set(err, "the program has ended: 'restart' runs it again");
	if (!s->thread)
		return err_set(err, "the program is not stopped");
	if (s->event->dead)
		return err_set(err, "the exception has ended the program's frames: 'continue' ends the program, "
				    "'restart' runs it again");
	if (doing_waits() && s->viewed == s->thread)
		return err_set(err,
			       "the thread %s, so it cannot step: 'continue' leaves it there, a breakpoint behind "
			       "that call stops it",
			       doing_waits());
	if (!hook_thread_alive(s->viewed))
		return err_set(err, "thread %d has ended: 'thread %d' selects the one that stopped", s->viewed->number,
			       s->thread->number);
	return hook_able(err);
}

static int step_lines(struct session *s, enum step_unit unit, bool over, long count)
{
	struct frame *f = stack_frame(&s->stack, s, 0), *caller;
	struct py_frame *outer;
	struct plan *p;

	p = plan_new(s, s->viewed, PLAN_STEP);
	p->unit = unit;
	p->over = over;
	p->count = count;
	if (f && f->fo && (stack_shown(s, f->code) || f->at_event)) {
		plan_follow(p, f->fo);
		plan_origin(s, p, f->code, f->index);
	} else { /* compiling, or inside library code */
		p->over = false;
		outer = f && f->fo ? stack_outer(s, f->fo) : NULL;
		caller = f && !f->fo ? stack_frame(&s->stack, s, 1) : NULL;
		if (caller)
			outer = py_ref(caller->fo);
		if (outer) {
			plan_follow(p, outer);
			plan_origin(s, p, frame_code(outer), frame_index(outer));
		}
		py_unref(outer);
	}
	plan_go(s, s->viewed, p);
	return 0;
}

/* A step begins: graphs are shown further only if it begins in one. */
static void leave_graphs(struct session *s)
{
	const struct frame *f = stack_frame(&s->stack, s, 0);

	if (!f || f->kind != KIND_GRAPH)
		s->graphs_shown = false;
}

int step_graph(struct session *s, long count, struct err *err)
{
	if (check_stopped(s, err) < 0)
		return -1;
	s->graphs_shown = true;
	return step_lines(s, STEP_LINE, false, count);
}

int step_by(struct session *s, enum step_unit unit, bool over, long count, struct err *err)
{
	if (check_stopped(s, err) < 0)
		return -1;
	leave_graphs(s);
	if (option_is(s, "step-mode", "instruction"))
		unit = STEP_INSTR;
	return step_lines(s, unit, over, count);
}

int step_finish(struct session *s, struct err *err)
{
	struct frame *f;
	struct plan *p;

	f = check_stopped(s, err) < 0 ? NULL : session_frame(s, err);
	if (!f)
		return -1;
	if (!f->fo)
		return err_set(err, "cannot finish a function that is being compiled: "
				    "use 'continue', or 'stepi' to stop in the generated code");
	code_decode(f->code);
	if (f->level == 0 && f->at_event && (f->code->instr[f->index].flags & INSTR_RETURN))
		return step_by(s, STEP_INSTR, true, 1, err);
	p = plan_new(s, s->viewed, PLAN_FINISH);
	plan_follow(p, f->fo);
	plan_go(s, s->viewed, p);
	return 0;
}

int step_until(struct session *s, struct places *to, bool this_frame, struct err *err)
{
	struct frame *f;
	struct plan *p;
	int i;

	f = check_stopped(s, err) < 0 ? NULL : session_frame(s, err);
	if (!f)
		return -1;
	if (!f->fo)
		return step_by(s, STEP_LINE, true, 1, err);
	p = plan_new(s, s->viewed, PLAN_UNTIL);
	p->this_frame = this_frame;
	plan_follow(p, f->fo);
	plan_origin(s, p, f->code, f->index);
	for (i = 0; to && i < to->n; i++)
		places_add(&p->to, to->place[i].code, to->place[i].index, to->place[i].line, NULL);
	flag_places(&p->to, true);
	plan_go(s, s->viewed, p);
	return 0;
}

int step_continue(struct session *s, struct err *err)
{
	if (!s->thread)
		return check_stopped(s, err);
	s->resume = RESUME_GO;
	return 0;
}

/* A stop that the program itself asked for. */
static void go_to_stop(struct session *s, struct hook_thread *t, struct plan *p)
{
	struct err err;

	if (hook_able(&err) < 0)
		session_note(s, NOTE_WARNING, "%s", err.text);
	plan_go(s, t, p);
	s->resume = RESUME_NONE;
	hook_step(true);
}

void step_to_start(struct session *s, struct hook_thread *t, struct py_code *co)
{
	struct plan *p = plan_new(s, t, PLAN_START);

	p->co = py_ref(co);
	p->kind = &ev_start;
	go_to_stop(s, t, p);
}

void step_to_next(struct session *s, struct hook_thread *t, struct py_frame *f, const struct event_kind *kind)
{
	struct plan *p = plan_new(s, t, PLAN_HERE);

	p->kind = kind;
	plan_follow(p, f);
	go_to_stop(s, t, p);
}

/* ---- the hooks' questions --------------------------------------------------------------------------- */

/* Has a loop begun another iteration?  As in CPython, polling an awaitable is not a loop of the user. */
static bool went_back(const struct plan *p, const struct code *c, int index)
{
	return index <= p->last && strcmp(py_op_name(c->instr[p->last].op), "JUMP_BACKWARD_NO_INTERRUPT");
}

/* Has a step by lines of the decompiled source reached another one?  Its lines are asked for here, not where the step
   begins: it may begin while an exception is on its way. */
static bool new_python_line(struct session *s, struct plan *p, struct code *c, int index)
{
	bool back = p->last < c->n && went_back(p, c, index);
	int line;

	if (p->python_line < 0)
		p->python_line = python_line(s, c, p->last);
	p->last = index;
	line = python_line(s, c, index);
	if (!line || (line == p->python_line && !back))
		return false;
	return p->type != PLAN_UNTIL || line > p->python_line;
}

/* Has a step by line reached another line or region? */
static bool new_line(struct session *s, struct plan *p, struct code *c, int index)
{
	int line = c->instr[index].line, before = p->last >= 0 && p->last < c->n ? c->instr[p->last].line : 0;
	bool back = p->last < c->n && went_back(p, c, index);

	if (p->by_python && stack_kind(s, c) == KIND_GENERATED)
		return new_python_line(s, p, c, index);
	p->last = index;
	if (p->end) {
		if (index < p->start || index >= p->end)
			return true;
		return back && index == p->start;
	}
	if (stack_kind(s, c) == KIND_GENERATED) {
		const struct region *r = plug_region(s, c, index);

		if (r && r->kind != REGION_ORIGINAL)
			return true;
	}
	return line && (line != before || back); /* as CPython's own line events */
}

/* In a graph a step by lines ends at a line that computes something, a node or a kernel call; the lines before the
   first one only take the arguments apart. */
static const struct event_kind *graph_step(struct session *s, struct plan *p, struct py_frame *f, struct code *c,
					   int index)
{
	if (f != p->frame) {
		if ((p->over && p->frame) || plug_traced(s, c) > 0)
			return NULL;
		plan_follow(p, f);
		plan_origin(s, p, c, index);
	} else if ((c->instr[index].flags & INSTR_RETURN) && index != p->last) {
		plug_graph_line(s, f, c, index);
		return &ev_return;
	}
	if (!new_line(s, p, c, index))
		return NULL;
	return plug_graph_line(s, f, c, index) ? &ev_step : NULL;
}

/* Another instruction of the line that a step by lines is on: nearly all that a step sees. */
static bool on_its_line(struct session *s, const struct plan *p, const struct py_frame *f, struct code *c, int index)
{
	return p->type == PLAN_STEP && p->unit == STEP_LINE && f == p->frame && !p->end && index > p->last &&
	       p->last >= 0 && p->last < c->n && c->instr[index].line == c->instr[p->last].line &&
	       !(c->instr[index].flags & INSTR_RETURN) && stack_kind(s, c) != KIND_GENERATED;
}

/* The kind of stop if the plan ends here, else NULL. */
static const struct event_kind *plan_ends(struct session *s, struct plan *p, struct py_frame *f, struct code *c,
					  int index)
{
	bool its_frame = f == p->frame;
	bool returns = c->instr[index].flags & INSTR_RETURN;
	int i;

	switch (p->type) {
	case PLAN_START:
		return c->co == p->co ? p->kind : NULL;
	case PLAN_HERE:
		return its_frame ? p->kind : NULL;
	case PLAN_FINISH:
		return its_frame && returns ? &ev_return : NULL;
	case PLAN_UNTIL:
		for (i = 0; i < p->to.n; i++)
			if (p->to.place[i].code == c && code_event_index(c, p->to.place[i].index) == index &&
			    (its_frame || !p->this_frame))
				return &ev_step;
		if (!its_frame)
			return NULL;
		if (returns)
			return &ev_return;
		/* without an argument: a later line, never an earlier line of a loop */
		return !p->to.n && new_line(s, p, c, index) &&
				       ((p->by_python && stack_kind(s, c) == KIND_GENERATED) ||
					stack_line(s, c, index) > p->line || (p->end && index >= p->end)) ?
			       &ev_step :
			       NULL;
	case PLAN_STEP:
		if (p->unit == STEP_LINE && stack_kind(s, c) == KIND_GRAPH)
			return graph_step(s, p, f, c, index);
		if (!its_frame)
			return p->over && p->frame ? NULL : &ev_step;
		if (p->unit == STEP_INSTR)
			return &ev_step;
		if (returns && index != p->last)
			return &ev_return;
		return new_line(s, p, c, index) ? &ev_step : NULL;
	}
	return NULL;
}

const struct event_kind *step_check(struct session *s, struct hook_thread *t, struct py_frame *f, struct code *c,
				    int index)
{
	struct plan *p = t->plan;
	const struct event_kind *kind;

	if (on_its_line(s, p, f, c, index)) {
		p->last = index;
		return NULL;
	}
	kind = plan_ends(s, p, f, c, index);
	if (!kind) /* the usual case */
		return NULL;
	if (p->type != PLAN_STEP || kind != &ev_step || --p->count <= 0)
		return kind;
	if (f != p->frame)
		plan_follow(p, f);
	plan_origin(s, p, c, index);
	return NULL;
}

bool step_to_line(struct session *s, const struct hook_thread *t, const struct py_frame *f, struct code *c, int index)
{
	const struct plan *p = t->plan;

	/* graphs have no loop: it goes forwards, and ends with a return */
	return p->type == PLAN_STEP && p->unit == STEP_LINE && f == p->frame &&
	       !(c->instr[index].flags & INSTR_RETURNS) && stack_kind(s, c) == KIND_GRAPH;
}

void step_leave(struct session *s, struct hook_thread *t, struct py_frame *f, struct code *c, enum hook_how how)
{
	struct plan *p = t->plan;
	struct py_frame *outer;

	if (!p || f != p->frame || (how == HOOK_YIELD && p->type != PLAN_STEP))
		return;
	/* the awaiting frame is not a caller: next stops where the coroutine continues */
	if (how == HOOK_YIELD && p->over && code_is_coroutine(c))
		return;
	outer = stack_outer(s, f);
	plan_follow(p, outer);
	if (outer) {
		if (p->type == PLAN_FINISH || p->type == PLAN_UNTIL || p->type == PLAN_HERE) {
			p->type = PLAN_STEP; /* it was left by an exception, or at its end */
			p->unit = STEP_INSTR;
			p->over = true;
		}
		c = frame_code(outer);
		code_decode(c);
		plan_origin(s, p, c, frame_index(outer));
	} else
		t->into = 1;
	py_unref(outer);
	py_unref_waiting();
}

unsigned step_enter(struct session *s, struct hook_thread *t, struct code *c)
{
	struct plan *p = t->plan;

	if (p && p->type == PLAN_START)
		return c->co == p->co ? HOOK_STEP : 0;
	if (!p || (p->frame && (p->type != PLAN_STEP || p->over)) || !stack_shown(s, c))
		return 0;
	return stack_kind(s, c) == KIND_GRAPH && plug_traced(s, c) > 0 ? 0 : HOOK_STEP;
}

bool step_starting(const struct hook_thread *t)
{
	const struct plan *p = t->plan;

	return p && p->type == PLAN_START;
}
