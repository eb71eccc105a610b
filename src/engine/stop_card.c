/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stop has to say in full, also after the program has ended.  Knows no front end. */
#include "engine/stop_card.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/visible.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "engine/source.h"
#include "engine/stack.h"

static struct {
	const char *kind; /* NULL: no stop had a card */
	char *text;
} last;

static void add_place(struct session *s, const char *before, const char *file, int line, const char *function,
		      struct buf *out)
{
	const char *slash = strrchr(file, '/'), *text = source_line(s, file, line);

	buf_addf(out, "\n%s %s:%d", before, visible(slash ? slash + 1 : file), line);
	buf_addf(out, " in %s", visible(function));
	if (text)
		buf_addf(out, ": %s", text + strspn(text, " \t"));
}

/* Where it was raised: in the frame, or in code that the frame's call was compiled from. */
static void add_raised_at(struct session *s, const struct event *ev, const struct frame *f, struct buf *out)
{
	char *users = stack_function(s, f);
	const char *file, *function;
	int line;

	if (plug_raised_at(s, ev->exc, &file, &function, &line) > 0) {
		add_place(s, "at", file, line, function, out);
		add_place(s, "while compiled by", f->file, f->line, users, out);
	} else {
		add_place(s, "at", f->file, f->line, users, out);
	}
	free(users);
}

bool stop_card(struct session *s, const struct event *ev, struct buf *out)
{
	const struct frame *f = stack_frame(&s->stack, s, 0);
	size_t had = out->len, first;
	struct buf all = { 0 };
	bool more;

	if (ev->kind->card)
		ev->kind->card(ev, out);
	more = out->len > had;
	if (!more && ev->kind->describe)
		ev->kind->describe(ev, out);
	if (ev->exc && f && f->file && f->line) { /* below the first line: a small screen shows the first ones only */
		first = had + strcspn(buf_str(out) + had, "\n");
		buf_add(&all, buf_str(out), first);
		add_raised_at(s, ev, f, &all);
		buf_adds(&all, out->s + first);
		buf_reset(out);
		buf_adds(out, all.s);
		buf_release(&all);
		more = true;
	}
	return more;
}

void stop_card_keep(struct session *s, const struct event *ev)
{
	struct buf b = { 0 };

	if ((ev->kind->card || ev->exc) && stop_card(s, ev, &b)) {
		free(last.text);
		last.text = mem_str(buf_str(&b));
		last.kind = ev->kind->name;
	}
	buf_release(&b);
}

const char *stop_card_last(struct buf *out)
{
	if (last.kind)
		buf_adds(out, last.text);
	return last.kind;
}
