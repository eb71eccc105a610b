/* SPDX-License-Identifier: BSD-3-Clause */
/* The one loop that serves a stop, or the end of the program: it takes lines from the queue and from the front end,
   runs them, and lets the front end show the result of each.  Knows no front end. */
#include "cmd/serve.h"
#include <stdlib.h>
#include "cmd/cmd.h"
#include "engine/session.h"
#include "py/hook/hook.h"
#include "py/interp/host.h"
#include "py/interp/path.h"

/* The command may choose another front end: its answer is shown where it was typed. */
static void serve_line(struct session *s, const char *line, bool typed)
{
	const struct front_ops front = *s->front;
	struct reply reply = { 0 };
	struct err err;
	struct ran ran = { .line = line, .typed = typed, .reply = &reply, .err = &err };

	err.text[0] = '\0';
	hook_thread_self()->broken = false;
	s->lines.typed = typed;
	s->lines.answered |= typed;
	if (s->setup.interactive)
		path_moved(); /* a person waits for the answer: the directory is asked for again */
	if (front.begin)
		front.begin(s, typed);
	ran.failed = cmd_execute(s, line, &reply, &err) < 0;
	if (s->resume != RESUME_GO)
		host_flush(); /* what the command made the program print comes first; the next stop does it otherwise */
	front.ran(s, &ran);
	reply_release(&reply);
}

/* A line that nobody typed leaves the line that Enter repeats as it was. */
static void run_queued_line(struct session *s, const char *line)
{
	char *last = s->lines.last;

	s->lines.last = NULL;
	serve_line(s, line, false);
	free(s->lines.last);
	s->lines.last = last;
}

/* Did an interrupt end the line before, or come while that one ran? */
static bool line_interrupted(void)
{
	struct hook_thread *t = hook_thread_self();
	bool came = hook_interrupt_taken() || t->broken;

	t->broken = false;
	return came;
}

static void drop_lines(struct session *s)
{
	cmd_gather_drop(s);
	session_drop_lines(s, false);
}

static void at_end(struct session *s, enum input_end end)
{
	cmd_gather_drop(s);
	if (end == INPUT_EOF && s->setup.interactive)
		serve_line(s, "quit", true);
	else if (end != INPUT_CLEARED && end != INPUT_NOBODY && s->lines.answered)
		session_resume(s, RESUME_DETACH);
	else if (end != INPUT_CLEARED)
		session_unanswered(s);
}

void cmd_serve_running(struct session *s, const char *line)
{
	char *queued;

	serve_line(s, line, true);
	while (s->resume == RESUME_NONE && (queued = session_unqueue(s))) {
		run_queued_line(s, queued);
		free(queued);
	}
}

void cmd_serve(struct session *s)
{
	enum input_end end;
	bool queued = false; /* the line before was */
	char *line;

	while (s->resume == RESUME_NONE && !s->front_changed && (!s->front->ready || s->front->ready(s))) {
		if ((queued || session_queued(s)) && line_interrupted())
			drop_lines(s);
		line = session_unqueue(s);
		queued = line != NULL;
		if (line)
			run_queued_line(s, line);
		else if (s->setup.batch)
			session_resume(s, s->setup.attached ? RESUME_DETACH : RESUME_QUIT);
		else if ((line = s->front->read(s, &end)))
			serve_line(s, line, true);
		else
			at_end(s, end);
		free(line);
	}
	if (!s->front_changed && s->front->served)
		s->front->served(s);
}
