/* SPDX-License-Identifier: BSD-3-Clause */
/* The session's data: notes, queued command lines, the program's modules, the selected frame.  Knows no stop, no
   command and no CPython. */
#include "engine/session.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "py/interp/eval.h"

struct line {
	struct line *next;
	char *text;
};

struct line_queue {
	struct line *first;
};

struct modules {
	struct py_code **code; /* owned */
	size_t n, cap, sweep_at;
};

enum { KEPT_BODIES = 256 }; /* the table is pruned only when it is longer */

static struct session *current;
static struct modules modules;

/* ---- life ------------------------------------------------------------------------------------------------ */

struct session *session_get(void)
{
	return current;
}

struct session *session_living(void)
{
	return current && current->started && !current->detached ? current : NULL;
}

struct session *session_new(const struct front_ops *front)
{
	struct session *s = mem_alloc(sizeof(*s));

	s->front = front;
	s->queue = mem_alloc(sizeof(*s->queue));
	current = s;
	return s;
}

void session_over(struct session *s)
{
	s->detached = true;
}

/* A program may run code that it compiles again each time: remove a body that nothing can run any more and that has no
   functions left. */
static void drop_unused_bodies(void)
{
	size_t i, n = 0;

	for (i = 0; i < modules.n; i++)
		if (code_unused(modules.code[i]))
			py_unref_later(modules.code[i]);
		else
			modules.code[n++] = modules.code[i];
	modules.n = n;
	modules.sweep_at = n * 2 > KEPT_BODIES ? n * 2 : KEPT_BODIES;
}

bool session_add_module(struct session *s, struct py_code *body)
{
	size_t i;

	(void)s;
	for (i = 0; i < modules.n; i++)
		if (modules.code[i] == body)
			return false;
	if (modules.n >= modules.sweep_at)
		drop_unused_bodies();
	modules.code = mem_grow(modules.code, &modules.cap, modules.n + 1, sizeof(*modules.code));
	modules.code[modules.n++] = py_ref(body);
	return true;
}

struct py_code *session_module_code(const struct session *s, int n)
{
	(void)s;
	return n >= 0 && (size_t)n < modules.n ? modules.code[n] : NULL;
}

/* ---- notes --------------------------------------------------------------------------------------------- */

void session_note(struct session *s, enum note_level level, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	if (!s->detached)
		s->front->note(s, level, text);
	free(text);
}

void session_say(struct session *s, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	if (!s->detached)
		s->front->say(s, text);
	free(text);
}

void session_queue(struct session *s, const char *line, bool next)
{
	struct line *l = mem_alloc(sizeof(*l)), **p = &s->queue->first;

	l->text = mem_str(line);
	while (!next && *p)
		p = &(*p)->next;
	l->next = *p;
	*p = l;
}

char *session_unqueue(struct session *s)
{
	struct line *l = s->queue->first;
	char *text;

	if (!l)
		return NULL;
	s->queue->first = l->next;
	text = l->text;
	free(l);
	return text;
}

void session_resume(struct session *s, enum resume how)
{
	s->resume = how;
}

void session_quit(struct session *s, int status)
{
	if (!s->exited)
		s->status = status;
	s->resume = RESUME_QUIT;
}

void session_ask(struct session *s)
{
	s->undisturbed = false;
	s->asked++;
}

void session_select(struct session *s, int level)
{
	s->selected = level;
}

void session_change_front(struct session *s)
{
	s->front_changed = true;
}

bool session_stopped(const struct session *s)
{
	return s->thread != NULL;
}

/* ---- the selected frame -------------------------------------------------------------------------------------- */

struct frame *session_frame(struct session *s, struct err *err)
{
	struct frame *f;

	if (!s->thread) {
		err_set(err, s->exited ? "the program has ended" : "the program is not stopped");
		return NULL;
	}
	f = stack_frame(&s->stack, s, s->selected);
	if (!f)
		err_set(err, "the selected thread has no frames");
	return f;
}

int session_scope(struct session *s, struct scope *out, struct err *err)
{
	struct frame *f = session_frame(s, err);

	memset(out, 0, sizeof(*out));
	if (!f)
		return -1;
	out->frame = f->fo;
	out->at_event = f->at_event;
	out->kept = stack_kept(s, f);
	if (f->fake) {
		out->locals = f->fake->locals;
		out->globals = f->fake->globals;
	}
	return 0;
}
