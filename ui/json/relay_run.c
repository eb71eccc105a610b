/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that holds the JSON conversation of the program: see relay.h.  One thread reads the program's output, one
   reads commands, one handles the messages of the program's side.  It runs until the program has ended, also when that
   becomes another program by exec().  Knows nothing of Python. */
#include "config.h"
#include "ui/json/relay_run.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/file.h"
#include "ui/json/relay.h"
#include "ui/output/companion.h"

enum { CHUNK = 65536, PART = 4096, RECHECK_MS = 50 };

/* ---- out, with the lock ----------------------------------------------------------------------------------- */

/* A side that does not read any more is ignored; the program's pipes are still read, so that it does not block. */
static void write_out(struct relay_run *r, const char *s, size_t n)
{
	if (r->out >= 0 && file_write_all(r->out, s, n) < 0)
		r->out = -1;
}

static void run_send(struct relay_run *r, int i, const char *text, size_t n)
{
	struct buf b = { 0 };

	if (!n || r->out < 0)
		return;
	r->words->output(&b, i + 1, text, n);
	write_out(r, buf_str(&b), b.len);
	buf_release(&b);
}

/* Reads at most max bytes once; returns their number. */
static size_t run_read(struct relay_run *r, int i, size_t max)
{
	struct relay_stream *st = &r->stream[i];
	size_t whole, rest;
	ssize_t n;

	do
		n = read(st->fd, st->text + st->kept, max < CHUNK ? max : CHUNK);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		close(st->fd);
	if (n == 0 || (n < 0 && errno != EAGAIN))
		st->fd = -1; /* all writers are gone */
	if (n <= 0)
		return 0;
	whole = st->kept + (size_t)n;
	rest = text_unfinished(st->text, whole);
	whole -= rest;
	run_send(r, i, st->text, whole);
	memmove(st->text, st->text + whole, rest);
	st->kept = rest;
	return (size_t)n;
}

/* Reads only what is available now: a thread or child that writes without end must not delay the report of a stop. */
static void drain(struct relay_run *r)
{
	int i, there;
	size_t n;

	for (i = 0; i < 2; i++) {
		there = 0;
		if (r->stream[i].fd < 0 || ioctl(r->stream[i].fd, FIONREAD, &there) < 0)
			continue;
		for (; there > 0 && r->stream[i].fd >= 0; there -= (int)n) {
			n = run_read(r, i, (size_t)there);
			if (!n)
				break;
		}
	}
}

static void tell_halves(struct relay_run *r)
{
	int i;

	for (i = 0; i < 2; i++) {
		run_send(r, i, r->stream[i].text, r->stream[i].kept);
		r->stream[i].kept = 0;
	}
}

/* ---- messages ----------------------------------------------------------------------------------------------- */

/* False: the sender ended before it had sent all of it. */
static bool run_receive(struct relay_run *r, char *s, size_t n)
{
	struct ring *up = &r->shared->up;
	uint32_t changes;
	bool closed;
	size_t got;

	while (n) {
		changes = ring_changes(up);
		closed = atomic_load(&up->closed);
		got = ring_get(up, s, n);
		s += got;
		n -= got;
		if (!got && closed)
			return false;
		if (!got)
			ring_sleep(up, changes, -1);
	}
	return true;
}

static void stop_commands(struct relay_run *r)
{
	ring_close(&r->shared->down);
	close(r->stop[1]);
	r->stop[1] = -1;
}

static void handle(struct relay_run *r, enum relay_kind kind, const char *s, size_t n)
{
	pthread_mutex_lock(&r->lock);
	drain(r);
	if (kind == RELAY_LAST || kind == RELAY_STOP) {
		tell_halves(r);
		r->told_end = true;
	}
	write_out(r, s, n);
	if (kind == RELAY_STOP) {
		stop_commands(r);
		close(r->out);
		r->out = -1;
	}
	pthread_mutex_unlock(&r->lock);
	ring_handled(&r->shared->up);
}

static void *messages(void *arg)
{
	struct relay_run *r = arg;
	struct relay_head head;
	size_t cap = 0, n = 0;
	char *s = NULL;

	while (run_receive(r, (char *)&head, sizeof(head))) {
		if (head.len)
			s = mem_room(s, &cap, n + head.len, 1);
		if (head.len && !run_receive(r, s + n, head.len))
			break;
		n += head.len;
		if (head.kind == RELAY_PART)
			continue;
		handle(r, head.kind, s, n);
		n = 0;
		if (cap > 1 << 20) {
			free(s);
			s = NULL;
			cap = 0;
		}
	}
	free(s);
	return NULL;
}

