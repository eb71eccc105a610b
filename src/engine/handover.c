/* SPDX-License-Identifier: BSD-3-Clause */
/* What is set is carried over to another process of the program: see handover.h. */
#include "engine/handover.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/bp.h"
#include "engine/display.h"
#include "engine/option.h"
#include "engine/way.h"
#include "engine/session.h"

enum { VALUE_MAX = 1100 };

/* Each part begins with one of these and ends with a NUL. */
enum part {
	PART_FRONT = 'f',
	PART_OPTION = 'o',
	PART_BREAK = 'b',
	PART_DISPLAY = 'd',
	PART_WAY = 'w',
	PART_LINES = 'l'
};

static void add_part(struct buf *out, enum part what, const char *text)
{
	buf_addc(out, (char)what);
	buf_add(out, text, strlen(text) + 1);
}

static void option_text_of(struct session *s, const struct option_def *d, struct buf *out)
{
	char value[VALUE_MAX];

	option_value(s, d, value, sizeof(value));
	buf_addf(out, "%s %s", d->name, value);
}

/* "3 break f"; watchpoints belong to an activation, which the other process has, or has not. */
static void bp_text_of(struct session *s, const struct bp *b, struct buf *out)
{
	buf_addf(out, "%d ", b->number);
	bp_script(s, b, out);
}

void handover_write(struct session *s, const char *front, struct buf *out)
{
	const struct option_def *d;
	struct display *show;
	struct buf one = { 0 };
	struct bp *b;
	int i;

	add_part(out, PART_FRONT, front);
	for (i = 0; (d = option_at(s, i)); i++) {
		buf_reset(&one);
		option_text_of(s, d, &one);
		add_part(out, PART_OPTION, buf_str(&one));
	}
	for (b = bp_first(s); b; b = b->next) {
		buf_reset(&one);
		bp_text_of(s, b, &one);
		if (b->type != BP_WATCH)
			add_part(out, PART_BREAK, buf_str(&one));
	}
	for (show = display_first(s); show; show = show->next)
		add_part(out, PART_DISPLAY, display_expr(show));
	buf_reset(&one);
	way_write(&one);
	add_part(out, PART_WAY, buf_str(&one));
	buf_release(&one);
	buf_addc(out, PART_LINES);
	session_queue_save(s, out);
}

/* The part of this kind and text; NULL: there is none. */
static const char *find_part(const char *text, const char *end, enum part what, const char *want)
{
	for (; text < end && *text != PART_LINES; text += strlen(text) + 1)
		if (*text == (char)what && (!want || !strcmp(text + 1, want)))
			return text + 1;
	return NULL;
}

static void set_option(struct session *s, const char *text)
{
	const struct option_def *d;
	struct buf now = { 0 };
	struct err err;
	char *name;
	int i;

	for (i = 0; (d = option_at(s, i)); i++) {
		buf_reset(&now);
		option_text_of(s, d, &now);
		if (!strncmp(text, d->name, strlen(d->name)) && text[strlen(d->name)] == ' ' && strcmp(text, now.s)) {
			name = mem_str(d->name);
			option_set(s, name, text + strlen(name) + 1, &err);
			free(name);
		}
	}
	buf_release(&now);
}

/* What is set here and not there goes. */
static void drop_others(struct session *s, const char *text, const char *end)
{
	struct buf one = { 0 };
	struct bp *b;
	int number;

	for (b = bp_first(s); b; b = bp_after(s, number)) {
		number = b->number;
		buf_reset(&one);
		bp_text_of(s, b, &one);
		if (b->type != BP_WATCH && !find_part(text, end, PART_BREAK, buf_str(&one)))
			bp_delete(s, b);
	}
	buf_release(&one);
}

static bool is_set(struct session *s, const char *text)
{
	struct bp *b = bp_find(s, atoi(text));
	struct buf one = { 0 };
	bool same;

	if (b)
		bp_text_of(s, b, &one);
	same = b && !strcmp(buf_str(&one), text);
	buf_release(&one);
	return same;
}

/* The commands of a script, a line each. */
static void add_lines(const char *script, struct buf *queue)
{
	const char *end;

	for (; *script; script = *end ? end + 1 : end) {
		end = script + strcspn(script, "\n");
		buf_addc(queue, '0' + QUEUED_AT_START);
		buf_add(queue, script, (size_t)(end - script));
		buf_addc(queue, '\0');
	}
}

static bool same_displays(struct session *s, const char *text, const char *end)
{
	struct display *show = display_first(s);

	for (; text < end && *text != PART_LINES; text += strlen(text) + 1) {
		if (*text != PART_DISPLAY)
			continue;
		if (!show || strcmp(display_expr(show), text + 1))
			return false;
		show = show->next;
	}
	return !show;
}

static void set_displays(struct session *s, const char *text, const char *end, struct buf *queue)
{
	struct buf line = { 0 };

	if (same_displays(s, text, end))
		return;
	display_drop_all(s);
	for (; text < end && *text != PART_LINES; text += strlen(text) + 1)
		if (*text == PART_DISPLAY) {
			buf_reset(&line);
			buf_addf(&line, "display %s", text + 1);
			add_lines(line.s, queue);
		}
	buf_release(&line);
}

const char *handover_read(struct session *s, const char *text, size_t n)
{
	const char *end = text + n, *p, *front = find_part(text, end, PART_FRONT, NULL);
	const char *way = find_part(text, end, PART_WAY, NULL);
	struct buf queue = { 0 };

	drop_others(s, text, end);
	for (p = text; p < end && *p != PART_LINES; p += strlen(p) + 1) {
		if (*p == PART_OPTION)
			set_option(s, p + 1);
		else if (*p == PART_BREAK && !is_set(s, p + 1))
			add_lines(strchr(p, ' ') + 1, &queue);
	}
	set_displays(s, text, end, &queue);
	way_read(s, way ? way : "");
	if (p < end)
		buf_add(&queue, p + 1, (size_t)(end - p - 1));
	session_queue_load(s, buf_str(&queue), queue.len);
	buf_release(&queue);
	return front ? front : "";
}
