/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a client, queued by a thread of its own: see inbox.h. */
#include "config.h"
#include "ui/wire/inbox.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/own_thread.h"
#include "engine/session.h"
#include "engine/stop.h"
#include "py/hook/hook.h"
#include "py/interp/gil_thread.h"
#include "ui/wire/relay.h"

struct message {
	struct message *next;
	char *text;
	bool interrupts;
	bool running; /* it came while the program ran: a visit serves it, or the stop that comes first */
	bool told;    /* ... and was answered that it has to wait */
	struct timespec came;
};

static struct {
	const struct inbox_words *words;
	void (*begin)(void);
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t more;
	struct message *first, **end; /* end: where the next one goes; NULL: not known */
	int interrupts;		      /* messages of the queue that ask for a stop */
	bool eof;
	bool interrupted;      /* for the first message of the queue, which asks for a stop, one was requested */
	bool seen_running;     /* see inbox_see_running() */
	bool stop_wanted;      /* a stop was asked for while the program ran, which has not stopped since ... */
	struct timespec asked; /* ... then */
	bool late;	       /* ... and words->late() was called for it */
	bool visit_wanted;     /* a visit was asked for, which has not come since ... */
	struct timespec since; /* ... then */
	bool aside;	       /* ... and a thread of cdbg's own is to make one in its place ... */
	bool serves_aside;     /* ... or makes it */
	bool reading;	       /* the thread runs */
	bool gone;	       /* ... and is to end: another process reads */
	enum inbox_state state;
	/* Over a socket that listens. */
	bool client;	    /* one is there */
	bool greet;	    /* ... and nothing was sent to it yet */
	bool left;	    /* the one of this session has gone: the session ends, also if another one has come */
	bool ends;	    /* see inbox_ends_session() */
	bool slow;	    /* it was cut off, since it did not read */
	bool once;	    /* no other one comes */
	void (*wake)(void); /* see inbox_wakes() */
	bool stops;	    /* its coming asks for a stop, and nothing is served before that */
	pthread_t thread;
} in = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };

/* ---- the reader's thread ------------------------------------------------------------------------------------ */

/* With the lock. */
static void wake_stopped(void)
{
	pthread_cond_signal(&in.more);
	if (in.wake && (in.state == INBOX_STOPPED || in.state == INBOX_BUSY))
		in.wake();
}

/* With the lock. */
static void queue_message(char *text)
{
	struct message *m = mem_alloc(sizeof(*m));

	m->text = text;
	m->interrupts = in.words->interrupts(text);
	m->running = in.state == INBOX_RUNNING || in.state == INBOX_DETACHED || in.seen_running;
	if (m->running)
		clock_gettime(CLOCK_MONOTONIC, &m->came);
	if (!in.first || !in.end)
		for (in.end = &in.first; *in.end; in.end = &(*in.end)->next)
			;
	*in.end = m;
	in.end = &m->next;
	in.interrupts += m->interrupts;
	wake_stopped();
}

/* With the lock. */
static void want_stop(void)
{
	if (!in.stop_wanted)
		clock_gettime(CLOCK_MONOTONIC, &in.asked);
	in.late = in.late && in.stop_wanted;
	in.stop_wanted = true;
	hook_interrupt();
}

/* With the lock: messages that came together are queued before the first of them is served. */
void inbox_take(char *text)
{
	if (in.state == INBOX_DETACHED && !in.greet) { /* else a session begins for this client */
		in.words->answer(text, ANSWER_DETACHED);
	} else if (in.stops) {
		queue_message(text);
		return;
	} else if (in.state == INBOX_RUNNING && in.words->interrupts(text)) {
		want_stop();
		in.words->answer(text, ANSWER_DONE); /* under the lock: before what tells of the stop */
	} else if (in.state != INBOX_RUNNING || !in.words->at_once || !in.words->at_once(text)) {
		queue_message(text);
		return;
	}
	free(text);
}

