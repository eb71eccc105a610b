/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue of bytes between two processes: see ring.h.  Sleeps on a futex, which needs no descriptor. */
#include "config.h"
#include "ui/wire/ring.h"
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void ring_changed(struct ring *r)
{
	atomic_fetch_add(&r->changes, 1);
	if (atomic_load(&r->sleepers))
		syscall(SYS_futex, &r->changes, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

uint32_t ring_changes(struct ring *r)
{
	return atomic_load(&r->changes);
}

void ring_sleep(struct ring *r, uint32_t changes, int ms)
{
	struct timespec limit = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	atomic_fetch_add(&r->sleepers, 1);
	syscall(SYS_futex, &r->changes, FUTEX_WAIT, changes, ms < 0 ? NULL : &limit, NULL, 0);
	atomic_fetch_sub(&r->sleepers, 1);
}

size_t ring_there(struct ring *r)
{
	return (size_t)(atomic_load(&r->in) - atomic_load(&r->out));
}

size_t ring_room(struct ring *r)
{
	return RING_SIZE - ring_there(r);
}

size_t ring_put(struct ring *r, const char *s, size_t n)
{
	size_t room = ring_room(r), at = (size_t)(atomic_load(&r->in) % RING_SIZE), first;

	n = n < room ? n : room;
	if (!n)
		return 0;
	first = n < RING_SIZE - at ? n : RING_SIZE - at;
	memcpy(r->data + at, s, first);
	memcpy(r->data, s + first, n - first);
	atomic_fetch_add(&r->in, n);
	ring_changed(r);
	return n;
}

size_t ring_get(struct ring *r, char *s, size_t max)
{
	size_t there = ring_there(r), at = (size_t)(atomic_load(&r->out) % RING_SIZE), first;

	max = max < there ? max : there;
	if (!max)
		return 0;
	first = max < RING_SIZE - at ? max : RING_SIZE - at;
	memcpy(s, r->data + at, first);
	memcpy(s + first, r->data, max - first);
	atomic_fetch_add(&r->out, max);
	ring_changed(r);
	return max;
}

void ring_close(struct ring *r)
{
	atomic_store(&r->closed, true);
	ring_changed(r);
}

void ring_wake(struct ring *r)
{
	ring_changed(r);
}

void ring_handled(struct ring *r)
{
	atomic_fetch_add(&r->handled, 1);
	ring_changed(r);
}
