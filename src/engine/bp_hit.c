/* SPDX-License-Identifier: BSD-3-Clause */
/* Which breakpoint or catchpoint stops at this armed instruction, or at this event?  Logpoints write what they have to
   say.  Knows no command and no front end. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "engine/arm.h"
#include "engine/bp.h"
#include "engine/missing_variable.h"
#include "engine/option.h"
#include "engine/session.h"
#include "py/interp/host.h"

static bool wants_stop(struct session *s, struct bp *b, struct hook_thread *t, const struct scope *sc, char **trouble)
{
	return !b->dead && bp_condition(s, b, t, sc, trouble) && !b->dead && bp_count(b);
}

/* The oldest breakpoint is reported; a temporary one that stops at the same time is deleted too. */
static struct bp *first_of(struct session *s, struct bp *found, struct bp *b)
{
	if (!found)
		return b;
	if (b->temporary)
		bp_delete(s, b);
	return found;
}

static struct bp *release_but(struct arm_found *held, struct bp *found)
{
	size_t i;

	for (i = 0; i < held->n; i++)
		if (!bp_drop(arm_found_at(held, i)) && found == arm_found_at(held, i))
			found = NULL;
	arm_found_release(held);
	return found;
}

/* ---- logpoints ------------------------------------------------------------------------------------------------ */

struct log_job {
	struct session *s;
	struct message *log;
	struct code *c;
	struct buf text;
};

static void log_explain(void *arg, struct err *err)
{
	const struct log_job *job = arg;

	missing_variable_explain(job->s, job->c, err);
}

static void write_log(void *arg, const struct scope *sc)
{
	struct log_job *job = arg;

	message_add(job->log, sc, (size_t)option_number(job->s, "repr-limit"), &job->text, log_explain, job);
	host_flush(); /* what the program printed before comes before it */
}

/* trouble: the condition failed; taken. */
static void log_hit(struct session *s, struct bp *b, struct hook_thread *t, const struct scope *sc, struct code *c,
		    int index, char *trouble)
{
	struct log_job job = { .s = s, .log = message_ref(b->log), .c = c };
	struct log_line line = { .number = b->number, .file = code_file(c), .line = bp_line_at(b, c, index) };

	if (trouble)
		buf_addf(&job.text, "<%s>", trouble);
	else
		bp_evaluate(s, t, sc, write_log, &job);
	line.text = buf_str(&job.text);
	if (!line.line)
		line.line = stack_line(s, c, index);
	session_log(s, &line);
	message_unref(job.log);
	buf_release(&job.text);
	free(trouble);
}

/* ---- breakpoints ------------------------------------------------------------------------------------------------ */

static bool event_happens(const struct bp *b, struct py_frame *f, struct code *c, int index)
{
	return b->type != BP_CATCH || !b->kind->happens || b->kind->happens(b->words, f, c, index);
}

struct bp *bp_hit(struct session *s, struct hook_thread *t, struct py_frame *f, struct code *c, int index,
		  char **trouble)
{
	struct scope sc = { .frame = f, .at_event = true };
	struct bp *b, *found = NULL;
	struct arm_found here; /* its array is not cleared at each hit */
	char *why;
	size_t i;

	here.many = NULL;
	here.n = here.cap = 0;
	arm_find(c, index, f, &here);
	/* A condition runs the program's code, which may let another thread delete breakpoints. */
	for (i = 0; i < here.n; i++)
		bp_hold(arm_found_at(&here, i));
	for (i = 0; i < here.n; i++) {
		b = arm_found_at(&here, i);
		why = NULL;
		if (!b->enabled || !event_happens(b, f, c, index))
			continue;
		if (!wants_stop(s, b, t, &sc, b->log ? &why : trouble))
			free(why);
		else if (b->log)
			log_hit(s, b, t, &sc, c, index, why);
		else
			found = first_of(s, found, b);
	}
	return release_but(&here, found);
}

static bool event_fits(const struct bp *b, const struct event *ev)
{
	const char *name = ev->top ? ev->top->function : ev->code ? code_name(ev->code) : "";

	if (b->kind != ev->kind || !b->enabled)
		return false;
	if (b->kind->matches)
		return b->kind->matches(ev, b->words);
	return !*b->words || !strcmp(b->words, name);
}

struct bp *bp_caught(struct session *s, struct event *ev, char **trouble)
{
	struct scope sc = { .frame = ev->frame, .at_event = ev->at_event };
	struct arm_found wants = { 0 };
	struct bp *b, *found = NULL;
	size_t i;

	if (ev->top) {
		sc.locals = ev->top->locals;
		sc.globals = ev->top->globals;
	}
	for (b = bp_first(s); b; b = b->next)
		if (b->type == BP_CATCH && event_fits(b, ev))
			arm_found_add(&wants, bp_hold(b));
	for (i = 0; i < wants.n; i++)
		if (wants_stop(s, arm_found_at(&wants, i), ev->thread, &sc, trouble))
			found = first_of(s, found, arm_found_at(&wants, i));
	found = release_but(&wants, found);
	if (found)
		ev->number = found->number;
	return found;
}
