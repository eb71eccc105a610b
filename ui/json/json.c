/* SPDX-License-Identifier: BSD-3-Clause */
/* The front end for machines: one JSON object a line.  A thread of its own reads commands, so that they are answered
   while the program runs, in a visit of the main thread; it never takes the GIL. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/ownfd.h"
#include "cmd/cmd.h"
#include "cmd/serve.h"
#include "py/crash/crash.h"
#include "py/hook/audit.h"
#include "py/hook/hook.h"
#include "py/interp/host.h"
#include "ui/front.h"
#include "ui/json/json_out.h"
#include "ui/wire/listener.h"
#include "ui/wire/relay.h"
#include "view/view.h"

struct input {
	struct input *next;
	char *text;
	bool running; /* it came while the program ran: a visit serves it, or the stop that comes first */
	bool told;    /* ... and was answered that it has to wait */
	struct timespec came;
};

/* The state of the program, for the thread that reads commands. */
enum state {
	STOPPED, /* commands are taken one by one */
	BUSY,	 /* ... and one is being run */
	RUNNING,
	DETACHED,
};

static struct {
	int fd[3];	      /* what 0, 1 and 2 were, or the socket: for a restart only */
	bool captured;	      /* descriptors 0-2 were taken over */
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t more;
	struct input *first, **end; /* end: where the next one goes; NULL: not known */
	int interrupts;		    /* lines of the queue that are `interrupt` */
	bool eof;
	bool interrupted;  /* for the first line of the queue, an `interrupt`, one was requested */
	bool seen_running; /* stopped, but not for the other side: a reply told otherwise, or the stop is not shown */
	bool stop_wanted;  /* an `interrupt` came while the program ran, which has not stopped since */
	enum state state;
	struct buf said; /* by session_say() while a command runs: the stopped thread's */
	bool in_command;
	bool visiting;	  /* the main thread's: lines are served while the program runs */
	bool told_resume; /* the stopped thread's: a reply tells that the program runs */
	/* Over a socket that listens; with the lock. */
	bool listening;
	bool client;	     /* one is there */
	bool greet;	     /* ... and nothing was sent to it yet */
	bool left;	     /* the one of this session has gone: the session ends, also if another one has come */
	bool slow;	     /* it was cut off, since it did not read */
	void (*begin)(void); /* has the program begin a session, since a client came; any thread */
	struct val *held;    /* the stopped thread's: a stop whose own commands continue; shown if they do not */
} j = {
	.fd = { -1, -1, -1 },
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.more = PTHREAD_COND_INITIALIZER,
};

/* ---- in: the reader's thread ---------------------------------------------------------------------------- */

static bool is_interrupt(const char *line)
{
	size_t n;

	line += strspn(line, " \t\r");
	n = strcspn(line, " \t\r");
	return n == strlen("interrupt") && !strncmp(line, "interrupt", n);
}

/* With the lock. */
static void queue_line(char *text)
{
	struct input *in = mem_alloc(sizeof(*in));

	in->text = text;
	in->running = j.state == RUNNING || j.seen_running;
	if (in->running)
		clock_gettime(CLOCK_MONOTONIC, &in->came);
	if (!j.first || !j.end)
		for (j.end = &j.first; *j.end; j.end = &(*j.end)->next)
			;
	*j.end = in;
	j.end = &in->next;
	j.interrupts += is_interrupt(text);
	pthread_cond_signal(&j.more);
}

/* With the lock: lines that came together are queued before the first of them is run. */
static void take_line(char *text)
{
	if (j.state == DETACHED) {
		json_reply_at_once(text, "cdbg is detached: the program runs on without it");
		free(text);
	} else if (is_interrupt(text) && j.state == RUNNING) {
		j.stop_wanted = true;
		hook_interrupt();
		json_reply_at_once(text, NULL); /* under the lock: before the objects of the stop */
		free(text);
	} else {
		queue_line(text);
	}
}

/* With the lock: lines that came before the program continued wait for its next stop, and all after them. */
static bool visit_is_due(void)
{
	return j.state == RUNNING && (j.greet || j.left || (j.first && j.first->running));
}

static void take_eof(struct buf *rest)
{
	pthread_mutex_lock(&j.lock);
	if (rest->len)
		take_line(cmd_line(rest->s, rest->len)); /* a last line without its newline */
	j.eof = true;
	if (visit_is_due())
		hook_visit();
	pthread_cond_signal(&j.more);
	pthread_mutex_unlock(&j.lock);
}

