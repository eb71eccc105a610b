/* SPDX-License-Identifier: BSD-3-Clause */
/* The instructions of one code object at which a line begins to run: each way that leads to it, and each round of a
   loop that it heads.  Knows no file, no plugin and no breakpoint. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "engine/loc.h"

int loc_entry_index(struct code *c)
{
	int i;

	code_decode(c);
	for (i = 0; i < c->n; i++)
		if (!strcmp(py_op_name(c->instr[i].op), "RESUME"))
			return i + 1 < c->n ? i + 1 : i;
	return 0;
}

bool loc_class_body(struct code *c)
{
	struct buf arg = { 0 };
	int i = loc_entry_index(c);
	bool body;

	if (i >= c->n || strcmp(py_op_name(c->instr[i].op), "LOAD_NAME"))
		return false;
	code_arg_text(c, i, &arg);
	body = !strcmp(buf_str(&arg), "__name__");
	buf_release(&arg);
	return body;
}

struct walk {
	struct code *c;
	int line;
	bool *seen;
	int *todo; /* instructions whose successors are to be visited */
	int ntodo;
	struct places *out;
	const char *note;
	int from, found; /* out's places of this code: from there on */
};

static bool is_on_line(const struct walk *w, int index)
{
	return w->c->instr[index].line == w->line;
}

static void found(struct walk *w, int index)
{
	int n = w->out->n;

	places_add(w->out, w->c, index, w->line, w->note);
	w->found += w->out->n - n;
}

static bool is_place(const struct walk *w, int index)
{
	int i;

	for (i = w->from; i < w->out->n; i++)
		if (w->out->place[i].index == index)
			return true;
	return false;
}

/* Every instruction that can run next, first those that an exception leads to. */
static void each_next(struct walk *w, int i, void (*step)(struct walk *w, int from, int to))
{
	const struct instr *in = &w->c->instr[i];
	int k;

	if (in->target >= 0)
		step(w, i, in->target);
	if (!py_op_ends(in->op))
		step(w, i, i + 1);
	for (k = 0; k < w->c->nexcept; k++)
		if (i >= w->c->except[k].start && i < w->c->except[k].end)
			step(w, i, w->c->except[k].target);
}

/* Is this instruction visited for the first time, and does it belong to a line? */
static bool news(struct walk *w, int index)
{
	if (index < 0 || index >= w->c->n || w->seen[index])
		return false;
	w->seen[index] = true;
	/* the clean-up when a handler itself raises belongs to no line */
	return !((w->c->instr[index].flags & INSTR_HANDLER) && !strcmp(py_op_name(w->c->instr[index].op), "COPY"));
}

/* Follow paths to the line; its further instructions belong to the same pass. */
static void arrive(struct walk *w, int from, int to)
{
	(void)from;
	if (!news(w, to))
		return;
	if (is_on_line(w, to))
		found(w, to);
	else
		w->todo[w->ntodo++] = to;
}

/* Follow every path. */
static void pass(struct walk *w, int from, int to)
{
	(void)from;
	if (news(w, to))
		w->todo[w->ntodo++] = to;
}

void loc_code_lines(struct code *c, void (*add)(void *arg, int line), void *arg)
{
	struct walk w = { .c = c };
	int i;

	code_decode(c);
	w.seen = mem_alloc(((size_t)c->n + 1) * sizeof(*w.seen));
	w.todo = mem_alloc(((size_t)c->n + 1) * sizeof(*w.todo));
	pass(&w, -1, loc_entry_index(c));
	while (w.ntodo) {
		i = w.todo[--w.ntodo];
		if (c->instr[i].line > 0)
			add(arg, c->instr[i].line);
		each_next(&w, i, pass);
	}
	free(w.seen);
	free(w.todo);
}

/* An instruction with a deeper stack than the line's beginning is in its middle: the second half of a call over
   several lines. */
static int least_depth(const struct walk *w)
{
	int i, depth, least = INT_MAX;

	for (i = w->from; i < w->out->n; i++) {
		depth = w->c->instr[w->out->place[i].index].depth;
		if (depth >= 0 && depth < least)
			least = depth;
	}
	return least;
}

/* A loop comes back to here: `while` to its test, `for` to the next item, which has the iterator below it. */
static bool heads_loop(const struct walk *w, int index)
{
	const char *name;
	int i = index, over;

	while (i + 1 < w->c->n && w->c->instr[i].flags & INSTR_PREFIX)
		i++;
	name = py_op_name(w->c->instr[i].op);
	over = !strcmp(name, "FOR_ITER") ? py_iterator_slots : !strcmp(name, "GET_ANEXT");
	return w->c->instr[index].depth >= 0 && w->c->instr[index].depth <= least_depth(w) + over;
}

/* Follow paths from the line back to it. */
static void come_back(struct walk *w, int from, int to)
{
	bool back = to >= 0 && to <= from;

	if (to >= 0 && to < w->c->n && is_on_line(w, to) && !is_place(w, to) && (back || !is_on_line(w, from)) &&
	    heads_loop(w, to)) {
		found(w, to);
		w->out->place[w->out->n - 1].around = back;
	}
	if (news(w, to))
		w->todo[w->ntodo++] = to;
}

int loc_line_in(struct code *c, int line, const char *note, struct places *out)
{
	struct walk w = { .c = c, .line = line, .out = out, .note = note, .from = out->n };
	int i;

	code_decode(c);
	if (!c->n)
		return 0;
	w.seen = mem_alloc((size_t)c->n * sizeof(*w.seen));
	w.todo = mem_alloc((size_t)c->n * sizeof(*w.todo));
	arrive(&w, -1, loc_entry_index(c));
	while (w.ntodo)
		each_next(&w, w.todo[--w.ntodo], arrive);
	memset(w.seen, 0, (size_t)c->n * sizeof(*w.seen));
	for (i = w.from; i < w.out->n && w.found; i++)
		if (news(&w, out->place[i].index))
			w.todo[w.ntodo++] = out->place[i].index;
	while (w.ntodo)
		each_next(&w, w.todo[--w.ntodo], come_back);
	free(w.seen);
	free(w.todo);
	return w.found;
}
