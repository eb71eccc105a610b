/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the UI thread and the stopped one: a mutex, a condition for those who wait, a descriptor for the UI. */
#include "config.h"
#include "ui/tui/channel.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/ownfd.h"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int fd, wake; /* a pipe, because ownfd.c cannot distinguish one eventfd from another */
	enum life life;
	unsigned stop;
	struct val *status;
	const struct view_ops **views;
	struct ask ask;
	struct answer *answers, **answers_end;
	bool busy;
	struct message *said, **said_end;
	/* One caller at a time: it has the GIL. */
	bool call, call_taken;
	int call_status;
	const char *verb, *args;
	struct buf *out;
	struct err *err;
	const char *question;
	bool yes, question_taken;
	int hand, hand_taken;
	bool input, lend, closing, queued;
	bool nudged;	 /* see channel_nudge() */
	bool hold, held; /* the UI thread waits until it may go on */
	atomic_int child;
} ch = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
	.fd = -1,
	.wake = -1,
	.hand = -1,
};

void ask_release(struct ask *a)
{
	struct ask *next;

	free(a->text);
	free(a->words);
	free(a->filter);
	while ((next = a->next)) {
		a->next = next->next;
		free(next->text);
		free(next->words);
		free(next->filter);
		free(next);
	}
	memset(a, 0, sizeof(*a));
}

void answer_free(struct answer *a)
{
	free(a->line);
	free(a->text);
	rows_free(a->rows);
	free(a->numbers);
	val_free(a->list);
	free(a);
}

void channel_wake(void)
{
	char c = 0;

	if (!atomic_load(&ch.child) && ownfd_ok(ch.wake) && write(ch.wake, &c, 1) < 0)
		return; /* full: the UI is awake already */
}

