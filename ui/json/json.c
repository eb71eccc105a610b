/* SPDX-License-Identifier: BSD-3-Clause */
/* The front end for machines: one JSON object a line.  What comes is read and queued by ui/wire/inbox.c. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"
#include "cmd/serve.h"
#include "py/hook/hook.h"
#include "py/interp/host.h"
#include "ui/front.h"
#include "ui/json/json_out.h"
#include "ui/json/look.h"
#include "ui/json/request.h"
#include "ui/wire/conversation.h"
#include "ui/wire/inbox.h"
#include "ui/wire/relay.h"
#include "view/view.h"

enum { KEEP_MOST = 3600 };

/* The stopped thread's. */
static struct {
	struct buf said;    /* by session_say() while a command runs */
	struct request now; /* whose line is run */
	bool in_command;
	bool visiting;	  /* lines are served while the program runs */
	bool told_resume; /* a reply tells that the program runs */
	bool people;	  /* the other side shows stops to people */
	bool attached;	  /* to a program, which may have waited before */
	struct val *held; /* a stop whose own commands continue; shown if they do not */
} j;

/* ---- in: lines ---------------------------------------------------------------------------------------------- */

static struct buf part; /* of a line whose end has not come; the reader's */

static void take_bytes(const char *s, size_t n)
{
	const char *p, *nl;

	if (!s) {
		buf_reset(&part);
		return;
	}
	for (p = s; (nl = memchr(p, '\n', (size_t)(s + n - p))); p = nl + 1) {
		buf_add(&part, p, (size_t)(nl - p));
		if (part.len && part.s[part.len - 1] == '\r')
			part.s[--part.len] = '\0';
		inbox_take(cmd_line(buf_str(&part), part.len));
		buf_reset(&part);
	}
	buf_add(&part, p, (size_t)(s + n - p));
}

/* A last line without its newline. */
static void take_end(void)
{
	if (part.len)
		inbox_take(cmd_line(part.s, part.len));
	buf_release(&part);
}

static void take_rest(struct buf *out)
{
	char *text = cmd_line(buf_str(&part), part.len);

	buf_adds(out, text);
	free(text);
	buf_reset(&part);
}

static bool is_interrupt(const char *line)
{
	size_t n;

	line += strspn(line, " \t\r");
	n = strcspn(line, " \t\r");
	return n == strlen("interrupt") && !strncmp(line, "interrupt", n);
}

/* A message is a line as it came. */
static bool asks_for_stop(const char *text)
{
	struct request rq;
	bool asks;

	request_read(&rq, mem_str(text));
	asks = !rq.fault && is_interrupt(rq.line);
	request_release(&rq);
	return asks;
}

static void answer(const char *text, enum inbox_answer how)
{
	struct request rq;

	request_read(&rq, mem_str(text));
	if (how == ANSWER_PENDING)
		json_pending(&rq);
	else
		json_reply_at_once(&rq, how == ANSWER_DONE ? NULL : "cdbg is detached: the program runs on without it");
	request_release(&rq);
}

/* A controller says how long its ranks wait for a host that is gone.  True: this was it, and it is answered. */
static bool keeps(const struct request *rq)
{
	static const char set[] = "set connection-timeout ";
	long seconds;

	if (!j.people || rq->fault || strncmp(rq->line, set, sizeof(set) - 1) ||
	    !text_is_number(rq->line + sizeof(set) - 1, 1, KEEP_MOST, &seconds))
		return false;
	relay_keep((int)seconds);
	json_reply_at_once(rq, NULL);
	return true;
}

/* Takes the text of a message, which becomes the one that is served.  Its line, the caller's; NULL: it could not be
   used, and was answered.  */
static char *begin_request(char *text)
{
	request_release(&j.now);
	request_read(&j.now, text);
	if (keeps(&j.now))
		return NULL;
	if (!j.now.fault)
		return mem_str(j.now.line);
	json_reply_at_once(&j.now, j.now.fault);
	return NULL;
}

