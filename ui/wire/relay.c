/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's side of the relay: see relay.h.  What the other process does is in relay_run.c. */
#include "config.h"
#include "ui/wire/relay.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "base/own_thread.h"
#include "py/crash/crash.h"
#include "ui/output/companion.h"
#include "ui/wire/listener.h"
#include "ui/wire/relay_run.h"

enum { START_MS = 20000 };

static struct {
	struct relay_shared *shared; /* NULL: no relay, or a fork's child */
	struct relay_shared *kept;   /* the same in a fork's child */
	atomic_bool left;	     /* another process reads */
	pthread_mutex_t lock;	     /* one sender at a time */
	uint64_t sent;		     /* messages begun */
	unsigned long told;
	pthread_t watch;
} rl = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local bool begun; /* this thread has the lock and has sent a part of an object */

/* ---- out ------------------------------------------------------------------------------------------------- */

/* With the lock.  A reader that died has closed the ring, or watch_relay() has. */
static void relay_put(const char *s, size_t n)
{
	struct ring *up = &rl.shared->up;
	uint32_t changes;
	size_t done;

	while (n && !atomic_load(&up->closed)) {
		changes = ring_changes(up);
		done = ring_put(up, s, n);
		s += done;
		n -= done;
		if (!done)
			ring_sleep(up, changes, -1);
	}
}

static void send_message(enum relay_kind kind, const char *s, size_t n)
{
	struct relay_head head = { .kind = kind, .len = n };

	if (!rl.shared)
		return;
	if (!begun) {
		pthread_mutex_lock(&rl.lock);
		if (!rl.shared) { /* relay_release() was faster */
			pthread_mutex_unlock(&rl.lock);
			return;
		}
		rl.sent++;
	}
	relay_put((const char *)&head, sizeof(head));
	relay_put(s, n);
	begun = kind == RELAY_PART;
	if (!begun)
		pthread_mutex_unlock(&rl.lock);
}

void relay_part(const char *s, size_t n)
{
	send_message(RELAY_PART, s, n);
}

void relay_send(const char *s, size_t n, bool last)
{
	send_message(last ? RELAY_LAST : RELAY_OBJECT, s, n);
}

void relay_wait(void)
{
	struct ring *up;
	uint64_t sent;
	uint32_t changes;

	if (!rl.shared)
		return;
	up = &rl.shared->up;
	pthread_mutex_lock(&rl.lock);
	sent = rl.sent;
	pthread_mutex_unlock(&rl.lock);
	for (;;) {
		changes = ring_changes(up);
		if (atomic_load(&up->handled) >= sent || atomic_load(&up->closed))
			return;
		ring_sleep(up, changes, -1);
	}
}

void relay_welcome(void)
{
	send_message(RELAY_WELCOME, "", 0);
}

void relay_keep(int seconds)
{
	send_message(RELAY_KEEP, (const char *)&seconds, sizeof(seconds));
}

void relay_flush(void)
{
	send_message(RELAY_DRAIN, "", 0);
	relay_wait();
}

unsigned long relay_stop(void)
{
	send_message(RELAY_STOP, "", 0);
	relay_wait();
	return rl.shared ? atomic_load(&rl.shared->told) : 0;
}

void relay_end(void)
{
	if (!rl.shared)
		return;
	send_message(RELAY_END, "", 0);
	pthread_join(rl.watch, NULL); /* it ends with the other process, and closes the rings */
}

void relay_release(void)
{
	struct relay_shared *shared;

	pthread_mutex_lock(&rl.lock);
	shared = rl.shared;
	rl.shared = NULL;
	rl.sent = 0;
	pthread_mutex_unlock(&rl.lock);
	if (shared)
		munmap(shared, sizeof(*shared));
}

/* ---- in -------------------------------------------------------------------------------------------------- */

/* At least a byte, at most max; 0: nothing more comes, or started is false and this process has left. */
static size_t get_some(struct ring *down, char *s, size_t max, bool started)
{
	uint32_t changes;
	bool closed, left;
	size_t n;

	for (;;) {
		changes = ring_changes(down);
		closed = atomic_load(&down->closed);
		left = !started && atomic_load(&rl.left);
		n = left ? 0 : ring_get(down, s, max);
		if (n || closed || left)
			return n;
		ring_sleep(down, changes, -1);
	}
}

static bool get_head(struct ring *down, struct relay_head *head)
{
	struct relay_head own = { 0 };
	char *s = (char *)&own;
	size_t left = sizeof(own), n;

	for (; left; s += n, left -= n) {
		n = get_some(down, s, left, left < sizeof(own)); /* a head that was begun is read whole */
		if (!n)
			return false;
	}
	*head = own;
	return true;
}

static enum relay_got no_more(void)
{
	return atomic_load(&rl.left) ? RELAY_LEFT : RELAY_ENDED;
}

enum relay_got relay_read(char *s, size_t max, size_t *n)
{
	struct relay_head *head = &rl.shared->came;
	struct ring *down = &rl.shared->down;

	*n = 0;
	if (!head->len && !get_head(down, head))
		return no_more();
	if (!head->len)
		return head->kind;
	*n = get_some(down, s, max < head->len ? max : head->len, false);
	head->len -= *n;
	return *n ? (enum relay_got)head->kind : no_more();
}

bool relay_readable(int ms)
{
	struct ring *down = &rl.shared->down;
	uint32_t changes = ring_changes(down);

	if (!ring_there(down) && !atomic_load(&down->closed) && !atomic_load(&rl.left))
		ring_sleep(down, changes, ms);
	return ring_there(down) || atomic_load(&down->closed) || atomic_load(&rl.left);
}