int channel_open(void)
{
	int p[2] = { -1, -1 };

	if (pipe2(p, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	ch.fd = ownfd_move(p[0]);
	ch.wake = ownfd_move(p[1]);
	ch.life = LIFE_NEW;
	ch.closing = false;
	ch.said_end = &ch.said;
	ch.answers_end = &ch.answers;
	ch.hand = -1;
	return ch.fd;
}

void channel_close(void)
{
	struct message *m;
	struct answer *a;

	ownfd_close(ch.fd);
	ownfd_close(ch.wake);
	ch.fd = ch.wake = -1;
	ask_release(&ch.ask);
	while ((a = ch.answers)) {
		ch.answers = a->next;
		answer_free(a);
	}
	ch.answers_end = &ch.answers;
	ch.busy = ch.queued = false;
	val_free(ch.status);
	ch.status = NULL;
	free(ch.views);
	ch.views = NULL;
	while ((m = ch.said)) {
		ch.said = m->next;
		free(m->text);
		free(m);
	}
	ch.said_end = &ch.said;
}

static void lock(void)
{
	pthread_mutex_lock(&ch.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&ch.lock);
}

bool channel_ok(void)
{
	return ownfd_ok(ch.fd) && ownfd_ok(ch.wake);
}

/* ---- the UI thread ------------------------------------------------------------------------------ */

void channel_take(struct news *n)
{
	char bytes[256];

	memset(n, 0, sizeof(*n));
	while (ownfd_ok(ch.fd) && read(ch.fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes))
		;
	lock();
	while (ch.hold && !ch.closing) {
		ch.held = true;
		pthread_cond_broadcast(&ch.changed);
		pthread_cond_wait(&ch.changed, &ch.lock);
	}
	n->life = ch.life;
	n->stop = ch.stop;
	n->status = ch.status;
	ch.status = NULL;
	n->views = ch.views;
	n->answers = ch.answers;
	ch.answers = NULL;
	ch.answers_end = &ch.answers;
	n->said = ch.said;
	ch.said = NULL;
	ch.said_end = &ch.said;
	if (ch.call && !ch.call_taken) {
		ch.call_taken = n->call = true;
		n->verb = ch.verb;
		n->args = ch.args;
		n->out = ch.out;
		n->err = ch.err;
	}
	if (ch.question && !ch.question_taken) {
		ch.question_taken = true;
		n->question = ch.question;
	}
	n->hand = ch.hand_taken ? -1 : ch.hand;
	ch.hand_taken = ch.hand >= 0;
	n->input = ch.input;
	ch.input = false;
	n->lend = ch.lend && n->hand >= 0;
	n->closing = ch.closing;
	n->queued = ch.queued;
	unlock();
}

bool channel_post(struct ask *a)
{
	bool free_slot;

	lock();
	free_slot = (ch.life == LIFE_STOPPED || ch.life == LIFE_EXITED) && ch.ask.type == ASK_NONE && !ch.busy &&
		    !ch.answers;
	if (free_slot) {
		ch.ask = *a;
		memset(a, 0, sizeof(*a));
		pthread_cond_broadcast(&ch.changed);
	}
	unlock();
	return free_slot;
}

bool channel_busy(void)
{
	bool busy;

	lock();
	busy = (ch.ask.type != ASK_NONE && ch.life != LIFE_RUNS) || ch.busy || ch.answers || ch.call || ch.said ||
	       ch.hand >= 0 || ch.status || ch.queued;
	unlock();
	return busy;
}

static void done(void)
{
	pthread_cond_broadcast(&ch.changed);
	unlock();
}

void channel_call_done(int status)
{
	lock();
	ch.call_status = status;
	ch.call = ch.call_taken = false;
	done();
}

void channel_confirm_done(bool yes)
{
	lock();
	ch.yes = yes;
	ch.question = NULL;
	ch.question_taken = false;
	done();
}

void channel_hand_done(void)
{
	lock();
	ch.hand = -1;
	ch.hand_taken = 0;
	done();
}

/* ---- any thread --------------------------------------------------------------------------------- */

static struct message *message(enum said said, const char *text)
{
	struct message *m = mem_alloc(sizeof(*m));

	m->said = said;
	m->text = mem_str(text);
	return m;
}

/* With the lock. */
static void add_message(struct message *m)
{
	if (!ch.said_end)
		ch.said_end = &ch.said;
	*ch.said_end = m;
	ch.said_end = &m->next;
}

void channel_say(enum said said, const char *text)
{
	struct message *m = message(said, text);

	lock();
	add_message(m);
	unlock();
	channel_wake();
}

void channel_input(void)
{
	lock();
	ch.input = true;
	unlock();
	channel_wake();
}

/* ---- the stopped thread ------------------------------------------------------------------------- */

void channel_views(const struct view_ops **views)
{
	lock();
	if (!ch.views)
		ch.views = views;
	else
		free(views);
	unlock();
}

void channel_stopped(enum life life, struct val *status, const char *said)
{
	struct message *m = said ? message(SAID_TEXT, said) : NULL;

	lock();
	ask_release(&ch.ask);
	ch.busy = false;
	if (m)
		add_message(m);
	ch.life = life;
	ch.stop++;
	ch.input = false; /* what it asked for before this stop, it does not wait for */
	val_free(ch.status);
	ch.status = status;
	unlock();
	channel_wake();
}

void channel_status(struct val *status)
{
	lock();
	val_free(ch.status);
	ch.status = status;
	unlock();
}

void channel_next(struct ask *a)
{
	lock();
	while (ch.ask.type == ASK_NONE && !ch.closing && !ch.nudged)
		pthread_cond_wait(&ch.changed, &ch.lock);
	*a = ch.ask;
	memset(&ch.ask, 0, sizeof(ch.ask));
	ch.busy = a->type != ASK_NONE;
	if (!ch.busy && ch.nudged)
		a->type = ASK_BESIDE;
	ch.nudged = false;
	unlock();
}

void channel_nudge(void)
{
	lock();
	ch.nudged = true;
	pthread_cond_broadcast(&ch.changed);
	unlock();
}

void channel_answer(struct answer *a, bool more, bool runs)
{
	struct answer *own = mem_alloc(sizeof(*own));

	*own = *a;
	lock();
	own->stop = ch.stop;
	*ch.answers_end = own;
	ch.answers_end = &own->next;
	ch.busy = more;
	if (runs)
		ch.life = LIFE_RUNS;
	unlock();
	memset(a, 0, sizeof(*a));
	channel_wake();
}

void channel_queued(bool on)
{
	bool was;

	lock();
	was = ch.queued;
	ch.queued = on;
	unlock();
	if (was != on)
		channel_wake();
}

void channel_runs(void)
{
	lock();
	ch.life = LIFE_RUNS;
	ch.queued = false;
	unlock();
	channel_wake();
}

int channel_call(const char *verb, const char *args, struct buf *out, struct err *err)
{
	int status;

	if (atomic_load(&ch.child) || ch.fd < 0)
		return err_set(err, "there is no full screen here");
	lock();
	ch.verb = verb;
	ch.args = args;
	ch.out = out;
	ch.err = err;
	ch.call = true;
	unlock();
	channel_wake();
	lock();
	while (ch.call && !ch.closing)
		pthread_cond_wait(&ch.changed, &ch.lock);
	status = ch.call ? err_set(err, "the screen is being closed") : ch.call_status;
	ch.call = false;
	unlock();
	return status;
}

bool channel_confirm(const char *question)
{
	bool yes;

	if (atomic_load(&ch.child) || ch.fd < 0)
		return true;
	lock();
	ch.question = question;
	ch.question_taken = false;
	unlock();
	channel_wake();
	lock();
	while (ch.question && !ch.closing)
		pthread_cond_wait(&ch.changed, &ch.lock);
	yes = ch.question ? true : ch.yes;
	ch.question = NULL;
	unlock();
	return yes;
}

static void hand(bool to_program, bool lend)
{
	if (atomic_load(&ch.child) || ch.fd < 0)
		return;
	lock();
	ch.hand = to_program;
	ch.lend = lend;
	ch.hand_taken = 0;
	unlock();
	channel_wake();
	lock();
	while (ch.hand >= 0 && !ch.closing)
		pthread_cond_wait(&ch.changed, &ch.lock);
	ch.hand = -1;
	unlock();
}

void channel_hand(bool to_program)
{
	hand(to_program, false);
}

void channel_lend(void)
{
	hand(true, true);
}

void channel_hold(bool on)
{
	lock();
	ch.hold = on;
	ch.held = false;
	pthread_cond_broadcast(&ch.changed);
	unlock();
	if (!on)
		return;
	channel_wake();
	lock();
	while (!ch.held && !ch.closing)
		pthread_cond_wait(&ch.changed, &ch.lock);
	unlock();
}

void channel_shut(void)
{
	lock();
	ch.closing = true;
	pthread_cond_broadcast(&ch.changed);
	unlock();
	channel_wake();
}

void channel_forked(void)
{
	atomic_store(&ch.child, 1);
	ch.fd = ch.wake = -1;
	ch.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	ch.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

void channel_woken(void)
{
	ch.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	ch.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	ch.hold = ch.held = false;
}