static bool at_once(const char *text)
{
	struct request rq;
	bool asked;

	if (look_asked(text)) {
		look_answer(text);
		return true;
	}
	request_read(&rq, mem_str(text));
	asked = keeps(&rq);
	request_release(&rq);
	return asked;
}

/* A person who waits for the stop of a rank, which waits for another one, may wait forever; so may who attaches. */
static void stop_is_late(void)
{
	if (j.people || j.attached)
		look_stop();
}

static const struct inbox_words words = {
	.bytes = take_bytes,
	.ended = take_end,
	.rest = take_rest,
	.interrupts = asks_for_stop,
	.at_once = at_once,
	.answer = answer,
	.late = stop_is_late,
};

static const struct conversation talk = {
	.option = "--json",
	.relay = &json_words,
	.inbox = &words,
	.exiting = json_exited,
};

/* In a stop or a visit: the first objects of a client. */
static void greet(struct session *s)
{
	if (!inbox_greet())
		return;
	json_ready(s);
	if (j.visiting)
		json_going_on();
}

/* ---- a stop ------------------------------------------------------------------------------------------------ */

static void json_begin(struct session *s, bool typed)
{
	(void)s;
	relay_wait(); /* output that this command causes comes after the last reply */
	if (!j.visiting)
		inbox_enter(INBOX_BUSY);
	j.in_command = typed;
}

/* A line that was not sent by a machine (-ex, -x, commands of a breakpoint): its result is not a reply. */
static void ran_queued(struct session *s, const struct ran *ran)
{
	struct reply *r = ran->reply;

	if (r->rows && !r->text.len)
		view_text(s, r->rows, &r->text);
	if (ran->failed)
		session_note(s, NOTE_WARNING, "%s: %s", ran->line, ran->err->text);
	else if (r->text.len)
		json_note_object(s, NOTE_INFO, r->text.s);
}

static void json_ran(struct session *s, const struct ran *ran)
{
	struct reply *r = ran->reply;

	j.in_command = false;
	if (!ran->typed) {
		ran_queued(s, ran);
		return;
	}
	if (s->resume == RESUME_NONE)
		inbox_end_busy();
	j.told_resume = s->resume != RESUME_NONE;
	if (r->rows && j.now.text && !r->text.len)
		view_text(s, r->rows, &r->text);
	if (j.said.len && !ran->failed && !r->rows)
		buf_add(&r->text, j.said.s, j.said.len);
	else if (j.said.len)
		json_note_object(s, NOTE_INFO, j.said.s);
	buf_release(&j.said);
	host_flush();
	inbox_see_running(s->resume == RESUME_GO);
	json_reply(&j.now, !ran->failed, r, ran->err, s->resume != RESUME_NONE);
}

/* The commands of the breakpoint did not continue. */
static void show_held(void)
{
	if (j.held)
		json_send_val(j.held);
	j.held = NULL;
	inbox_see_running(false);
}

/* An `interrupt` at a stop only sends its reply. */
static char *json_read(struct session *s, enum input_end *end)
{
	struct reply none = { 0 };
	char *text, *line = NULL;

	(void)s;
	*end = INPUT_EOF;
	show_held();
	while (!line && (text = inbox_next())) {
		line = begin_request(text);
		if (!line || !is_interrupt(line))
			continue;
		relay_wait();
		inbox_end_busy();
		json_reply(&j.now, true, &none, NULL, false);
		free(line);
		line = NULL;
	}
	hook_interrupt_taken(); /* SIGINT that came between two commands does not end the next one */
	return line;
}

static void put_text(struct session *s, const struct event *ev, struct val *stop)
{
	struct buf text = { 0 };

	front_stop_text(s, ev, &text);
	val_put(stop, "text", val_str(buf_str(&text)));
	buf_release(&text);
}

