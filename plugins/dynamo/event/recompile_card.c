/* SPDX-License-Identifier: BSD-3-Clause */
/* The card of a stop at a recompile: see dynamo_event.h.  A small screen shows its first five lines, so the answer
   comes first.  Made from the detail of the event alone. */
#include "code/dynamo_code.h"
#include "event/dynamo_event.h"
#include "guards/guard_cause.h"
#include "guards/guard_why.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* A value that is longer is cut in the answer, as a guard's text that is longer than BRIEF, and follows in full. */
enum { SHORT = 100, BRIEF = 60 };

/* What changed, and below it what to do about that: once for causes that follow each other and have one remedy. */
static void add_answer(const struct guard_cause *cause, size_t n, struct buf *out)
{
	struct buf text = { 0 };
	const char *remedy, *state;
	size_t i;

	for (i = 0; i < n; i++) {
		buf_reset(&text);
		guard_cause_text(&cause[i], SHORT, &text);
		state = *val_text(cause[i].guard[0], "source") ? NULL : strstr(text.s, "changed: ");
		buf_addf(out, "\nchanged:  %s", state ? state + strlen("changed: ") : text.s);
		remedy = val_text(cause[i].guard[0], "remedy");
		if (*remedy && (i + 1 == n || strcmp(remedy, val_text(cause[i + 1].guard[0], "remedy")) != 0))
			buf_addf(out, "\nremedy:   %s", remedy);
	}
	buf_release(&text);
}

static void put_numbers_of_guards(const struct guard_cause *c, struct buf *out)
{
	const struct val *number;
	size_t i;

	for (i = 0; i < c->n && i < CAUSE_GUARDS; i++) {
		number = val_get(c->guard[i], "guard");
		if (!number || number->type != VAL_INT)
			return;
		buf_addf(out, "%s%lld", i ? ", " : c->n > 1 ? ", guards " : ", guard ", number->u.i);
	}
	if (i < c->n)
		buf_addf(out, " and %zu more", c->n - i);
}

/* The guard as Dynamo has it, what the answer cut, and the line that made it. */
static void add_guard_lines(const struct val *f, struct buf *out)
{
	const struct val *line = val_get(f, "line");
	const char *file = val_text(f, "file"), *text = val_text(f, "text");
	bool whole = strlen(text) <= BRIEF;

	buf_addf(out, ": %s", whole ? text : val_text(f, "kind"));
	if (!whole && *val_text(f, "source")) {
		buf_adds(out, " of ");
		source_text_name(val_text(f, "source"), BRIEF, out);
	}
	if (line && line->type == VAL_INT && *file) {
		buf_addf(out, "\n  made by:  %s:%lld", py_text_file_name(file), line->u.i);
		text = host->files.line(file, (int)line->u.i);
		if (text && *text)
			buf_addf(out, ": %s", text + strspn(text, " \t"));
	}
	if (strlen(val_text(f, "expected")) > SHORT || strlen(val_text(f, "live")) > SHORT)
		buf_addf(out, "\n  expected: %s\n  actual:   %s", val_text(f, "expected"), val_text(f, "live"));
	if (!whole)
		buf_addf(out, "\n  in full:  %s", val_text(f, "text"));
}

static void add_missed_entry(const struct val *e, bool answered, struct buf *out)
{
	size_t n, i;
	struct guard_cause *cause = guard_causes(val_get(e, "failing"), &n);

	for (i = 0; i < n; i++) {
		buf_addf(out, "\nentry %s", val_text(e, "entry"));
		put_numbers_of_guards(&cause[i], out);
		if (answered) {
			add_guard_lines(cause[i].guard[0], out);
		} else {
			buf_adds(out, ": ");
			guard_cause_text(&cause[i], SHORT, out);
		}
	}
	if (!n)
		buf_addf(out, "\nentry %s: %s", val_text(e, "entry"), val_text(e, "reason"));
	if (!n && *val_text(e, "remedy"))
		buf_addf(out, "\nremedy:   %s", val_text(e, "remedy"));
	free(cause);
}

void recompile_card(const struct event *ev, struct buf *out)
{
	const struct val *entries = val_get(ev->detail, "entries"), *nearest = why_nearest(ev->detail);
	struct guard_cause *cause;
	size_t n, i;

	if (!nearest)
		return;
	cause = guard_causes(val_get(nearest, "failing"), &n);
	add_answer(cause, n, out);
	free(cause);
	add_missed_entry(nearest, true, out);
	for (i = 0; i < entries->u.list.n; i++)
		if (entries->u.list.item[i] != nearest)
			add_missed_entry(entries->u.list.item[i], false, out);
}
