/* SPDX-License-Identifier: BSD-3-Clause */
/* Events about a compilation while it runs, for clients that show progress.  Any thread; knows no session. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "engine/doing.h"
#include "ui/dap/dap_message.h"
#include "ui/dap/dap_state.h"

static struct {
	pthread_mutex_t lock; /* of all below, and of the order of the events */
	unsigned long number; /* of the last one that was begun */
	char *title;	      /* of the one that is shown; NULL: none is */
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct val *of_progress(void)
{
	struct val *body = val_map();
	char id[32];

	snprintf(id, sizeof(id), "compile-%lu", progress.number);
	val_put(body, "progressId", val_str(id));
	return body;
}

static void end_shown(void)
{
	if (progress.title)
		dap_event("progressEnd", of_progress());
	free(progress.title);
	progress.title = NULL;
}

static void begin_shown(const char *title, size_t n, const char *phase)
{
	struct val *body;

	progress.number++;
	progress.title = mem_strn(title, n);
	body = of_progress();
	val_put(body, "title", val_str(progress.title));
	if (phase)
		val_put(body, "message", val_str(phase));
	dap_event("progressStart", body);
}

/* "compiling forward 0/1: guards": the title is what comes before the phase. */
static void doing_changed(const char *text)
{
	const char *colon = text ? strstr(text, ": ") : NULL, *phase = colon ? colon + 2 : NULL;
	size_t n = colon ? (size_t)(colon - text) : text ? strlen(text) : 0;
	struct val *body;

	pthread_mutex_lock(&progress.lock);
	if (text && progress.title && strlen(progress.title) == n && !strncmp(progress.title, text, n)) {
		body = of_progress();
		val_put(body, "message", val_str(phase ? phase : ""));
		dap_event("progressUpdate", body);
	} else {
		end_shown();
		if (text)
			begin_shown(text, n, phase);
	}
	pthread_mutex_unlock(&progress.lock);
}

void dap_progress_show(bool on)
{
	doing_listen(on ? doing_changed : NULL);
	if (on)
		return;
	pthread_mutex_lock(&progress.lock);
	free(progress.title);
	progress.title = NULL;
	pthread_mutex_unlock(&progress.lock);
}