/* Does an `interrupt` wait in the queue? */
static bool interrupt_waits(void)
{
	bool waits;

	pthread_mutex_lock(&j.lock);
	waits = j.interrupts > 0 && j.state != DETACHED;
	pthread_mutex_unlock(&j.lock);
	return waits;
}

/* An `interrupt` directly after the command being run ends that command. */
static void end_command(void)
{
	pthread_mutex_lock(&j.lock);
	if (j.state == BUSY && j.first && is_interrupt(j.first->text) && !j.interrupted) {
		j.interrupted = true;
		hook_interrupt();
	}
	pthread_mutex_unlock(&j.lock);
}

enum {
	PATIENCE = 20,	 /* ms: a command that ends sooner is not disturbed */
	PENDING = 1000,	 /* ms: then a line is answered that it has to wait */
	CHECK_EVERY = 50 /* ms */
};

static long waited_ms(const struct input *in)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - in->came.tv_sec) * 1000 + (now.tv_nsec - in->came.tv_nsec) / 1000000;
}

/* ---- clients of a socket that listens ---- */

static void forget_lines(void)
{
	struct input *in;

	while ((in = j.first)) {
		j.first = in->next;
		free(in->text);
		free(in);
	}
	j.end = NULL;
	j.interrupts = 0;
}

static void client_came(void)
{
	bool begin;

	pthread_mutex_lock(&j.lock);
	forget_lines();
	j.client = j.greet = true;
	begin = j.state == DETACHED;
	if (visit_is_due())
		hook_visit();
	pthread_cond_signal(&j.more);
	pthread_mutex_unlock(&j.lock);
	if (begin && j.begin)
		j.begin();
}

/* The program is left as by `detach`: at its stop, or in a visit. */
static void client_gone(bool slow)
{
	pthread_mutex_lock(&j.lock);
	j.client = j.greet = false;
	j.left = j.state != DETACHED;
	j.slow = slow;
	forget_lines();
	if (visit_is_due())
		hook_visit();
	pthread_cond_signal(&j.more);
	pthread_mutex_unlock(&j.lock);
}

/* In a stop or a visit: the first objects of a client. */
static void greet(struct session *s)
{
	bool due;

	pthread_mutex_lock(&j.lock);
	due = j.greet && !j.left;
	if (due)
		j.greet = false;
	pthread_mutex_unlock(&j.lock);
	if (!due)
		return;
	relay_welcome();
	json_ready(s);
	if (j.visiting)
		json_going_on();
}

/* Answer the lines that no visit has reached in a second.  False: no line waits for a visit. */
static bool answer_pending(void)
{
	struct input *in;
	bool waits;

	pthread_mutex_lock(&j.lock);
	waits = visit_is_due();
	for (in = waits ? j.first : NULL; in && in->running; in = in->next)
		if (!in->told && waited_ms(in) >= PENDING) {
			json_pending(in->text);
			in->told = true;
		}
	for (waits = false, in = j.first; in && in->running; in = in->next)
		waits = waits || (j.state == RUNNING && !in->told);
	pthread_mutex_unlock(&j.lock);
	return waits;
}

static void wait_input(void)
{
	while (interrupt_waits() || answer_pending()) {
		if (relay_readable(interrupt_waits() ? PATIENCE : CHECK_EVERY))
			return;
		end_command();
	}
}

/* The same after the end of input, where nothing can be read any more. */
static void wait_interrupts(void)
{
	const struct timespec patience = { .tv_nsec = PATIENCE * 1000000L };

	while (interrupt_waits() || answer_pending()) {
		nanosleep(&patience, NULL);
		end_command();
	}
}

static void take_bytes(struct buf *line, const char *part, size_t n)
{
	const char *p, *nl;

	pthread_mutex_lock(&j.lock);
	for (p = part; (nl = memchr(p, '\n', (size_t)(part + n - p))); p = nl + 1) {
		buf_add(line, p, (size_t)(nl - p));
		if (line->len && line->s[line->len - 1] == '\r')
			line->s[--line->len] = '\0';
		take_line(cmd_line(buf_str(line), line->len));
		buf_reset(line);
	}
	if (visit_is_due())
		hook_visit();
	pthread_mutex_unlock(&j.lock);
	buf_add(line, p, (size_t)(part + n - p));
}