/* With the lock: messages that came before the program continued wait for its next stop, and all after them. */
static bool visit_is_due(void)
{
	return in.state == INBOX_RUNNING && (!in.stops || in.left) &&
	       (in.greet || in.left || (in.first && in.first->running));
}

/* With the lock. */
static void ask_visit(void)
{
	if (!visit_is_due())
		return;
	if (!in.visit_wanted)
		clock_gettime(CLOCK_MONOTONIC, &in.since);
	in.visit_wanted = true;
	hook_visit();
}

static void take_eof(void)
{
	pthread_mutex_lock(&in.lock);
	if (in.words->ended)
		in.words->ended();
	in.eof = true;
	in.left = in.ends && in.state != INBOX_DETACHED;
	ask_visit();
	pthread_cond_signal(&in.more);
	pthread_mutex_unlock(&in.lock);
}

/* Does one that asks for a stop wait in the queue? */
static bool interrupt_waits(void)
{
	bool waits;

	pthread_mutex_lock(&in.lock);
	waits = in.interrupts > 0 && in.state != INBOX_DETACHED && !in.gone;
	pthread_mutex_unlock(&in.lock);
	return waits;
}

/* One that asks for a stop directly after the command being run ends that command. */
static void end_command(void)
{
	pthread_mutex_lock(&in.lock);
	if (in.state == INBOX_BUSY && in.first && in.first->interrupts && !in.interrupted) {
		in.interrupted = true;
		hook_interrupt();
	}
	pthread_mutex_unlock(&in.lock);
}

enum {
	PATIENCE = 20,	 /* ms: a command that ends sooner is not disturbed */
	LATE = 200,	 /* ms: a stop that comes later than this is late */
	PENDING = 1000,	 /* ms: then a message is answered that it has to wait */
	CHECK_EVERY = 50 /* ms */
};

static long ms_since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - t->tv_sec) * 1000 + (now.tv_nsec - t->tv_nsec) / 1000000;
}

static void forget_messages(void)
{
	struct message *m;

	while ((m = in.first)) {
		in.first = m->next;
		free(m->text);
		free(m);
	}
	in.end = NULL;
	in.interrupts = 0;
}

static void client_came(void)
{
	bool begin;

	pthread_mutex_lock(&in.lock);
	forget_messages();
	in.client = in.greet = true;
	begin = in.state == INBOX_DETACHED;
	ask_visit();
	if (in.stops)
		want_stop();
	wake_stopped();
	pthread_mutex_unlock(&in.lock);
	if (begin && in.begin)
		in.begin();
}

/* The program is left as by `detach`: at its stop, or in a visit. */
static void client_gone(bool slow)
{
	pthread_mutex_lock(&in.lock);
	in.client = in.greet = false;
	in.left = in.state != INBOX_DETACHED && !in.wake;
	in.slow = slow && !in.wake;
	forget_messages();
	ask_visit();
	pthread_cond_signal(&in.more);
	pthread_mutex_unlock(&in.lock);
}

/* Answer the messages that no visit has reached in a second.  False: none waits for a visit. */
static bool answer_pending(void)
{
	struct message *m;
	bool waits;

	pthread_mutex_lock(&in.lock);
	waits = visit_is_due();
	for (m = waits ? in.first : NULL; m && m->running; m = m->next)
		if (!m->told && ms_since(&m->came) >= PENDING) {
			in.words->answer(m->text, ANSWER_PENDING);
			m->told = true;
		}
	for (waits = false, m = in.first; m && m->running; m = m->next)
		waits = waits || (in.state == INBOX_RUNNING && !m->told);
	pthread_mutex_unlock(&in.lock);
	return waits;
}

/* With the lock. */
static bool stop_is_late(void)
{
	return in.stop_wanted && in.state == INBOX_RUNNING && !in.gone && ms_since(&in.asked) >= LATE;
}