/* A stop whose commands continue is none for the other side: it could ask nothing before it is over. */
static void json_stopped(struct session *s, const struct event *ev)
{
	bool goes_on = cmd_queue_resumes(s);
	struct val *stop;

	inbox_see_running(goes_on);
	inbox_enter(INBOX_STOPPED);
	greet(s);
	stop = front_stop(s, ev);
	if (j.people)
		put_text(s, ev, stop);
	host_flush();
	j.told_resume = false;
	val_free(j.held);
	j.held = goes_on ? stop : NULL;
	if (!j.held)
		json_send_val(stop);
	s->setup.restartable = s->setup.restartable && conversation_can_restart();
}

static void json_running(struct session *s)
{
	(void)s;
	if (!j.told_resume && !j.held)
		json_going_on();
	val_free(j.held);
	j.held = NULL;
	inbox_run();
}

/* An `interrupt` at a stop only sends its reply. */
static bool is_answered(struct session *s, const char *line)
{
	struct reply none = { 0 };

	if (!session_stopped(s) || !is_interrupt(line))
		return false;
	json_reply(&j.now, true, &none, NULL, false);
	return true;
}

/* While the program runs; beside another front end at a stop, too. */
static void json_visit(struct session *s)
{
	bool runs = !session_stopped(s) && !s->exited;
	char *text, *line;

	j.visiting = runs;
	greet(s);
	if (!runs)
		show_held();
	while (s->resume == RESUME_NONE && (text = inbox_next_visit())) {
		line = begin_request(text);
		if (line && !is_answered(s, line))
			cmd_serve_running(s, line);
		free(line);
	}
	j.visiting = false;
	if (runs)
		conversation_visited(s);
}

static void json_say(struct session *s, const char *text)
{
	if (j.in_command && j.said.len && j.said.s[j.said.len - 1] != '\n')
		buf_adds(&j.said, "\n");
	if (j.in_command)
		buf_adds(&j.said, text);
	else
		json_note_object(s, NOTE_INFO, text);
}

/* A client knows what it sets and deletes, and the reply to a command tells what that did. */
static void json_bp_news(struct session *s, const struct bp *b, enum bp_news news)
{
	if (!j.in_command && news == BP_NEWS_CHANGED)
		json_breakpoint(s, b);
}

static void json_program_exited(struct session *s, int status)
{
	host_flush();
	json_exited(status);
	inbox_enter(INBOX_STOPPED);
	s->setup.restartable = s->setup.restartable && conversation_can_restart();
}

static bool json_confirm(struct session *s, const char *question)
{
	(void)s;
	(void)question;
	return true;
}

/* After a detach the program's output and its end are still reported. */
static void json_release(struct session *s)
{
	val_free(j.held);
	j.held = NULL;
	if (s->detached)
		conversation_detached();
	else
		conversation_end();
}

static void json_leave(struct session *s, struct buf *out)
{
	(void)s;
	conversation_leave(out);
}

static int json_enter(struct session *s, const char *said, struct err *err)
{
	(void)s;
	j.in_command = false;
	return conversation_arrive(said, err);
}

const struct front_ops front_json = {
	.name = "json",
	.no_child = "in JSON: the process that holds the conversation serves the one it was started for, and ends "
		    "with it; use --plain",
	.stopped = json_stopped,
	.ready = conversation_ready,
	.read = json_read,
	.begin = json_begin,
	.ran = json_ran,
	.running = json_running,
	.visit = json_visit,
	.note = json_note_object,
	.say = json_say,
	.log = json_log,
	.breakpoint = json_bp_news,
	.exited = json_program_exited,
	.confirm = json_confirm,
	.release = json_release,
	.leave = json_leave,
	.enter = json_enter,
};

/* ---- opening -------------------------------------------------------------------------------------------- */

static void first_object(void)
{
	json_ready(session_get());
}

int front_json_open(int fd, struct err *err)
{
	return conversation_open(&talk, fd, first_object, err);
}

int front_json_join(int fd, struct err *err)
{
	j.people = true;
	inbox_ends_session();
	return front_json_open(fd, err);
}

int front_json_listen(const struct front_socket *where, struct err *err)
{
	j.people = where->people;
	j.attached = where->once;
	return conversation_listen(&talk, where, err);
}
