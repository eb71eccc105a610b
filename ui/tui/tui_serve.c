/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers requests of the UI thread on the stopped thread: command lines, rows, searches, completions, and the
   location.  Runs with the GIL; the answers are plain data. */
#include "config.h"
#include "ui/tui/tui_serve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmd/cmd.h"
#include "engine/past.h"
#include "engine/plug.h"
#include "engine/stop.h"
#include "py/hook/hook.h"
#include "py/interp/host.h"
#include "ui/tui/channel.h"
#include "ui/front.h"
#include "ui/log.h"
#include "view/render.h"
#include "view/view.h"
#include "ui/tui/pane_columns.h"

static bool from_key; /* the line that is being run */

/* ---- status ------------------------------------------------------------------------------------- */

static void put_pieces(struct session *s, const struct frame *f, struct val *v)
{
	int i, n = 0, at = 0;
	char text[64];

	for (i = stack_depth(&s->stack, s) - 1; i >= 0; i--)
		if (s->stack.frame[i]->logical == f->logical && !s->stack.frame[i]->hidden) {
			n++;
			if (s->stack.frame[i] == f)
				at = n;
		}
	if (n < 2 || !f->logical)
		return;
	snprintf(text, sizeof(text), "piece %d of %d", at, n);
	val_put(v, "piece", val_str(text));
}

static void put_frame(struct session *s, struct val *v)
{
	const struct frame *f = stack_frame(&s->stack, s, s->selected);
	struct buf b = { 0 };
	char *function;

	if (!f)
		return;
	function = stack_function(s, f);
	buf_addf(&b, "%s", function);
	free(function);
	if (f->file && f->line)
		buf_addf(&b, " %s:%d", text_path_file_name(f->file), f->line);
	else if (f->file && f->function_line)
		buf_addf(&b, " %s:%d (no line of its own)", text_path_file_name(f->file), f->function_line);
	if (s->selected)
		buf_addf(&b, " (level %d)", f->level);
	val_put(v, "where", val_str(buf_str(&b)));
	if (f->entry) {
		buf_reset(&b);
		buf_addf(&b, "entry %s%s%s", f->entry, f->region ? ", " : "", f->region ? f->region : "");
		if (f->inner)
			buf_addf(&b, " %s", f->inner);
		val_put(v, "entry", val_str(b.s));
	}
	put_pieces(s, f, v);
	buf_reset(&b);
	if (s->viewed && s->viewed->number != 1)
		render_thread(s->viewed, &b);
	else
		buf_adds(&b, "main thread");
	if (s->viewed && s->thread && s->viewed != s->thread)
		buf_addf(&b, ", thread %d stopped", s->thread->number);
	val_put(v, "thread", val_str(b.s));
	buf_release(&b);
}

/* The card of a stop: more text than its one line. */
static void put_card(struct session *s, const struct event *ev, struct val *v)
{
	struct buf b = { 0 }, safe = { 0 };

	if ((ev->kind->card || ev->exc) && stop_card(s, ev, &b)) {
		front_text(&safe, b.s, false);
		val_put(v, "card", val_str(buf_str(&safe)));
	}
	buf_release(&b);
	buf_release(&safe);
}

struct val *tui_serve_status(struct session *s)
{
	struct val *v = val_map();
	struct buf b = { 0 };

	if (s->exited) {
		buf_addf(&b, "the program ended with status %d: restart or quit", s->status);
	} else if (s->event) {
		front_stop_reason(s->event, &b);
		val_put(v, "kind", val_str(s->event->kind->name));
		if (!s->past) /* it tells of the present */
			put_card(s, s->event, v);
		put_frame(s, v);
	}
	val_put(v, "text", val_str(buf_str(&b)));
	if (s->past) {
		buf_reset(&b);
		past_text(s, &b);
		val_put(v, "past", val_str(buf_str(&b)));
		val_put(v, "ago", val_int((long long)s->ago));
	}
	val_put(v, "gathering", val_bool(cmd_gathering(s)));
	buf_release(&b);
	return v;
}

