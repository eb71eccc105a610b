/* SPDX-License-Identifier: BSD-3-Clause */
/* The session's data: notes, queued command lines, the selected frame.  Knows no stop, no
   command and no CPython. */
#include "engine/session.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "py/interp/eval.h"

/* Lines that were queued together; at least one is left. */
struct block {
	struct block *next;
	struct buf text; /* each line ends with a NUL */
	size_t at;	 /* where the next one begins */
	enum queued_by from;
	int nested; /* command files that are being read, this one included */
};

struct line_queue {
	struct block *first, *last;
	int nested; /* of the line that was taken last */
};

enum { NESTED_FILES = 100 };

static struct session *current;

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

/* ---- notes --------------------------------------------------------------------------------------------- */

bool session_confirm(struct session *s, const char *question)
{
	return !s->lines.typed || !s->front->confirm || s->front->confirm(s, question);
}

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

void session_log(struct session *s, const struct log_line *line)
{
	if (!s->detached && s->front->log)
		s->front->log(s, line);
	else
		session_say(s, "%s\n", line->text);
}

void session_breakpoint(struct session *s, const struct bp *b, enum bp_news news)
{
	if (!s->detached && s->front->breakpoint)
		s->front->breakpoint(s, b, news);
}

static struct block *block_new(enum queued_by from)
{
	struct block *b = mem_alloc(sizeof(*b));

	b->from = from;
	return b;
}

static void block_first(struct line_queue *q, struct block *b)
{
	b->next = q->first;
	q->first = b;
	if (!b->next)
		q->last = b;
}

static void block_drop(struct line_queue *q)
{
	struct block *b = q->first;

	q->first = b->next;
	if (!q->first)
		q->last = NULL;
	buf_release(&b->text);
	free(b);
}

void session_queue(struct session *s, const char *line)
{
	struct block *b = block_new(QUEUED_AT_START), *last = s->queue->last;

	buf_add(&b->text, line, strlen(line) + 1);
	if (last)
		last->next = b;
	else
		s->queue->first = b;
	s->queue->last = b;
}

void session_queue_commands(struct session *s, char **lines)
{
	struct block *b;
	int i;

	if (!lines[0])
		return;
	b = block_new(QUEUED_BY_STOP);
	for (i = 0; lines[i]; i++)
		buf_add(&b->text, lines[i], strlen(lines[i]) + 1);
	block_first(s->queue, b);
}

int session_queue_file(struct session *s, const char *name, struct buf *lines, struct err *err)
{
	struct block *b;

	if (s->queue->nested >= NESTED_FILES) {
		session_drop_lines(s, true);
		return err_set(err,
			       "'%s' was not read, and the files that read it are ended: command files are nested more "
			       "than %d deep, so one of them probably reads itself by 'source'",
			       name, NESTED_FILES);
	}
	if (!lines->len)
		return 0;
	b = block_new(QUEUED_BY_FILE);
	b->text = *lines;
	b->nested = s->queue->nested + 1;
	memset(lines, 0, sizeof(*lines));
	block_first(s->queue, b);
	return 0;
}

char *session_unqueue(struct session *s)
{
	struct line_queue *q = s->queue;
	struct block *b = q->first;
	char *line;

	q->nested = 0;
	if (!b)
		return NULL;
	q->nested = b->nested;
	line = mem_str(b->text.s + b->at);
	b->at += strlen(line) + 1;
	if (b->at >= b->text.len)
		block_drop(q);
	return line;
}

bool session_queued(const struct session *s)
{
	return s->queue->first != NULL;
}

const char *session_queued_by_stop(const struct session *s, int i)
{
	const struct block *b = s->queue->first;
	size_t at;

	if (!b || b->from != QUEUED_BY_STOP)
		return NULL;
	for (at = b->at; at < b->text.len && i > 0; i--)
		at += strlen(b->text.s + at) + 1;
	return at < b->text.len ? b->text.s + at : NULL;
}

void session_drop_lines(struct session *s, bool silent)
{
	struct line_queue *q = s->queue;
	struct block *b, *kept = NULL, *last = NULL, *next;
	const char *p;
	long n = 0;

	for (b = q->first; b; b = next) {
		next = b->next;
		if (b->from == QUEUED_AT_START) {
			*(last ? &last->next : &kept) = b;
			last = b;
			continue;
		}
		for (p = b->text.s + b->at; p && p < b->text.s + b->text.len; p += strlen(p) + 1)
			n++;
		buf_release(&b->text);
		free(b);
	}
	if (last)
		last->next = NULL;
	q->first = kept;
	q->last = last;
	if (n && !silent)
		session_note(s, NOTE_INFO, "interrupted: %ld queued command line%s not run", n,
			     n == 1 ? " was" : "s were");
}

void session_queue_save(const struct session *s, struct buf *out)
{
	const struct block *b;
	size_t at, n;

	for (b = s->queue->first; b; b = b->next)
		for (at = b->at; at < b->text.len; at += n) {
			n = strlen(b->text.s + at) + 1;
			buf_addc(out, (char)('0' + b->from));
			buf_add(out, b->text.s + at, n);
		}
}

void session_queue_load(struct session *s, const char *text, size_t n)
{
	struct line_queue *q = s->queue;
	const char *end = text + n;
	struct block *b;

	while (q->first)
		block_drop(q);
	q->nested = 0;
	for (; text < end; text += strlen(text) + 1) {
		if (!q->last || q->last->from != (enum queued_by)(*text - '0')) {
			b = block_new((enum queued_by)(*text - '0'));
			*(q->last ? &q->last->next : &q->first) = b;
			q->last = b;
		}
		buf_add(&q->last->text, text + 1, strlen(text));
	}
}

void session_unanswered(struct session *s)
{
	s->unanswered = true;
	session_resume(s, RESUME_DETACH);
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

int session_present(struct session *s, struct err *err)
{
	return s->gone ?
		       err_set(err,
			       "this is the record of a process that is gone: it is only read, 'rstepi' and 'stepi' go "
			       "back and forth in it") :
	       !s->past ?
		       0 :
		       err_set(err, "this is the past, %llu instruction%s ago, which can only be read: 'now' returns",
			       s->ago, s->ago == 1 ? "" : "s");
}

int session_scope(struct session *s, struct scope *out, struct err *err)
{
	struct frame *f = session_frame(s, err);

	memset(out, 0, sizeof(*out));
	if (!f)
		return -1;
	if (session_present(s, err) < 0)
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