static void *reader(void *unused)
{
	struct buf line = { 0 };
	enum relay_got got;
	char part[4096];
	size_t n;

	(void)unused;
	do {
		wait_input();
		got = relay_read(part, sizeof(part), &n);
		if (got == RELAY_BYTES)
			take_bytes(&line, part, n);
		if (got == RELAY_CLIENT || got == RELAY_GONE)
			buf_reset(&line);
		if (got == RELAY_CLIENT)
			client_came();
		if (got == RELAY_GONE)
			client_gone(n > 0);
	} while (got != RELAY_ENDED);
	take_eof(&line);
	wait_interrupts();
	buf_release(&line);
	return NULL;
}

/* The next line; waits for it with the GIL (all-stop). NULL: the input has ended. */
static char *json_next_line(void)
{
	struct input *in;
	char *text = NULL;

	pthread_mutex_lock(&j.lock);
	j.state = STOPPED;
	while (!j.first && !j.eof && !j.left)
		pthread_cond_wait(&j.more, &j.lock);
	in = j.left ? NULL : j.first;
	if (in) {
		j.first = in->next;
		text = in->text;
		j.interrupts -= is_interrupt(text);
		free(in);
	}
	pthread_mutex_unlock(&j.lock);
	return text;
}

/* ---- a stop ------------------------------------------------------------------------------------------------ */

static void enter_state(enum state state)
{
	pthread_mutex_lock(&j.lock);
	if (j.state != DETACHED)
		j.state = state;
	if (j.state == STOPPED) { /* the stop serves the lines */
		hook_visit_drop();
		j.stop_wanted = false;
	}
	pthread_mutex_unlock(&j.lock);
}

/* With the lock. An `interrupt` that came too late for the command it was to end must not end the next one. */
static void forget_interrupt(void)
{
	if (j.interrupted)
		hook_interrupt_taken();
	j.interrupted = false;
}

/* From here on no command runs, so that the reader requests no interrupt: neither for an `interrupt` that has ended its
   command and is still in the queue, nor for one that has just been read. */
static void end_busy(void)
{
	pthread_mutex_lock(&j.lock);
	if (j.state == BUSY)
		j.state = STOPPED;
	forget_interrupt();
	pthread_mutex_unlock(&j.lock);
}

static void see_running(bool on)
{
	pthread_mutex_lock(&j.lock);
	j.seen_running = on;
	pthread_mutex_unlock(&j.lock);
}

static void json_begin(struct session *s, bool typed)
{
	(void)s;
	relay_wait(); /* output that this command causes comes after the last reply */
	if (!j.visiting)
		enter_state(BUSY);
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
		json_note_object(NOTE_INFO, r->text.s);
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
		end_busy();
	j.told_resume = s->resume != RESUME_NONE;
	if (j.said.len && !ran->failed && !r->rows)
		buf_add(&r->text, j.said.s, j.said.len);
	else if (j.said.len)
		json_note_object(NOTE_INFO, j.said.s);
	buf_release(&j.said);
	host_flush();
	see_running(s->resume == RESUME_GO);
	json_reply(ran->line, !ran->failed, r, ran->err, s->resume != RESUME_NONE);
}

/* The commands of the breakpoint did not continue. */
static void show_held(void)
{
	if (j.held)
		json_send_val(j.held);
	j.held = NULL;
	see_running(false);
}

/* An `interrupt` at a stop only sends its reply. */
static char *json_read(struct session *s, enum input_end *end)
{
	struct reply none = { 0 };
	char *line;

	(void)s;
	*end = INPUT_EOF;
	show_held();
	while ((line = json_next_line()) && is_interrupt(line)) {
		relay_wait();
		end_busy();
		json_reply(line, true, &none, NULL, false);
		free(line);
	}
	hook_interrupt_taken(); /* SIGINT that came between two commands does not end the next one */
	return line;
}

/* True if cdbg still has the descriptors for a restarted program. */
static bool can_restart(void)
{
	int i;

	for (i = 0; i < 3; i++)
		if (j.fd[i] >= 0 && !ownfd_ok(j.fd[i]))
			return false;
	return !j.listening; /* the other process would have to pass on the client */
}

/* A stop whose commands continue is none for the other side: it could ask nothing before it is over. */
static void json_stopped(struct session *s, const struct event *ev)
{
	bool goes_on = cmd_queue_resumes(s);
	struct val *stop;

	see_running(goes_on);
	enter_state(STOPPED);
	greet(s);
	stop = front_stop(s, ev);
	host_flush();
	j.told_resume = false;
	val_free(j.held);
	j.held = goes_on ? stop : NULL;
	if (!j.held)
		json_send_val(stop);
	s->setup.restartable = s->setup.restartable && can_restart();
}

