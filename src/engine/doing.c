/* SPDX-License-Identifier: BSD-3-Clause */
/* What a plugin says that the running program is in, for a front end to show while it runs.  Any thread may call;
   none waits for the GIL. */
#include "engine/doing.h"
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include "base/buf.h"
#include "base/visible.h"

/* Held for a copy of these texts only. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char now[201], later[201];
static double since;

static void (*_Atomic listener)(const char *text);

void doing_listen(void (*changed)(const char *text))
{
	listener = changed;
}

void doing_set(const char *text, double began, const char *after)
{
	void (*changed)(const char *text) = listener;

	pthread_mutex_lock(&lock);
	snprintf(now, sizeof(now), "%s", text ? text : "");
	snprintf(later, sizeof(later), "%s", after ? after : "");
	since = began;
	pthread_mutex_unlock(&lock);
	if (changed)
		changed(text);
}

bool doing_add(struct buf *out)
{
	char text[sizeof(now)], after[sizeof(later)];
	struct timespec t;
	double began, took;

	pthread_mutex_lock(&lock);
	memcpy(text, now, sizeof(now));
	memcpy(after, later, sizeof(later));
	began = since;
	pthread_mutex_unlock(&lock);
	clock_gettime(CLOCK_MONOTONIC, &t);
	took = (double)t.tv_sec + (double)t.tv_nsec * 1e-9 - began;
	if (!*text || took < 1)
		return false;
	buf_addf(out, "%s, %ld s%s%s", visible(text), (long)took, *after ? " " : "", after);
	return true;
}

static const char *in_c;

void doing_in_c(const char *what)
{
	in_c = what;
}

const char *doing_waits(void)
{
	return in_c;
}
