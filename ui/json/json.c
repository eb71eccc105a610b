/* SPDX-License-Identifier: BSD-3-Clause */
/* The front end for machines: one JSON object a line.  A thread of its own reads commands, so that `interrupt` works
   while the program runs; it never takes the GIL. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/ownfd.h"
#include "cmd/cmd.h"
#include "py/hook/audit.h"
#include "py/hook/hook.h"
#include "py/interp/host.h"
#include "ui/front.h"
#include "ui/json/json_out.h"
#include "ui/json/relay.h"
#include "view/view.h"

struct input {
	struct input *next;
	char *text;
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
	bool interrupted; /* for the first line of the queue, an `interrupt`, one was requested */
	enum state state;
	struct buf said; /* by session_say() while a command runs: the stopped thread's */
	bool in_command;
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

static void take_line(char *text)
{
	struct input *in;
	bool now = false;

	pthread_mutex_lock(&j.lock);
	if (j.state == DETACHED) {
		pthread_mutex_unlock(&j.lock);
		json_reply_at_once(text, "cdbg is detached: the program runs on without it");
		free(text);
		return;
	}
	if (is_interrupt(text)) {
		now = j.state == RUNNING;
		if (now)
			hook_interrupt();
	}
	if (now) {
		json_reply_at_once(text, NULL); /* under the lock: before the objects of the stop */
		free(text);
	} else {
		in = mem_alloc(sizeof(*in));
		in->text = text;
		if (!j.first || !j.end)
			for (j.end = &j.first; *j.end; j.end = &(*j.end)->next)
				;
		*j.end = in;
		j.end = &in->next;
		j.interrupts += is_interrupt(text);
		pthread_cond_signal(&j.more);
	}
	pthread_mutex_unlock(&j.lock);
}

static void take_eof(struct buf *rest)
{
	if (rest->len)
		take_line(cmd_line(rest->s, rest->len)); /* a last line without its newline */
	pthread_mutex_lock(&j.lock);
	j.eof = true;
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

enum { PATIENCE = 20 }; /* ms: a command that ends sooner is not disturbed */

static void wait_input(void)
{
	while (interrupt_waits()) {
		if (relay_readable(PATIENCE))
			return;
		end_command();
	}
}

/* The same after the end of input, where nothing can be read any more. */
static void wait_interrupts(void)
{
	const struct timespec patience = { .tv_nsec = PATIENCE * 1000000L };

	while (interrupt_waits()) {
		nanosleep(&patience, NULL);
		end_command();
	}
}

static void *reader(void *unused)
{
	struct buf line = { 0 };
	char part[4096], *p, *nl;
	size_t n;

	(void)unused;
	for (;;) {
		wait_input();
		n = relay_read(part, sizeof(part));
		if (!n)
			break;
		for (p = part; (nl = memchr(p, '\n', (size_t)(part + n - p))); p = nl + 1) {
			buf_add(&line, p, (size_t)(nl - p));
			if (line.len && line.s[line.len - 1] == '\r')
				line.s[--line.len] = '\0';
			take_line(cmd_line(buf_str(&line), line.len));
			buf_reset(&line);
		}
		buf_add(&line, p, (size_t)(part + n - p));
	}
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
	while (!j.first && !j.eof)
		pthread_cond_wait(&j.more, &j.lock);
	in = j.first;
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

static void json_begin(struct session *s, bool typed)
{
	(void)s;
	relay_wait(); /* output that this command causes comes after the last reply */
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
	if (j.said.len && !ran->failed && !r->rows)
		buf_add(&r->text, j.said.s, j.said.len);
	else if (j.said.len)
		json_note_object(NOTE_INFO, j.said.s);
	buf_release(&j.said);
	host_flush();
	json_reply(ran->line, !ran->failed, r, ran->err, s->resume != RESUME_NONE);
}

/* An `interrupt` at a stop only sends its reply. */
static char *json_read(struct session *s, enum input_end *end)
{
	struct reply none = { 0 };
	char *line;

	(void)s;
	*end = INPUT_EOF;
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
	return true;
}

static void json_stopped(struct session *s, const struct event *ev)
{
	struct val *stop;

	enter_state(STOPPED);
	stop = front_stop(s, ev);
	host_flush();
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
	pthread_mutex_lock(&j.lock);
	j.state = RUNNING;
	forget_interrupt(); /* its line is still in the queue */
	while (take_interrupt())
		asked = true;
	if (asked)
		hook_interrupt();
	pthread_mutex_unlock(&j.lock);
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

	if (!s->detached) {
		give_back();
		return;
	}
	pthread_mutex_lock(&j.lock);
	j.state = DETACHED;
	while ((in = j.first)) {
		j.first = in->next;
		json_reply_at_once(in->text, "cdbg is detached: the program runs on without it");
		free(in->text);
		free(in);
	}
	pthread_mutex_unlock(&j.lock);
}

const struct front_ops front_json = {
	.name = "json",
	.no_child = "in JSON: the process that holds the conversation serves the one it was started for, and ends "
		    "with it; use --plain",
	.stopped = json_stopped,
	.read = json_read,
	.begin = json_begin,
	.ran = json_ran,
	.running = json_running,
	.note = json_note,
	.say = json_say,
	.exited = json_program_exited,
	.confirm = json_confirm,
	.release = json_release,
};

/* When the process has ended, all of it has been reported. */
static const struct audit_watch watch = { .leaving = relay_flush };

/* ---- opening -------------------------------------------------------------------------------------------- */

static void json_forked(void)
{
	relay_forked();
	j.state = DETACHED;
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

int front_json_open(int fd, struct err *err)
{
	j.captured = fd < 0;
	if (keep_descriptors(fd, err) < 0)
		return -1;
	if (relay_start(j.fd[0], j.fd[j.captured], j.captured, json_output, err) < 0 || audit_watch(&watch, err) < 0)
		return -1;
	pthread_atfork(NULL, NULL, json_forked);
	atexit(relay_flush);
	j.state = STOPPED;
	json_ready(session_get());
	relay_wait(); /* it is the first object, even if the program writes immediately */
	return start_reader(err);
}