/* ---- serving ------------------------------------------------------------------------------------ */

void tui_serve_views(void)
{
	const struct view_ops **views;
	int n;

	for (n = 0; view_at(n); n++)
		;
	views = mem_alloc(((size_t)n + 1) * sizeof(*views));
	while (n-- > 0)
		views[n] = view_at(n);
	channel_views(views);
}

void tui_serve_text(struct session *s, const struct ran *ran, struct buf *out)
{
	struct reply *r = ran->reply;
	struct buf rows = { 0 };

	if (r->rows && !r->text.len)
		view_text(s, r->rows, &rows);
	front_text(out, buf_str(rows.len ? &rows : &r->text), r->value);
	if (ran->failed)
		front_text(out, ran->err->text, true);
	buf_release(&rows);
	log_line(s, ran->line);
	log_text(s, buf_str(out));
	if (out->len && out->s[out->len - 1] != '\n')
		log_text(s, "\n");
}

void tui_serve_answer(struct session *s, const struct ran *ran, struct buf *text)
{
	struct answer out = { .type = ASK_LINE, .failed = ran->failed, .quiet = from_key };
	const struct rows *rows = ran->reply->rows;

	out.table = rows && !rows->ops->wraps;
	out.line = mem_str(ran->line);
	out.text = buf_detach(text);
	channel_status(tui_serve_status(s));
	channel_answer(&out, false, s->resume != RESUME_NONE);
}

/* All rows of a pane that its filter lets pass.  *numbers: where each is among all, owned by the caller.  NULL with
   err. */
static struct rows *filtered_rows(struct session *s, const struct ask *a, size_t **numbers, size_t *all,
				  struct err *err)
{
	struct view_req req = { .words = a->words, .count = (size_t)-1, .pane = true, .width = a->width };
	struct rows *r = view_window(s, a->view, &req, err);
	struct buf b = { 0 };
	size_t i, n = 0;

	if (!r)
		return NULL;
	*numbers = mem_alloc((r->n + 1) * sizeof(**numbers));
	for (i = 0; i < r->n; i++) {
		buf_reset(&b);
		pane_columns_row_text(r, i, &b);
		if (!a->filter || strstr(buf_str(&b), a->filter))
			(*numbers)[n++] = i;
	}
	buf_release(&b);
	*all = r->n;
	rows_keep(r, *numbers, n);
	r->first = 0;
	r->total = n;
	r->block = r->block_end = 0;
	return r;
}

/* The window of filtered rows that is asked for; they are numbered by where they are among all. */
static void do_filtered(struct session *s, const struct ask *a, struct answer *out, struct err *err)
{
	struct view_req req = { .first = a->first, .count = a->count, .follow = a->follow };
	size_t i, *numbers = NULL, *window;
	struct rows *r = filtered_rows(s, a, &numbers, &out->all, err);

	if (!r)
		return;
	for (i = 0; i < r->n && !(r->mark[i] & MARK_CURRENT); i++)
		;
	if (i < r->n)
		rows_follow(&req, i, r->n);
	for (i = 0; i < r->n && numbers[i] < a->keep; i++)
		;
	out->cursor = i < r->n || !i ? i : i - 1;
	req.first = req.first < r->n ? req.first : 0;
	req.count = req.count < r->n - req.first ? req.count : r->n - req.first;
	window = mem_alloc((req.count + 1) * sizeof(*window));
	for (i = 0; i < req.count; i++)
		window[i] = req.first + i;
	rows_keep(r, window, req.count);
	free(window);
	memmove(numbers, numbers + req.first, req.count * sizeof(*numbers));
	r->first = req.first;
	out->numbers = numbers;
	out->rows = r;
}