/* Executes the first `interrupt` in the queue, now that the program runs. */
static bool take_interrupt(void)
{
	struct input **p, *in;

	if (!j.interrupts)
		return false;
	for (p = &j.first; !is_interrupt((*p)->text); p = &(*p)->next)
		;
	in = *p;
	*p = in->next;
	j.interrupts--;
	j.end = NULL;
	json_reply_at_once(in->text, NULL);
	free(in->text);
	free(in);
	return true;
}

static void json_running(struct session *s)
{
	bool asked = false;

	(void)s;
	if (!j.told_resume && !j.held)
		json_going_on();
	val_free(j.held);
	j.held = NULL;
	pthread_mutex_lock(&j.lock);
	j.state = RUNNING;
	j.seen_running = false;
	forget_interrupt(); /* its line is still in the queue */
	while (take_interrupt())
		asked = true;
	if (asked) {
		j.stop_wanted = true;
		hook_interrupt();
	}
	if (visit_is_due())
		hook_visit();
	pthread_mutex_unlock(&j.lock);
}

/* The next line for a visit; NULL: there is none. */
static char *visit_line(void)
{
	struct input *in;
	char *text = NULL;

	pthread_mutex_lock(&j.lock);
	in = visit_is_due() && !j.left ? j.first : NULL;
	if (in) {
		j.first = in->next;
		j.end = NULL;
		text = in->text;
		free(in);
	}
	pthread_mutex_unlock(&j.lock);
	return text;
}

/* An `interrupt` that ended a command of the visit is to stop the program, too. */
static void json_visit(struct session *s)
{
	char *line;

	j.visiting = true;
	greet(s);
	while (s->resume == RESUME_NONE && (line = visit_line())) {
		cmd_serve_running(s, line);
		free(line);
	}
	j.visiting = false;
	relay_wait();
	pthread_mutex_lock(&j.lock);
	if (s->resume == RESUME_NONE && j.left)
		session_resume(s, RESUME_DETACH);
	if (j.stop_wanted && s->resume == RESUME_NONE)
		hook_interrupt();
	pthread_mutex_unlock(&j.lock);
}

/* Where a client may come, but has not, a stop would wait for nobody. */
static bool json_ready_for_lines(struct session *s)
{
	bool nobody;

	pthread_mutex_lock(&j.lock);
	nobody = j.listening && !j.client && !j.left;
	pthread_mutex_unlock(&j.lock);
	if (nobody)
		session_resume(s, RESUME_GO);
	return !nobody;
}

static void json_note(struct session *s, enum note_level level, const char *text)
{
	(void)s;
	json_note_object(level, text);
}

static void json_say(struct session *s, const char *text)
{
	(void)s;
	if (j.in_command && j.said.len && j.said.s[j.said.len - 1] != '\n')
		buf_adds(&j.said, "\n");
	if (j.in_command)
		buf_adds(&j.said, text);
	else
		json_note_object(NOTE_INFO, text);
}

static void json_program_exited(struct session *s, int status)
{
	host_flush();
	json_exited(status);
	enter_state(STOPPED);
	s->setup.restartable = s->setup.restartable && can_restart();
}

static bool json_confirm(struct session *s, const char *question)
{
	(void)s;
	(void)question;
	return true;
}

/* The process ends or becomes another program (restart): that one gets the descriptors as they were. */
static void give_back(void)
{
	int i, flags;

	relay_stop();
	if (!can_restart())
		return;
	for (i = 0; i < 3 && j.captured; i++)
		if (j.fd[i] >= 0)
			dup2(j.fd[i], i);
	if (!j.captured) {
		flags = fcntl(j.fd[0], F_GETFD);
		fcntl(j.fd[0], F_SETFD, flags & ~FD_CLOEXEC);
	}
}

