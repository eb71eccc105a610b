/* SPDX-License-Identifier: BSD-3-Clause */
/* The front end for editors: the Debug Adapter Protocol.  ui/wire/inbox.c queues requests, the stopped thread serves
   them, in a visit while the program runs. */
#include "config.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "cmd/serve.h"
#include "engine/past.h"
#include "event/event_table.h"
#include "py/hook/hook.h"
#include "py/interp/host.h"
#include "ui/dap/dap_call.h"
#include "ui/dap/dap_framing.h"
#include "ui/dap/dap_message.h"
#include "ui/dap/dap_state.h"
#include "ui/front.h"
#include "ui/json/json_read.h"
#include "ui/json/look.h"
#include "ui/json/val_json.h"
#include "ui/wire/conversation.h"
#include "ui/wire/inbox.h"
#include "ui/wire/relay.h"
#include "view/view.h"

/* The serving thread's. */
static struct {
	struct dap_call *now;	 /* whose line is run; or NULL */
	struct dap_selection at; /* the selection before it */
	struct buf said;	 /* by session_say() while it runs */
	bool visiting;
	bool told_resume;   /* the client knows that the program runs */
	bool held;	    /* the stop is not told: its own commands continue */
	unsigned long told; /* messages that the client has got at the end */
} d;

/* ---- in: the reader's thread, with the inbox's lock ------------------------------------------------------------- */

static struct dap_framing framing;

static bool row_at_once(const struct dap_row *row, const struct val *m)
{
	const struct val *args = val_get(m, "arguments");

	if (row->run == dap_evaluate)
		return strcmp(val_text(args, "context"), "repl") != 0;
	return row->flags & DAP_STOPPED;
}

static const char *command_of(const struct val *m)
{
	return val_text(m, "command");
}

/* While the program runs: what can be answered without it. */
static bool at_once(const char *text)
{
	struct val *m = json_read(text, strlen(text), false, NULL);
	const struct dap_row *row = dap_row_find(command_of(m));
	bool done = row && (row_at_once(row, m) || (row->run == dap_threads && dap.phase != DAP_NEW));

	if (done && row->run == dap_threads)
		dap_respond(val_number(m, "seq", 0), row->name, dap_frames_threads());
	else if (done)
		dap_refuse(val_number(m, "seq", 0), row->name, "notStopped", false);
	val_free(m);
	return done;
}

static bool asks_for_stop(const char *text)
{
	struct val *m = json_read(text, strlen(text), false, NULL);
	bool pause = !strcmp(command_of(m), "pause");

	val_free(m);
	return pause;
}

/* The main thread is not reached: the program is in C code, or in a handler of a signal. */
static void end_by_force(const struct val *m)
{
	dap_respond(val_number(m, "seq", 0), command_of(m), NULL);
	relay_flush();
	kill(getpid(), SIGKILL);
}

static void answer(const char *text, enum inbox_answer how)
{
	struct val *m = json_read(text, strlen(text), false, NULL);
	long long seq = val_number(m, "seq", 0);
	bool leaves = !strcmp(command_of(m), "disconnect");

	if (how == ANSWER_DONE || (how == ANSWER_DETACHED && leaves))
		dap_respond(seq, command_of(m), NULL);
	else if (how == ANSWER_DETACHED)
		dap_refuse(seq, command_of(m), "cdbg is detached: the program runs on without it", false);
	else if (how == ANSWER_PENDING && dap_ends_program(m))
		end_by_force(m);
	else if (how == ANSWER_PENDING)
		dap_breaks_pending(m);
	val_free(m);
}

