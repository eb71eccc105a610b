/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that holds the JSON conversation of the program: see relay.h.  One thread reads the program's output, one
   reads commands, one handles the messages of the program's side.  It runs until the program has ended, also when that
   becomes another program by exec().  Knows nothing of Python. */
#include "config.h"
#include "ui/wire/relay_run.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/file.h"
#include "ui/wire/listener.h"
#include "ui/wire/relay.h"
#include "ui/output/companion.h"

enum {
	CHUNK = 65536,
	PART = 4096,
	RECHECK_MS = 50,
	SLOW_MS = 5000, /* for a client to read a message */
	SLOW_RATE = 100 /* bytes a millisecond, in addition */
};

/* ---- out, with the lock ----------------------------------------------------------------------------------- */

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

/* The thread that reads commands tells the program's side. */
static void cut_off(struct relay_run *r)
{
	r->slow = true;
	if (r->listener)
		shutdown(r->out, SHUT_RDWR); /* it sees the end */
	else if (r->stop[1] >= 0 && write(r->stop[1], "", 1) < 0)
		return; /* it has ended */
}

/* Less than a pipe takes without blocking where poll() says that it has room. */
static ssize_t send_part(struct relay_run *r, const char *s, size_t n)
{
	if (r->listener)
		return send(r->out, s, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (poll(&(struct pollfd){ .fd = r->out, .events = POLLOUT }, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	return write(r->out, s, n < PIPE_BUF ? n : PIPE_BUF);
}

/* The other side gets some seconds for a message, and time for each byte.  False: it has closed, or did not read. */
static bool send_within(struct relay_run *r, const char *s, size_t n, long patience)
{
	long end = now_ms() + patience + (long)(n / SLOW_RATE), left;
	ssize_t done;

	while (n) {
		done = send_part(r, s, n);
		if (done > 0) {
			s += done;
			n -= (size_t)done;
			continue;
		}
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno != EAGAIN)
			return false;
		left = end - now_ms();
		if (left > 0 && poll(&(struct pollfd){ .fd = r->out, .events = POLLOUT }, 1, (int)left) != 0)
			continue;
		cut_off(r);
		return false;
	}
	return true;
}

const char *relay_wrap(const struct relay_words *words, const char *s, size_t *n, unsigned long *told, struct buf *room)
{
	const char *end = s + *n, *nl;

	if (!words->wrap)
		return s;
	for (; s < end && (nl = memchr(s, '\n', (size_t)(end - s))); s = nl + 1)
		words->wrap(room, s, (size_t)(nl - s), ++*told);
	*n = room->len;
	return buf_str(room);
}

/* A side that does not read any more is ignored; the program's pipes are still read, so that it does not block. */
void relay_out(struct relay_run *r, const char *s, size_t n)
{
	long patience = r->listener ? SLOW_MS : r->words->patience;
	struct buf room = { 0 };

	if (r->out < 0 || !n)
		return;
	s = relay_wrap(r->words, s, &n, &r->told, &room);
	atomic_store(&r->shared->told, r->told);
	if (patience ? !send_within(r, s, n, patience) : file_write_all(r->out, s, n) < 0)
		r->out = -1;
	buf_release(&room);
}

static void run_send(struct relay_run *r, int i, const char *text, size_t n)
{
	struct buf b = { 0 };

	if (!n || r->out < 0)
		return;
	r->words->output(&b, i + 1, text, n);
	relay_out(r, buf_str(&b), b.len);
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

/* What was read is passed on before the program's side sees the end. */
static void stop_commands(struct relay_run *r)
{
	close(r->stop[1]);
	r->stop[1] = -1;
	if (!r->listener)
		pthread_join(r->reader, NULL);
	ring_close(&r->shared->down);
}

static void welcome(struct relay_run *r)
{
	struct buf b = { 0 };

	r->out = r->client;
	if (r->refusal[0]) {
		r->words->warning(&b, r->refusal);
		relay_out(r, buf_str(&b), b.len);
		r->refusal[0] = '\0';
		buf_release(&b);
	}
}

static void keep(const struct relay_run *r, const char *s)
{
	int seconds;

	memcpy(&seconds, s, sizeof(seconds));
	if (r->out >= 0)
		listener_keep(r->out, seconds);
}

static void handle(struct relay_run *r, int kind, const char *s, size_t n)
{
	pthread_mutex_lock(&r->lock);
	drain(r);
	if (kind == RELAY_WELCOME && r->listener)
		welcome(r);
	if (kind == RELAY_LAST || kind == RELAY_STOP) {
		tell_halves(r);
		r->told_end = true;
	}
	if (kind == RELAY_AGAIN)
		r->told_end = false;
	if (kind == RELAY_KEEP)
		keep(r, s);
	else
		relay_out(r, s, n);
	if (kind == RELAY_STOP) {
		stop_commands(r);
		if (r->listener)
			listener_end(r->listener);
		else
			close(r->out);
		r->out = -1;
	}
	if (kind == RELAY_END) {
		listener_end(r->listener);
		_exit(0);
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

static bool put_down(struct relay_run *r, const char *s, size_t n)
{
	struct ring *down = &r->shared->down;
	uint32_t changes;
	size_t done;

	for (; n && !atomic_load(&down->closed); s += done, n -= done) {
		changes = ring_changes(down);
		done = ring_put(down, s, n);
		if (!done)
			ring_sleep(down, changes, -1);
	}
	return !n;
}

bool relay_down(struct relay_run *r, int kind, const char *s, size_t n)
{
	struct relay_head head = { .kind = kind, .len = n };

	return put_down(r, (const char *)&head, sizeof(head)) && put_down(r, s, n);
}

/* A thread of its own: it reads commands while the other side does not read what we write. */
static void *commands(void *arg)
{
	struct relay_run *r = arg;
	struct pollfd p[2] = { { .fd = r->in, .events = POLLIN }, { .fd = r->stop[0], .events = POLLIN } };
	char part[PART];
	ssize_t n;

	while (!r->listener) {
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[1].revents) {
			if (read(r->stop[0], part, 1) == 1) /* see cut_off() */
				relay_down(r, RELAY_GONE, "", 1);
			return NULL;
		}
		n = read(r->in, part, sizeof(part));
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0 || !relay_down(r, RELAY_BYTES, part, (size_t)n))
			break;
	}
	if (r->listener)
		clients_serve(r);
	ring_close(&r->shared->down);
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
	relay_out(r, buf_str(&b), b.len);
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
	pthread_t handler;

	pthread_mutex_init(&r->lock, NULL);
	if (pipe2(r->stop, O_CLOEXEC) < 0 || pthread_create(&handler, NULL, messages, r) ||
	    pthread_create(&r->reader, NULL, commands, r))
		_exit(1);
	say_alive(r->shared);
	while (!relay_serve(r, program))
		;
	ring_close(&r->shared->up); /* what was sent whole is still handled */
	pthread_join(handler, NULL);
	drain(r);
	tell_halves(r);
	tell_end(r, program);
	ring_close(&r->shared->down); /* nobody takes anything out */
	if (r->stop[1] >= 0)
		stop_commands(r);
	if (r->listener) {
		pthread_join(r->reader, NULL);
		listener_end(r->listener);
	} else {
		close(r->in);
		close(r->out);
	}
	r->out = -1;
	swallow(r);
}
