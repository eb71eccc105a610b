/* SPDX-License-Identifier: BSD-3-Clause */
/* Locations as typed: parsed, resolved, written as a script has them, and parsed from that again. */
#include "fuzz.h"
#include "base/err.h"
#include "engine/loc.h"

static void resolve(struct session *s, const struct loc *l)
{
	struct places places = { 0 };
	struct buf text = { 0 };
	struct err err = { "" };
	int i;

	loc_resolve(s, l, &places, &err);
	for (i = 0; i < places.n && i < 20; i++) {
		HOLDS(places.place[i].index >= 0 && places.place[i].index < places.place[i].code->n);
		place_text(s, &places.place[i], true, &text);
	}
	places_release(&places);
	buf_release(&text);
}

/* Costly to evaluate, or without an end. */
static bool too_much(const char *text)
{
	return strstr(text, "**") || strstr(text, "<<") || strstr(text, "for") || strstr(text, "*9");
}

static int at_stop(struct session *s, const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct err err = { "" };
	struct buf script = { 0 };
	struct loc *l = too_much(text) ? NULL : loc_parse(s, text, &err), *again;

	if (l) {
		resolve(s, l);
		loc_script(s, l, &script);
		again = loc_parse(s, buf_str(&script), &err);
		if (again)
			resolve(s, again);
		loc_free(again);
	}
	loc_free(l);
	buf_release(&script);
	free(text);
	return 0;
}

int (*const fuzz_at_stop)(struct session *, const uint8_t *, size_t) = at_stop;