static void take_message(void *arg, const char *s, size_t n)
{
	struct err err = { "" };
	struct val *m = json_read(s, n, false, &err);
	const char *type = val_text(m, "type");

	(void)arg;
	if (!m)
		dap_console("cdbg: a message was left out: ", false), dap_console(err.text, false);
	else if (strcmp(type, "request") != 0 && strcmp(type, "response") != 0)
		dap_console("cdbg: a message was left out: its \"type\" is neither request nor response", false);
	else if (*type == 'r' && type[2] == 'q' && !dap_row_find(command_of(m)))
		dap_refuse(val_number(m, "seq", 0), command_of(m), "cdbg does not know this request", false);
	else if (type[2] == 'q')
		inbox_take(mem_strn(s, n));
	val_free(m);
}

static void take_broken(void *arg, const char *why)
{
	char *text = mem_fmt("cdbg: %s", why);

	(void)arg;
	dap_console(text, false);
	free(text);
}

static void take_bytes(const char *s, size_t n)
{
	static const struct dap_framing_sink to = { .message = take_message, .broken = take_broken };

	if (s)
		dap_framing_take(&framing, s, n, &to);
	else
		dap_framing_forget(&framing);
}

static const struct inbox_words words = {
	.bytes = take_bytes,
	.interrupts = asks_for_stop,
	.at_once = at_once,
	.answer = answer,
	.late = look_stop,
};

static void exiting(int status)
{
	if (!dap.over)
		dap_ended(status);
	dap.over = true;
}

static const struct conversation talk = {
	.option = "--dap",
	.relay = &dap_words,
	.inbox = &words,
	.exiting = exiting,
};

/* ---- requests ------------------------------------------------------------------------------------------------- */

static void call_free(struct dap_call *c)
{
	if (!c)
		return;
	val_free(c->message);
	val_free(c->body);
	free(c->line);
	free(c);
}

static struct dap_call *call_new(const char *text)
{
	struct dap_call *c = mem_alloc(sizeof(*c));

	c->message = json_read(text, strlen(text), false, NULL);
	c->row = dap_row_find(command_of(c->message));
	c->args = val_get(c->message, "arguments");
	c->seq = val_number(c->message, "seq", 0);
	return c;
}

static void respond(struct session *s, struct dap_call *c)
{
	struct val *body = c->body;

	c->body = NULL;
	if (c->quiet)
		val_free(body);
	else
		dap_respond(c->seq, c->row->name, body);
	if (c->after)
		c->after(s);
}

static int may_be_served(struct session *s, const struct dap_row *row, struct err *err)
{
	if (dap.phase == DAP_NEW && !(row->flags & DAP_EARLY))
		return err_set(err, "%s comes after initialize", row->name);
	if (s->exited && !(row->flags & DAP_ENDED))
		return err_set(err, "the program has ended with status %d%s", s->status,
			       dap.phase < DAP_STARTED ? ": its output says why" : "");
	if (row->flags & DAP_STOPPED && !session_stopped(s))
		return err_set(err, "notStopped");
	return 0;
}

