/* SPDX-License-Identifier: BSD-3-Clause */
/* Single lines for people to read: see render.h.  Knows no terminal. */
#include "config.h"

#include "view/render.h"
#include <stdlib.h>
#include <string.h>
#include "base/visible.h"
#include "engine/bp.h"
#include "engine/past_places.h"
#include "engine/option.h"
#include "engine/past.h"
#include "engine/python_lines.h"
#include "engine/source.h"
#include "py/hook/hook.h"
#include "py/interp/names.h"
#include "py/interp/path.h"
#include "py/value/value.h"

void render_instr(struct code *c, int index, struct buf *out)
{
	size_t n;

	code_decode(c);
	buf_number(out, c->instr[index].offset, 0);
	buf_addc(out, ' ');
	buf_adds(out, py_op_name(c->instr[index].op));
	buf_addc(out, ' ');
	n = out->len;
	code_arg_text(c, index, out);
	if (out->len == n) /* it has none */
		out->s[--out->len] = '\0';
}

/* A breakpoint at an instruction without a line is seen at its function. */
static bool is_place_line(struct session *s, const struct place *p, int line)
{
	return line == (p->line ? p->line : stack_function_line(s, p->code));
}

static bool is_on_line(struct session *s, const struct bp *b, const char *file, int line)
{
	int i;

	for (i = 0; i < b->places.n; i++)
		if (!strcmp(code_file(b->places.place[i].code), file) && is_place_line(s, &b->places.place[i], line))
			return true;
	return past_places_on_line(b, file, line);
}

static int numbered_line(struct session *s, const char *file, int line, bool enabled)
{
	struct bp *b;

	for (b = bp_first(s); b; b = b->next)
		if (b->enabled == enabled && !b->dead && is_on_line(s, b, file, line))
			return b->number;
	return 0;
}

static int numbered_instr(struct session *s, const struct code *c, int index, bool enabled)
{
	struct bp *b;
	int i;

	for (b = bp_first(s); b; b = b->next)
		for (i = 0; b->enabled == enabled && !b->dead && i < b->places.n; i++)
			if (b->places.place[i].code == c && b->places.place[i].index == index)
				return b->number;
	return 0;
}

int render_break_line(struct session *s, const char *file, int line)
{
	return numbered_line(s, file, line, true);
}

int render_break_instr(struct session *s, const struct code *c, int index)
{
	return numbered_instr(s, c, index, true);
}

bool render_off_line(struct session *s, const char *file, int line)
{
	return !numbered_line(s, file, line, true) && numbered_line(s, file, line, false);
}

bool render_off_instr(struct session *s, const struct code *c, int index)
{
	return !numbered_instr(s, c, index, true) && numbered_instr(s, c, index, false);
}

