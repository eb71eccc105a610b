/* SPDX-License-Identifier: BSD-3-Clause */
/* Two front ends as one: see beside.h.  What happens is shown by both; a command is answered where it was given. */
#include "ui/beside.h"
#include <stdatomic.h>
#include <stdlib.h>
#include "engine/bp.h"
#include "engine/session.h"

static struct {
	const struct front_ops *_Atomic own; /* the person's */
	const struct front_ops *other;	     /* NULL: none */
	atomic_bool asked;		     /* something waits for beside_serve() */
	bool turn;			     /* a command of the other one's client runs */
	bool changed;			     /* ... and may have changed what the person's shows */
	bool told;			     /* the other one knows of the stop that is shown next */
} both;

static const struct front_ops *own(void)
{
	return atomic_load(&both.own);
}

/* ---- what happens ----------------------------------------------------------------------------------------------- */

static void both_stopped(struct session *s, const struct event *ev)
{
	own()->stopped(s, ev);
	if (!both.told)
		both.other->stopped(s, ev);
	both.told = false;
}

static void both_exited(struct session *s, int status)
{
	own()->exited(s, status);
	if (!both.told)
		both.other->exited(s, status);
	both.told = false;
}

static void both_running(struct session *s)
{
	if (own()->running)
		own()->running(s);
	both.other->running(s);
}

static void both_served(struct session *s)
{
	if (own()->served)
		own()->served(s);
}

static void both_note(struct session *s, enum note_level level, const char *text)
{
	if (!both.turn)
		own()->note(s, level, text);
	both.other->note(s, level, text);
}

static void both_say(struct session *s, const char *text)
{
	if (!both.turn)
		own()->say(s, text);
	both.other->say(s, text);
}

static void both_log(struct session *s, const struct log_line *line)
{
	char *text;

	if (own()->log) {
		own()->log(s, line);
	} else {
		text = mem_fmt("%s\n", line->text);
		own()->say(s, text);
		free(text);
	}
	both.other->log(s, line);
}

/* A front end that shows lists of breakpoints makes them again; another one says it. */
static void tell_own(struct session *s, const struct bp *b, enum bp_news news)
{
	struct buf text = { 0 };

	buf_addf(&text, "the other client %s %s %d: ", news == BP_NEWS_GONE ? "deletes" : "sets", bp_type_name(b),
		 b->number);
	bp_where(s, b, &text);
	own()->say(s, buf_str(&text));
	buf_release(&text);
}

static void both_breakpoint(struct session *s, const struct bp *b, enum bp_news news)
{
	both.changed = true;
	if (both.turn && news != BP_NEWS_CHANGED && !own()->changed)
		tell_own(s, b, news);
	if (own()->breakpoint)
		own()->breakpoint(s, b, news);
	if (both.other->breakpoint)
		both.other->breakpoint(s, b, news);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static bool both_ready(struct session *s)
{
	return !own()->ready || own()->ready(s);
}

static char *both_read(struct session *s, enum input_end *end)
{
	*end = INPUT_CLEARED;
	return beside_serve(s) ? NULL : own()->read(s, end);
}

static void both_begin(struct session *s, bool typed)
{
	const struct front_ops *ops = both.turn ? both.other : own();

	if (ops->begin)
		ops->begin(s, typed);
}

static void both_ran(struct session *s, const struct ran *ran)
{
	if (both.turn) {
		both.changed = true;
		both.other->ran(s, ran);
		return;
	}
	own()->ran(s, ran);
	if (ran->typed && s->resume == RESUME_NONE && both.other->changed)
		both.other->changed(s);
}

static bool both_confirm(struct session *s, const char *question)
{
	const struct front_ops *ops = both.turn ? both.other : own();

	return !ops->confirm || ops->confirm(s, question);
}

/* In a visit, and at a stop. */
static void both_visit(struct session *s)
{
	both.turn = true;
	both.changed = false;
	both.other->visit(s);
	both.turn = false;
}

bool beside_asks(void)
{
	return atomic_load(&both.asked);
}

bool beside_serve(struct session *s)
{
	if (!both.other)
		return false;
	atomic_store(&both.asked, false);
	both_visit(s);
	if (both.changed && s->resume == RESUME_NONE && own()->changed)
		own()->changed(s);
	return s->resume != RESUME_NONE || s->front_changed;
}

/* ---- both ------------------------------------------------------------------------------------------------------- */

void beside_wake(void)
{
	atomic_store(&both.asked, true);
	if (own()->wake)
		own()->wake();
}

void beside_told(void)
{
	both.told = true;
}

void beside_add(const struct front_ops *other)
{
	both.other = other;
}

const struct front_ops *beside_with(const struct front_ops *ops)
{
	static struct front_ops pair;

	if (!both.other)
		return ops;
	atomic_store(&both.own, ops);
	pair = (struct front_ops){
		.name = ops->name,
		.no_child = both.other->no_child,
		.stopped = both_stopped,
		.exited = both_exited,
		.ready = both_ready,
		.read = both_read,
		.begin = both_begin,
		.ran = both_ran,
		.served = both_served,
		.running = both_running,
		.visit = both_visit,
		.note = both_note,
		.say = both_say,
		.log = both_log,
		.breakpoint = both_breakpoint,
		.confirm = both_confirm,
	};
	return &pair;
}

void beside_release(struct session *s)
{
	if (both.other && both.other->release)
		both.other->release(s);
}