/* Serves one; takes its text.  Returns a command line that must be run for it, owned by the caller, or NULL. */
static char *serve(struct session *s, char *text)
{
	struct dap_call *c = call_new(text);
	struct err err = { "" };
	char *line;

	free(text);
	d.at = dap_frames_selected(s);
	s->lines.answered = true;
	if (may_be_served(s, c->row, &err) < 0 || c->row->run(s, c, &err) < 0) {
		dap_refuse(c->seq, c->row->name, err.text,
			   c->row->run != dap_evaluate && strcmp(err.text, "notStopped") != 0);
		free(c->line);
		c->line = NULL;
	} else if (!c->line) {
		respond(s, c);
	}
	line = c->line;
	c->line = NULL;
	if (line) {
		d.now = c;
		return line;
	}
	if (!(c->row->flags & DAP_SELECTS))
		dap_frames_restore(s, d.at);
	call_free(c);
	return NULL;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void dap_begin(struct session *s, bool typed)
{
	(void)s;
	(void)typed;
	relay_wait(); /* output that this command causes comes after the last message */
	if (!d.visiting)
		inbox_enter(INBOX_BUSY);
}

/* A line that no request asked for (-ex, -x, commands of a breakpoint). */
static void ran_queued(struct session *s, const struct ran *ran)
{
	struct reply *r = ran->reply;

	if (r->rows && !r->text.len)
		view_text(s, r->rows, &r->text);
	if (ran->failed)
		session_note(s, NOTE_WARNING, "%s: %s", ran->line, ran->err->text);
	else if (r->text.len)
		dap_console(r->text.s, false);
	if (s->resume == RESUME_GO)
		d.told_resume = false;
}

static void finish(struct session *s, struct dap_call *c, const struct ran *ran)
{
	const struct dap_row *row = c->row;

	if (d.said.len && !ran->failed && !ran->reply->rows)
		buf_add(&ran->reply->text, d.said.s, d.said.len);
	else if (d.said.len)
		dap_console(d.said.s, false);
	buf_release(&d.said);
	if (ran->failed) {
		dap_refuse(c->seq, row->name, ran->err->text, row->run != dap_evaluate);
		return;
	}
	if (row->ran)
		row->ran(s, c, ran);
	inbox_see_running(s->resume == RESUME_GO);
	respond(s, c);
	d.told_resume = s->resume == RESUME_GO && row->run != dap_evaluate && row->run != dap_command;
}

static void dap_ran(struct session *s, const struct ran *ran)
{
	struct dap_call *c = d.now;

	if (!ran->typed || !c) {
		ran_queued(s, ran);
		return;
	}
	d.now = NULL;
	if (s->resume == RESUME_NONE)
		inbox_end_busy();
	host_flush();
	finish(s, c, ran);
	if (s->resume == RESUME_NONE && !(c->row->flags & DAP_SELECTS))
		dap_frames_restore(s, d.at);
	call_free(c);
}

/* ---- a stop ----------------------------------------------------------------------------------------------------- */

static void forget_client(void)
{
	dap = (struct dap_state){ .first_line = 1, .first_column = 1 };
	dap_breaks_forget();
	dap_sources_forget();
	dap_frames_forget();
	dap_variables_forget();
	dap_addresses_forget();
	dap_progress_show(false);
}

static void greet(void)
{
	if (inbox_greet())
		forget_client();
}

/* `stepOut` goes on to the caller, where a person is after it. */
static void go_on_stepping_out(struct session *s, const struct event *ev)
{
	if (dap.stepping_out && ev->kind == &ev_return && !ev->number)
		session_queue(s, "nexti");
	dap.stepping_out = false;
}

static void dap_stopped(struct session *s, const struct event *ev)
{
	dap_frames_forget(); /* of another moment of the record */
	dap_variables_forget();
	go_on_stepping_out(s, ev);
	d.held = cmd_queue_resumes(s) || session_queued(s) || dap.again;
	d.told_resume = false;
	inbox_see_running(d.held);
	inbox_enter(INBOX_STOPPED);
	greet();
	host_flush();
	if (ev->kind != &ev_step)
		dap_sources_follow(s);
	if (!d.held && dap.phase == DAP_CONFIGURED)
		dap_tell_stop(s, ev);
	s->setup.restartable = s->setup.restartable && conversation_can_restart();
}

/* The commands of the breakpoint did not continue. */
static void tell_held(struct session *s)
{
	if (d.held && dap.phase == DAP_CONFIGURED && s->event)
		dap_tell_stop(s, past_event(s, s->event));
	d.held = false;
	inbox_see_running(false);
}

/* Run again, the program goes on when its breakpoints are set: it is configured. */
static bool goes_on_again(const struct session *s)
{
	return dap.again && s->event && s->event->kind == &ev_start && dap.phase == DAP_CONFIGURED &&
	       !dap.stop_on_entry;
}

static char *dap_read(struct session *s, enum input_end *end)
{
	char *text, *line = NULL;

	if (dap.again)
		dap_breaks_missing();
	if (!goes_on_again(s))
		tell_held(s);
	*end = INPUT_CLEARED;
	while (!line && s->resume == RESUME_NONE) {
		if (goes_on_again(s) && !inbox_waits()) {
			d.held = false;
			return mem_str("continue");
		}
		text = inbox_next();
		if (!text) {
			*end = INPUT_EOF;
			return NULL;
		}
		inbox_enter(INBOX_BUSY);
		line = serve(s, text);
		if (!line)
			inbox_end_busy();
	}
	hook_interrupt_taken(); /* SIGINT that came between two commands does not end the next one */
	return line;
}

static void dap_running(struct session *s)
{
	if (!d.told_resume && !d.held && dap.phase == DAP_CONFIGURED)
		dap_tell_going_on(s);
	d.held = dap.again = false;
	dap_frames_forget();
	dap_variables_forget();
	inbox_run();
}

/* While the program runs; beside another front end at a stop, too. */
static void dap_visit(struct session *s)
{
	bool runs = !session_stopped(s) && !s->exited;
	char *text, *line;

	d.visiting = runs;
	greet();
	if (!runs)
		tell_held(s);
	while (s->resume == RESUME_NONE && (text = inbox_next_visit())) {
		if (!runs)
			inbox_enter(INBOX_BUSY);
		line = serve(s, text);
		if (line)
			cmd_serve_running(s, line);
		else if (!runs)
			inbox_end_busy();
		free(line);
	}
	if (s->resume == RESUME_NONE)
		dap_sources_follow(s);
	d.visiting = false;
	if (runs)
		conversation_visited(s);
}

/* A command at the prompt may have changed frames and variables. */
static void dap_changed(struct session *s)
{
	struct val *body;

	if (!dap.invalidates || dap.phase != DAP_CONFIGURED || !session_stopped(s))
		return;
	body = val_map();
	val_push(val_put(body, "areas", val_list()), val_str("all"));
	dap_event("invalidated", body);
}

static void dap_note(struct session *s, enum note_level level, const char *text)
{
	(void)s;
	dap_console(text, level == NOTE_WARNING);
}

static void dap_say(struct session *s, const char *text)
{
	(void)s;
	if (d.now && d.said.len && d.said.s[d.said.len - 1] != '\n')
		buf_adds(&d.said, "\n");
	if (d.now)
		buf_adds(&d.said, text);
	else
		dap_console(text, false);
}

/* What a logpoint wrote, with its place. */
static void dap_log(struct session *s, const struct log_line *line)
{
	struct val *body = val_map(), *source = val_map();
	char *text = mem_fmt("%s\n", line->text);

	val_put(body, "category", val_str("console"));
	val_put(body, "output", val_str(text));
	if (line->line > 0 && dap_sources_put(s, line->file, source)) {
		val_put(body, "source", source);
		val_put(body, "line", val_int(line->line - 1 + dap.first_line));
	} else {
		val_free(source);
	}
	free(text);
	dap_event("output", body);
	relay_wait();
}

static void dap_exited(struct session *s, int status)
{
	host_flush();
	exiting(status);
	inbox_enter(INBOX_STOPPED);
	s->setup.restartable = s->setup.restartable && conversation_can_restart();
}

static bool dap_confirm(struct session *s, const char *question)
{
	(void)s;
	(void)question;
	return true;
}

/* Over a socket, the client is asked to connect to the program's next run. */
static struct val *comes_again(void)
{
	struct val *body = val_map();

	val_put(body, "restart", val_bool(true));
	return body;
}

static void dap_release(struct session *s)
{
	dap_variables_forget();
	dap_addresses_forget();
	dap_progress_show(false);
	if (!dap.over && !(dap.leaves && s->detached) && dap.phase >= DAP_STARTED &&
	    (s->resume != RESUME_RESTART || conversation_beside())) {
		dap_event("terminated", s->resume == RESUME_RESTART ? comes_again() : NULL);
		dap.over = true;
	}
	if (s->detached)
		conversation_detached();
	else
		d.told = conversation_end();
}

static void add_message(void *arg, const char *text)
{
	dap_framing_head(arg, strlen(text));
	buf_adds(arg, text);
}

/* A line of JSON, and what the client has sent and nobody has read. */
static void dap_again(struct session *s, struct buf *out)
{
	struct val *v = val_map();

	val_put(v, "told", val_int((long long)d.told));
	val_put(v, "phase", val_int(dap.phase));
	val_put(v, "firstLine", val_int(dap.first_line));
	val_put(v, "firstColumn", val_int(dap.first_column));
	val_put(v, "launched", val_bool(dap.launched));
	val_put(v, "stopOnEntry", val_bool(dap.stop_on_entry));
	val_put(v, "progress", val_bool(dap.progress));
	val_put(v, "breakpoints", dap_breaks_keep(s));
	json_add_val(out, v);
	val_free(v);
	buf_addc(out, '\n');
	inbox_unserved(add_message, out);
	dap_framing_rest(&framing, out);
}

const struct front_ops front_dap = {
	.name = "dap",
	.no_child = "with an editor: the process that holds the conversation serves the one it was started for, and "
		    "ends with it; use --plain",
	.stopped = dap_stopped,
	.ready = conversation_ready,
	.read = dap_read,
	.begin = dap_begin,
	.ran = dap_ran,
	.running = dap_running,
	.visit = dap_visit,
	.changed = dap_changed,
	.note = dap_note,
	.say = dap_say,
	.log = dap_log,
	.breakpoint = dap_breaks_news,
	.exited = dap_exited,
	.confirm = dap_confirm,
	.release = dap_release,
	.again = dap_again,
};

/* ---- opening ---------------------------------------------------------------------------------------------------- */

void front_dap_capabilities(struct buf *out)
{
	struct val *v = dap_capabilities();

	json_add_val(out, v);
	val_free(v);
}

static void prepare(void)
{
	struct buf b = { 0 };

	front_dap_capabilities(&b);
	dap_message_welcome(b.s);
	buf_release(&b);
	forget_client();
}

static struct front_given given = { .fd = -1 };

/* What the client has sent to the process that became this one. */
static void take_given(void)
{
	char part[4096];
	ssize_t n;

	if (given.said) {
		given.said += strcspn(given.said, "\n") + 1;
		inbox_given(&words, given.said, strlen(given.said));
		return;
	}
	while (given.fd >= 0 && (n = read(given.fd, part, sizeof(part))) > 0)
		inbox_given(&words, part, (size_t)n);
	if (given.fd >= 0)
		close(given.fd);
}

/* The client is that of dap_again(). */
static void know_client(const char *said)
{
	struct val *v = json_read(said, strcspn(said, "\n"), false, NULL);

	given.sent = (int)val_number(v, "told", 0);
	dap.phase = (enum dap_phase)val_number(v, "phase", DAP_NEW);
	dap.first_line = (int)val_number(v, "firstLine", 1);
	dap.first_column = (int)val_number(v, "firstColumn", 1);
	dap.launched = dap_flag(v, "launched");
	dap.stop_on_entry = dap_flag(v, "stopOnEntry");
	dap.progress = dap_flag(v, "progress");
	dap.again = true;
	dap_progress_show(dap.progress);
	dap_breaks_expect(val_get(v, "breakpoints"));
	val_free(v);
}

int front_dap_open(int fd, const struct front_given *before, struct err *err)
{
	prepare();
	given = *before;
	if (given.said)
		know_client(given.said);
	relay_told((unsigned long)given.sent);
	return conversation_open(&talk, fd, take_given, err);
}

int front_dap_listen(const struct front_socket *where, struct err *err)
{
	prepare();
	return conversation_listen(&talk, where, err);
}