bool inbox_stop_is_late(void)
{
	bool late;

	pthread_mutex_lock(&in.lock);
	late = stop_is_late();
	pthread_mutex_unlock(&in.lock);
	return late;
}

/* Says so once of each stop that is late.  False: none may become so. */
static bool watch_stop(void)
{
	bool wanted, late;

	pthread_mutex_lock(&in.lock);
	wanted = in.words->late && in.stop_wanted && !in.late && in.state == INBOX_RUNNING;
	late = wanted && stop_is_late();
	in.late = in.late || late;
	pthread_mutex_unlock(&in.lock);
	if (late)
		in.words->late();
	return wanted && !late;
}

/* With the GIL, in a thread of cdbg's own. */
static void visit_aside(void *unused)
{
	struct session *s = session_living();
	bool due;

	(void)unused;
	pthread_mutex_lock(&in.lock);
	in.serves_aside = due = visit_is_due();
	in.aside = false;
	pthread_mutex_unlock(&in.lock);
	if (s && due)
		session_visit(s, hook_thread_self());
	pthread_mutex_lock(&in.lock);
	in.serves_aside = false;
	pthread_mutex_unlock(&in.lock);
	hook_thread_leave();
}

/* The main thread does not come while it is in C code.  Where that has given up the GIL, another thread makes its
   visit.  False: none may become late. */
static bool watch_visit(void)
{
	struct err err;
	bool wanted, late;

	pthread_mutex_lock(&in.lock);
	wanted = visit_is_due() && in.visit_wanted && !in.aside && !in.gone;
	late = wanted && ms_since(&in.since) >= LATE;
	in.aside = in.aside || late;
	pthread_mutex_unlock(&in.lock);
	if (late)
		gil_thread_post(visit_aside, NULL, &err); /* without a thread, it comes when the C code is over */
	return wanted && !late;
}

static bool has_to_look(void)
{
	bool stop = watch_stop(), visit = watch_visit();

	return answer_pending() || stop || visit;
}

