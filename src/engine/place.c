/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of places: instructions, and the lines that they stand for.  Knows no location and no breakpoint. */
#include "engine/place.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

void places_add(struct places *p, struct code *c, int index, int line, const char *note)
{
	struct place *place;
	int i;

	for (i = 0; i < p->n; i++)
		if (p->place[i].code == c && p->place[i].index == index)
			return;
	p->place = mem_grow(p->place, &p->cap, (size_t)p->n + 1, sizeof(*p->place));
	place = &p->place[p->n++];
	place->code = c;
	place->index = index;
	place->line = line;
	place->around = false;
	place->note = mem_str(note);
	py_ref(c->co);
}

void places_release(struct places *p)
{
	int i;

	for (i = 0; i < p->n; i++) {
		free(p->place[i].note);
		py_unref_later(p->place[i].code->co);
	}
	free(p->place);
	memset(p, 0, sizeof(*p));
}