/* After a detach the program's output and its end are still reported. */
static void json_release(struct session *s)
{
	struct input *in;
	bool begin;

	val_free(j.held);
	j.held = NULL;
	if (!s->detached) {
		give_back();
		return;
	}
	pthread_mutex_lock(&j.lock);
	j.state = DETACHED;
	if (j.slow)
		dprintf(2, "cdbg: detached, the program runs on: the client did not read what it was sent\n");
	j.slow = false;
	begin = j.left && j.client; /* the next one is there already */
	j.left = false;
	while (!begin && (in = j.first)) {
		j.first = in->next;
		json_reply_at_once(in->text, "cdbg is detached: the program runs on without it");
		free(in->text);
		free(in);
	}
	pthread_mutex_unlock(&j.lock);
	if (begin && j.begin)
		j.begin();
}

const struct front_ops front_json = {
	.name = "json",
	.no_child = "in JSON: the process that holds the conversation serves the one it was started for, and ends "
		    "with it; use --plain",
	.stopped = json_stopped,
	.ready = json_ready_for_lines,
	.read = json_read,
	.begin = json_begin,
	.ran = json_ran,
	.running = json_running,
	.visit = json_visit,
	.note = json_note,
	.say = json_say,
	.exited = json_program_exited,
	.confirm = json_confirm,
	.release = json_release,
};

/* When the process has ended, all of it has been reported. */
static const struct audit_watch watch = { .exiting = json_exited, .leaving = relay_flush };

/* ---- opening -------------------------------------------------------------------------------------------- */

static void json_forked(void)
{
	relay_forked();
	j.state = DETACHED;
	j.listening = j.client = j.greet = false;
	pthread_mutex_init(&j.lock, NULL);
}

static int start_reader(struct err *err)
{
	sigset_t all, old;
	pthread_t t;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = pthread_create(&t, NULL, reader, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (e)
		return err_set(err, "cannot start a thread: %s", strerror(e));
	pthread_detach(t);
	return 0;
}

/* Descriptor 2 may be closed: then it stays so after a restart. */
static int keep_descriptors(int fd, struct err *err)
{
	int i;

	if (fd >= 0) {
		j.fd[0] = ownfd_adopt(fd);
		return j.fd[0] >= 0 ? 0 : err_set(err, "descriptor %d is not open: --json=FD needs a socket", fd);
	}
	for (i = 0; i < 3; i++)
		j.fd[i] = ownfd_copy(i);
	if (j.fd[0] < 0 || j.fd[1] < 0)
		return err_set(err, "--json needs an open standard input and output");
	return 0;
}

/* The process of the relay writes the object; in a child of the program the text goes to its standard error. */
static int crash_descriptor(int sig)
{
	(void)sig;
	return relay_here() ? -1 : STDERR_FILENO;
}

static int watch_program(struct err *err)
{
	if (audit_watch(&watch, err) < 0)
		return -1;
	pthread_atfork(NULL, NULL, json_forked);
	crash_shown_by(crash_descriptor);
	atexit(relay_flush);
	return 0;
}

static struct listener listener; /* as the other process has it */

const char *front_json_where(void)
{
	return j.listening ? listener.shown : NULL;
}

static int wait_client(struct err *err)
{
	bool there = false;

	while (!there && host_pause(20, err) == 0) {
		pthread_mutex_lock(&j.lock);
		there = j.client;
		pthread_mutex_unlock(&j.lock);
	}
	return there ? 0 : -1;
}

static int open_listener(const struct front_socket *where, struct err *err)
{
	if (listener_open(&listener, where->address, where->token_file, err) < 0)
		return -1;
	if (relay_listen(&listener, &json_words, err) < 0 || watch_program(err) < 0)
		return -1;
	j.listening = true;
	j.begin = where->begin;
	listener_tell(&listener, where->wait, where->quiet);
	return start_reader(err);
}

int front_json_listen(const struct front_socket *where, struct err *err)
{
	bool wait = where->wait && !j.listening;

	if (!j.listening && open_listener(where, err) < 0)
		return -1;
	if (wait && wait_client(err) < 0)
		return -1;
	pthread_mutex_lock(&j.lock);
	j.state = wait ? STOPPED : RUNNING;
	if (visit_is_due())
		hook_visit();
	pthread_mutex_unlock(&j.lock);
	return 0;
}

int front_json_open(int fd, struct err *err)
{
	j.captured = fd < 0;
	if (keep_descriptors(fd, err) < 0)
		return -1;
	if (relay_start(j.fd[0], j.fd[j.captured], j.captured, &json_words, err) < 0 || watch_program(err) < 0)
		return -1;
	j.state = STOPPED;
	json_ready(session_get());
	relay_wait(); /* it is the first object, even if the program writes immediately */
	return start_reader(err);
}