bool relay_here(void)
{
	return rl.shared && !atomic_load(&rl.shared->up.closed);
}

void relay_forked(void)
{
	if (rl.shared)
		rl.kept = rl.shared;
	rl.shared = NULL;
	begun = false;
	pthread_mutex_init(&rl.lock, NULL);
}

/* ---- start ------------------------------------------------------------------------------------------------ */

/* The kernel marks this word when the relay process dies: then nobody must wait for it any more. */
static void *watch_relay(void *arg)
{
	struct relay_shared *shared = arg;
	uint32_t word;

	for (;;) {
		word = atomic_load(&shared->alive);
		if (word & FUTEX_OWNER_DIED)
			break;
		syscall(SYS_futex, &shared->alive, FUTEX_WAIT, word, NULL, NULL, 0);
	}
	ring_close(&shared->up);
	ring_close(&shared->down);
	return NULL;
}

static int start_watch(struct err *err)
{
	int e = own_thread_start(&rl.watch, watch_relay, rl.shared);

	return e ? err_set(err, "cannot start a thread: %s", strerror(e)) : 0;
}

void relay_leave(void)
{
	relay_flush();
	atomic_store(&rl.left, true);
	ring_wake(&rl.shared->down);
}

int relay_arrive(struct err *err)
{
	bool forked = !rl.shared;

	if (forked)
		rl.shared = rl.kept;
	rl.sent = atomic_load(&rl.shared->up.handled); /* the other process has waited for all that it sent */
	atomic_store(&rl.left, false);
	send_message(RELAY_AGAIN, "", 0);
	return forked ? start_watch(err) : 0;
}

/* Does the other process run? */
static bool began(struct relay_shared *shared)
{
	struct timespec limit = { .tv_sec = START_MS / 1000 };

	while (!atomic_load(&shared->alive))
		if (syscall(SYS_futex, &shared->alive, FUTEX_WAIT, 0, &limit, NULL, 0) < 0 && errno == ETIMEDOUT)
			return false;
	return true;
}

static int start_process(struct relay_run *r, struct err *err)
{
	const struct listener *l = r->listener;
	const int keep[] = { r->in, r->out, r->stream[0].fd, r->stream[1].fd, l ? l->fd : -1, l ? l->dir : -1 };
	struct relay_shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
					   -1, 0);

	if (shared == MAP_FAILED)
		return err_set(err, "cannot share memory: %s", strerror(errno));
	r->shared = shared;
	crash_shared();
	if (companion_start(relay_run, r, keep, 6, false) < 0) {
		err_set(err, "cannot start a process: %s", strerror(errno));
		munmap(shared, sizeof(*shared));
		return -1;
	}
	if (!began(shared))
		return err_set(err, "the process that holds the conversation did not start");
	rl.shared = shared;
	return start_watch(err);
}

static void close_pair(int *p)
{
	int i;

	for (i = 0; i < 2; i++)
		if (p[i] >= 0)
			close(p[i]);
}

/* The program gets the write ends as its descriptors 1 and 2; only the other process has the read ends. */
static int take_over(int null, int pipes[2][2], struct err *err)
{
	int i;

	if (dup2(null, 0) < 0)
		return err_set(err, "cannot take over descriptor 0: %s", strerror(errno));
	for (i = 0; i < 2; i++)
		if (dup2(pipes[i][1], i + 1) < 0)
			return err_set(err, "cannot take over descriptor %d: %s", i + 1, strerror(errno));
	return 0;
}

void relay_told(unsigned long n)
{
	rl.told = n;
}

int relay_start(int in, int out, bool capture, const struct relay_words *words, struct err *err)
{
	static struct relay_run r; /* not small */
	int pipes[2][2] = { { -1, -1 }, { -1, -1 } }, null = -1, i, ret;

	/* copies, since a fork handler closes cdbg's own descriptors */
	r = (struct relay_run){ .in = fcntl(in, F_DUPFD_CLOEXEC, 3),
				.out = fcntl(out, F_DUPFD_CLOEXEC, 3),
				.words = words,
				.told = rl.told };
	if (capture)
		null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ret = capture && null < 0 ? err_set(err, "cannot open '/dev/null': %s", strerror(errno)) : 0;
	for (i = 0; i < 2 && capture && ret == 0; i++)
		if (pipe2(pipes[i], O_CLOEXEC) < 0 || fcntl(pipes[i][0], F_SETFL, O_NONBLOCK) < 0)
			ret = err_set(err, "cannot make a pipe: %s", strerror(errno));
	r.stream[0].fd = pipes[0][0];
	r.stream[1].fd = pipes[1][0];
	if (ret == 0)
		ret = start_process(&r, err);
	if (ret == 0 && capture)
		ret = take_over(null, pipes, err);
	if (null > 2)
		close(null);
	close(r.in);
	close(r.out);
	close_pair(pipes[0]);
	close_pair(pipes[1]);
	return ret;
}

int relay_listen(struct listener *l, const struct relay_words *words, struct err *err)
{
	static struct relay_run r; /* not small */
	int ret;

	r = (struct relay_run){ .in = -1, .out = -1, .client = -1, .listener = l, .words = words };
	r.stream[0].fd = r.stream[1].fd = -1;
	ret = start_process(&r, err);
	if (ret < 0)
		listener_end(l);
	else
		listener_close(l); /* the other process listens */
	return ret;
}