bool render_source(struct session *s, const char *file, int line, const char *mark, struct buf *out)
{
	const char *text = file && line > 0 ? source_line(s, file, line) : NULL, *tab;

	if (!text)
		return false;
	buf_number(out, line, 4);
	buf_adds(out, render_break_line(s, file, line) ? " B" : "  ");
	buf_adds(out, mark);
	buf_adds(out, &"    "[strlen(mark) < 2 ? strlen(mark) : 2]);
	for (text = visible(text); (tab = strchr(text, '\t')); text = tab + 1) {
		buf_add(out, text, (size_t)(tab - text));
		buf_adds(out, "        ");
	}
	buf_adds(out, text);
	while (out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
	return true;
}

const char *render_file(const char *path)
{
	return path ? visible(path_from_here(path)) : "?";
}

static void add_line(struct buf *out, int line)
{
	buf_addc(out, ':');
	buf_number(out, line, 0);
}

static void add_part(struct buf *out, const char *before, const char *text)
{
	if (text) {
		buf_adds(out, before);
		buf_adds(out, text);
	}
}

void render_frame(const struct frame *f, struct buf *out)
{
	const char *file = render_file(f->file), *from = f->kind == KIND_GRAPH ? strstr(file, " from /") : NULL;

	buf_adds(out, f->qualname);
	if (from) /* "<eval_with_key>.11 from /..." names torch's line that made the code */
		buf_addf(out, " at %.*s", (int)(from - file), file);
	else
		add_part(out, " at ", file);
	if (f->line)
		add_line(out, f->line);
	if (f->kind == KIND_USER)
		return;
	add_part(out, " [", kind_name(f->kind));
	add_part(out, " ", f->entry);
	add_part(out, ", ", f->region);
	add_part(out, " ", f->inner);
	add_part(out, ", node ", f->node);
	if (f->user_file) {
		add_part(out, ", ", render_file(f->user_file));
		add_line(out, f->user_line);
	}
	buf_addc(out, ']');
}

void render_thread(struct hook_thread *t, struct buf *out)
{
	struct buf name = { 0 };

	if (hook_thread_alive(t))
		names_thread(t->ts, &name);
	buf_addf(out, "thread %d", t->number);
	if (name.len)
		buf_addf(out, " '%s'", visible(name.s));
	buf_release(&name);
}

static void add_slot(const struct frame *f, int i, struct buf *out)
{
	struct stack_slot slot;

	if (f->past) {
		past_value_text(past_slot(f->past, i), out);
		return;
	}
	frame_slot(f->fo, i, &slot);
	if (slot.kind == SLOT_OBJECT)
		value_show_data(slot.value, out, 40);
	else if (slot.kind == SLOT_INT)
		buf_addf(out, "%ld", slot.number);
	else
		buf_adds(out, slot.kind == SLOT_NULL ? "NULL" : "?");
}

/* The value stack in one line, bottom first, cut to a short length. */
static void add_stack(const struct frame *f, struct buf *out)
{
	int depth = f->past ? past_depth(f->past) : frame_depth(f->fo, f->at_event), i;

	if (depth < 0)
		return;
	buf_adds(out, "      stack [");
	for (i = depth > 8 ? depth - 8 : 0; i < depth; i++) {
		if (i == depth - 8 && i > 0)
			buf_addf(out, "(%d more), ", i);
		add_slot(f, i, out);
		buf_adds(out, i + 1 < depth ? ", " : "");
	}
	buf_adds(out, "]\n");
}

/* The line of the decompiled source, where steps go by these. */
static void add_decompiled_line(struct session *s, const struct frame *f, struct buf *out)
{
	int line = option_is(s, "step-mode", "python") ? python_line(s, f->code, f->index) : 0;
	char *text = python_line_text(s, f->code, line);

	if (text)
		buf_addf(out, "%4d =>   %s\n", line, text);
	free(text);
}

static void add_instr(const struct frame *f, struct buf *out)
{
	buf_adds(out, "  =>  ");
	if (f->code)
		render_instr(f->code, f->index, out);
	else
		past_instr_text(f->past, out);
	if (f->region || !f->line)
		buf_addf(out, "    (%s%s%s)", f->region ? f->region : "", f->region && !f->line ? "; " : "",
			 f->line ? "" : "no line of its own");
	buf_addc(out, '\n');
	add_stack(f, out);
}

void render_place(struct session *s, const struct frame *f, struct buf *out)
{
	int line;
	const char *file = stack_source(f, &line);
	bool source = line && render_source(s, file, line, "->", out);
	bool inside = f->at_event && f->code && !(f->code->instr[f->index].flags & INSTR_LINE);

	if (source)
		buf_addc(out, '\n');
	if (f->user_file && render_source(s, f->file, f->line, "=>", out))
		buf_addc(out, '\n');
	if (f->code && f->index >= 0 && f->kind == KIND_GENERATED)
		add_decompiled_line(s, f, out);
	/* in the middle of a line the line alone is not enough */
	if ((f->code && f->index >= 0 && (f->kind == KIND_GENERATED || inside || !source)) || f->past)
		add_instr(f, out);
}
