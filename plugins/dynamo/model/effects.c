/* SPDX-License-Identifier: BSD-3-Clause */
/* The side effects that generated code replays after its graph. */
#include "model/effects.h"
#include "model/entry.h"
#include <stdlib.h>
#include <string.h>

void effects_free(struct effect *e)
{
	struct effect *next;

	for (; e; e = next) {
		next = e->next;
		free(e->target);
		free(e);
	}
}

char *effect_target(const char *source)
{
	char *s = mem_str(source), *close;

	if ((!strncmp(s, "L['", 3) || !strncmp(s, "G['", 3)) && (close = strstr(s, "']"))) {
		memmove(close, close + 2, strlen(close + 2) + 1);
		memmove(s, s + 3, strlen(s + 3) + 1);
	}
	return s;
}

long effects_length(const struct entry *e, const char *source)
{
	const struct effect *f;
	char *target = effect_target(source);

	for (f = e->made.effects; f && (!strcmp(f->kind, "attribute") || strcmp(f->target, target)); f = f->next)
		;
	free(target);
	return f ? f->length : -1;
}