static void do_rows(struct session *s, struct ask *a, struct answer *out)
{
	struct view_req req = {
		.words = a->words,
		.first = a->first,
		.count = a->count,
		.follow = a->follow,
		.pane = true,
		.width = a->width,
		.left = a->left,
	};
	struct err err = { "" };

	out->pane = a->pane;
	out->serial = a->serial;
	out->cursor = a->keep;
	if (a->filter)
		do_filtered(s, a, out, &err);
	else
		out->rows = view_window(s, a->view, &req, &err);
	if (!out->rows) {
		out->failed = true;
		out->text = mem_str(err.text);
	}
}

static void do_find(struct session *s, struct ask *a, struct answer *out)
{
	struct buf b = { 0 };
	long first = -1, last = -1; /* matches on the two sides of where the search begins */
	size_t before_first = 0, before_last = 0, i, all, *numbers = NULL;
	struct rows *r;

	out->line = a->text;
	a->text = NULL;
	r = filtered_rows(s, a, &numbers, &all, NULL);
	for (i = 0; r && i < r->n; i++) {
		bool here = a->backward ? i <= a->first : i >= a->first;

		buf_reset(&b);
		pane_columns_row_text(r, i, &b);
		if (!strstr(buf_str(&b), out->line))
			continue;
		if (here ? first < 0 || a->backward : last < 0 || a->backward) {
			*(here ? &first : &last) = (long)i;
			*(here ? &before_first : &before_last) = out->of;
		}
		out->of++;
	}
	out->found = first >= 0 ? first : last;
	out->at = (first >= 0 ? before_first : before_last) + 1;
	out->wrapped = first < 0;
	free(numbers);
	rows_free(r);
	buf_release(&b);
}

static void add_link(void *arg, const char *what, const char *id, int line)
{
	char *text = mem_fmt("%s %s", what, id);

	(void)line;
	val_push(arg, val_str(text));
	free(text);
}

static int compare_commands(const void *a, const void *b)
{
	return strcmp((*(struct val *const *)a)->u.s, (*(struct val *const *)b)->u.s);
}

/* "node G:add": what belongs with it. */
static void do_links(struct session *s, struct ask *a, struct answer *out)
{
	char *id = strchr(a->text, ' ');

	out->line = mem_str(a->text);
	if (!id)
		return;
	*id++ = '\0';
	out->list = val_list();
	if (plug_links(s, a->text, id, add_link, out->list) <= 0) {
		val_free(out->list);
		out->list = NULL;
		return;
	}
	qsort(out->list->u.list.item, out->list->u.list.n, sizeof(*out->list->u.list.item), compare_commands);
}

/* The panes that need rows are served in one round. */
static void do_more_rows(struct session *s, struct ask *first)
{
	struct ask *a = first;
	struct answer out;

	do {
		memset(&out, 0, sizeof(out));
		out.type = ASK_ROWS;
		do_rows(s, a, &out);
		a = a->next;
		channel_answer(&out, a != NULL, false);
	} while (a);
	ask_release(first);
}

bool tui_serve_one(struct session *s, char **line)
{
	struct answer out = { 0 };
	struct ask a;

	channel_next(&a);
	out.type = a.type;
	switch (a.type) {
	case ASK_LINE:
		*line = a.text;
		from_key = a.quiet;
		return true;
	case ASK_ROWS:
		do_more_rows(s, &a);
		return true;
	case ASK_FIND:
		do_find(s, &a, &out);
		break;
	case ASK_COMPLETE:
		out.list = val_list();
		cmd_complete_described(s, a.text, out.list);
		if (!out.list->u.list.n)
			out.text = cmd_complete_none(s, a.text);
		break;
	case ASK_LINKS:
		do_links(s, &a, &out);
		break;
	case ASK_BESIDE:
		return true;
	case ASK_NONE: /* the screen has ended meanwhile */
		return false;
	}
	ask_release(&a);
	channel_answer(&out, false, false);
	return true;
}