static void wait_input(void)
{
	while (interrupt_waits() || has_to_look()) {
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

static void take_bytes(const char *s, size_t n)
{
	pthread_mutex_lock(&in.lock);
	in.words->bytes(s, n);
	if (s)
		ask_visit();
	pthread_mutex_unlock(&in.lock);
}

static void *reader(void *unused)
{
	enum relay_got got;
	char part[4096];
	size_t n;

	(void)unused;
	do {
		wait_input();
		got = relay_read(part, sizeof(part), &n);
		if (got == RELAY_BYTES)
			take_bytes(part, n);
		if (got == RELAY_CLIENT || got == RELAY_GONE)
			take_bytes(NULL, 0);
		if (got == RELAY_CLIENT)
			client_came();
		if (got == RELAY_GONE)
			client_gone(n > 0);
	} while (got != RELAY_ENDED && got != RELAY_LEFT);
	if (got == RELAY_ENDED) {
		take_eof();
		wait_interrupts();
	}
	pthread_mutex_lock(&in.lock);
	in.reading = false;
	pthread_cond_broadcast(&in.more);
	pthread_mutex_unlock(&in.lock);
	return NULL;
}

void inbox_given(const struct inbox_words *words, const char *s, size_t n)
{
	in.words = words;
	take_bytes(s, n);
}

static int start_reader(struct err *err)
{
	int e;

	in.reading = true;
	e = own_thread_start(&in.thread, reader, NULL);
	if (e)
		return err_set(err, "cannot start a thread: %s", strerror(e));
	if (!in.once)
		pthread_detach(in.thread);
	return 0;
}

int inbox_start(const struct inbox_words *words, void (*begin)(void), struct err *err)
{
	in.words = words;
	in.begin = begin;
	return start_reader(err);
}

void inbox_ends_session(void)
{
	in.ends = true;
}

void inbox_once(bool stop)
{
	in.once = true;
	in.stops = stop;
}

void inbox_end(void)
{
	if (!in.once)
		return;
	pthread_join(in.thread, NULL);
	forget_messages();
	in.once = in.stops = in.eof = in.client = in.greet = in.left = in.visit_wanted = false;
}

void inbox_forked(void)
{
	in.state = INBOX_DETACHED;
	in.client = in.greet = in.visit_wanted = in.aside = in.serves_aside = false;
	pthread_mutex_init(&in.lock, NULL);
}

void inbox_unserved(void (*pass)(void *arg, const char *text), void *arg)
{
	const struct message *m;

	pthread_mutex_lock(&in.lock);
	while (in.reading)
		pthread_cond_wait(&in.more, &in.lock);
	for (m = in.first; m; m = m->next)
		pass(arg, m->text);
	pthread_mutex_unlock(&in.lock);
}

/* A digit for each of some flags, then messages as LENGTH:TEXT, then ':' and the beginning of one. */
void inbox_leave(struct buf *out)
{
	const struct message *m;

	pthread_mutex_lock(&in.lock);
	in.gone = true;
	while (in.reading)
		pthread_cond_wait(&in.more, &in.lock);
	buf_addf(out, "%d%d%d%d", in.client, in.greet, in.left, in.slow);
	for (m = in.first; m; m = m->next)
		buf_addf(out, "%zu:%s", strlen(m->text), m->text);
	buf_adds(out, ":");
	if (in.words->rest)
		in.words->rest(out);
	forget_messages();
	pthread_mutex_unlock(&in.lock);
	if (in.once)
		pthread_join(in.thread, NULL);
}

int inbox_arrive(const char *said, struct err *err)
{
	size_t n;
	char *end;

	pthread_cond_init(&in.more, NULL);
	forget_messages();
	in.words->bytes(NULL, 0);
	in.state = INBOX_STOPPED;
	in.seen_running = in.stop_wanted = in.interrupted = in.gone = false;
	in.client = said[0] == '1';
	in.greet = said[1] == '1';
	in.left = said[2] == '1';
	in.slow = said[3] == '1';
	for (said += 4; *said != ':'; said = end + n) {
		n = strtoul(said, &end, 10);
		queue_message(mem_strn(++end, n));
	}
	in.words->bytes(said + 1, strlen(said + 1));
	return start_reader(err);
}

/* ---- a stop ------------------------------------------------------------------------------------------------ */

static char *take_first(void)
{
	struct message *m = in.first;
	char *text = m->text;

	in.first = m->next;
	if (!in.first)
		in.end = NULL;
	in.interrupts -= m->interrupts;
	free(m);
	return text;
}

char *inbox_next(void)
{
	char *text;

	pthread_mutex_lock(&in.lock);
	in.state = INBOX_STOPPED;
	while (!in.first && !in.eof && !in.left)
		pthread_cond_wait(&in.more, &in.lock);
	text = in.left || !in.first ? NULL : take_first();
	pthread_mutex_unlock(&in.lock);
	return text;
}

void inbox_wakes(void (*wake)(void))
{
	pthread_mutex_lock(&in.lock);
	in.wake = wake;
	pthread_mutex_unlock(&in.lock);
}

bool inbox_waits(void)
{
	bool waits;

	pthread_mutex_lock(&in.lock);
	waits = in.first || in.eof || in.left;
	pthread_mutex_unlock(&in.lock);
	return waits;
}

void inbox_enter(enum inbox_state state)
{
	pthread_mutex_lock(&in.lock);
	if (in.state != INBOX_DETACHED)
		in.state = state;
	if (in.state == INBOX_STOPPED) { /* the stop serves the messages */
		hook_visit_drop();
		in.stop_wanted = in.stops = in.late = in.visit_wanted = false;
	}
	pthread_mutex_unlock(&in.lock);
}

/* What came before is served by the first visit. */
void inbox_began(bool stopped)
{
	struct message *m;

	pthread_mutex_lock(&in.lock);
	in.state = stopped ? INBOX_STOPPED : INBOX_RUNNING;
	for (m = in.first; m && !stopped; m = m->next) {
		m->running = true;
		clock_gettime(CLOCK_MONOTONIC, &m->came);
	}
	ask_visit();
	pthread_mutex_unlock(&in.lock);
}

/* With the lock. One that came too late for the command it was to end must not end the next one. */
static void forget_interrupt(void)
{
	if (in.interrupted)
		hook_interrupt_taken();
	in.interrupted = false;
}

/* From here on no command runs, so that the reader requests no interrupt: neither for one that has ended its command
   and is still in the queue, nor for one that has just been read. */
void inbox_end_busy(void)
{
	pthread_mutex_lock(&in.lock);
	if (in.state == INBOX_BUSY)
		in.state = INBOX_STOPPED;
	forget_interrupt();
	pthread_mutex_unlock(&in.lock);
}

void inbox_see_running(bool on)
{
	pthread_mutex_lock(&in.lock);
	in.seen_running = on;
	pthread_mutex_unlock(&in.lock);
}

/* Serves the first message of the queue that asks for a stop, now that the program runs. */
static bool take_interrupt(void)
{
	struct message **p, *m;

	if (!in.interrupts)
		return false;
	for (p = &in.first; !(*p)->interrupts; p = &(*p)->next)
		;
	m = *p;
	*p = m->next;
	in.interrupts--;
	in.end = NULL;
	in.words->answer(m->text, ANSWER_DONE);
	free(m->text);
	free(m);
	return true;
}

void inbox_run(void)
{
	bool asked = false;

	pthread_mutex_lock(&in.lock);
	in.state = INBOX_RUNNING;
	in.seen_running = false;
	forget_interrupt(); /* its message is still in the queue */
	while (take_interrupt())
		asked = true;
	if (asked)
		want_stop();
	ask_visit();
	pthread_mutex_unlock(&in.lock);
}

char *inbox_next_visit(void)
{
	char *text;

	pthread_mutex_lock(&in.lock);
	in.visit_wanted = in.visit_wanted && in.serves_aside;
	text = (visit_is_due() || in.state == INBOX_STOPPED) && !in.left && in.first ? take_first() : NULL;
	pthread_mutex_unlock(&in.lock);
	return text;
}

/* An interrupt that ended a command of the visit is to stop the program, too. */
bool inbox_visited(void)
{
	bool left;

	pthread_mutex_lock(&in.lock);
	left = in.left;
	if (in.stop_wanted && !left)
		hook_interrupt();
	pthread_mutex_unlock(&in.lock);
	return left;
}

/* ---- clients of a socket that listens ------------------------------------------------------------------------- */

bool inbox_greet(void)
{
	bool due;

	pthread_mutex_lock(&in.lock);
	due = in.greet && !in.left;
	if (due)
		in.greet = false;
	pthread_mutex_unlock(&in.lock);
	if (due)
		relay_welcome();
	return due;
}

bool inbox_nobody(void)
{
	bool nobody;

	pthread_mutex_lock(&in.lock);
	nobody = !in.client && !in.left;
	pthread_mutex_unlock(&in.lock);
	return nobody;
}

bool inbox_client(void)
{
	bool there;

	pthread_mutex_lock(&in.lock);
	there = in.client;
	pthread_mutex_unlock(&in.lock);
	return there;
}

bool inbox_detached(void)
{
	bool begin, slow;

	pthread_mutex_lock(&in.lock);
	in.state = INBOX_DETACHED;
	slow = in.slow;
	in.slow = false;
	begin = in.left && in.client; /* the next one is there already */
	in.left = false;
	while (!begin && in.first) {
		char *text = take_first();

		in.words->answer(text, ANSWER_DETACHED);
		free(text);
	}
	pthread_mutex_unlock(&in.lock);
	if (begin && in.begin)
		in.begin();
	return slow;
}