/* ---- descriptors ---------------------------------------------------------------------------------------------- */

/* A thread of its own: it reads commands while the other side does not read what we write. */
static void *commands(void *arg)
{
	struct relay_run *r = arg;
	struct ring *down = &r->shared->down;
	struct pollfd p[2] = { { .fd = r->in, .events = POLLIN }, { .fd = r->stop[0], .events = POLLIN } };
	char part[PART], *s;
	uint32_t changes;
	size_t done;
	ssize_t n;

	for (;;) {
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[1].revents)
			return NULL;
		n = read(r->in, part, sizeof(part));
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		for (s = part; n && !atomic_load(&down->closed); s += done, n -= (ssize_t)done) {
			changes = ring_changes(down);
			done = ring_put(down, s, (size_t)n);
			if (!done)
				ring_sleep(down, changes, -1);
		}
	}
	ring_close(down);
	return NULL;
}

/* One round: reads what is available. True: the program has ended. */
static bool relay_serve(struct relay_run *r, int program)
{
	struct pollfd p[3] = {
		{ .fd = r->stream[0].fd, .events = POLLIN },
		{ .fd = r->stream[1].fd, .events = POLLIN },
		{ .fd = program, .events = POLLIN },
	};
	int i;

	if (poll(p, 3, program < 0 ? RECHECK_MS : -1) < 0)
		return false;
	pthread_mutex_lock(&r->lock);
	for (i = 0; i < 2; i++)
		if (p[i].revents && r->stream[i].fd >= 0)
			run_read(r, i, CHUNK);
	pthread_mutex_unlock(&r->lock);
	return p[2].revents || (program < 0 && companion_gone());
}

/* Children that outlive the program may still write: this is discarded, and is not an error for them. */
static void swallow(struct relay_run *r)
{
	struct pollfd p[2];
	int i;

	for (;;) {
		for (i = 0; i < 2; i++)
			p[i] = (struct pollfd){ .fd = r->stream[i].fd, .events = POLLIN };
		if ((p[0].fd < 0 && p[1].fd < 0) || poll(p, 2, -1) < 0)
			return;
		for (i = 0; i < 2; i++)
			if (p[i].revents)
				run_read(r, i, CHUNK);
	}
}

/* The program ended without a word: os.exec*(), a signal, a crash. */
static void tell_end(struct relay_run *r, int program)
{
	struct buf b = { 0 };
	int status = -1;

	if (r->told_end || r->out < 0)
		return;
	companion_status(program, &status);
	r->words->ended(&b, status);
	write_out(r, buf_str(&b), b.len);
	buf_release(&b);
}

/* The kernel writes into `alive` when this process ends, whatever ends it. */
static void say_alive(struct relay_shared *shared)
{
	static struct robust_list_head head;

	head.list.next = &shared->node;
	head.futex_offset = (long)offsetof(struct relay_shared, alive) - (long)offsetof(struct relay_shared, node);
	shared->node.next = &head.list;
	syscall(SYS_set_robust_list, &head, sizeof(head));
	atomic_store(&shared->alive, (uint32_t)syscall(SYS_gettid) | FUTEX_WAITERS);
	syscall(SYS_futex, &shared->alive, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void relay_run(void *run, int program)
{
	struct relay_run *r = run;
	pthread_t handler, reader;

	pthread_mutex_init(&r->lock, NULL);
	if (pipe2(r->stop, O_CLOEXEC) < 0 || pthread_create(&handler, NULL, messages, r) ||
	    pthread_create(&reader, NULL, commands, r))
		_exit(1);
	say_alive(r->shared);
	while (!relay_serve(r, program))
		;
	ring_close(&r->shared->up); /* what was sent whole is still handled */
	pthread_join(handler, NULL);
	drain(r);
	tell_halves(r);
	tell_end(r, program);
	if (r->stop[1] >= 0)
		stop_commands(r);
	pthread_join(reader, NULL);
	close(r->in);
	close(r->out);
	r->out = -1;
	swallow(r);
}
