/* SPDX-License-Identifier: BSD-3-Clause */
/* Code for people to read: see fold.h.  Knows no command and no terminal. */
#include "view/fold.h"
#include <stdlib.h>
#include <string.h>
#include "engine/plug.h"
#include "engine/region_name.h"
#include "engine/source.h"
#include "view/render.h"
#include "view/view.h"

enum { TEXT_MAX = 56, NOTE_MAX = 60, COLUMNS = 5 };

/* ---- rows ------------------------------------------------------------------------------------------------ */

static struct fold_row *row_new(struct fold *f, int start, int end)
{
	struct fold_row *r;

	f->row = mem_grow(f->row, &f->cap, f->n + 1, sizeof(*f->row));
	r = &f->row[f->n++];
	memset(r, 0, sizeof(*r));
	r->start = start;
	r->end = end;
	return r;
}

static void mark_row(struct session *s, const struct target *t, struct fold_row *r)
{
	int i;

	r->current = t->index >= r->start && t->index < r->end;
	for (i = r->start; i < r->end && !r->breakpoint; i++)
		r->breakpoint = render_break_instr(s, t->code, i);
}

static char *source_text(struct session *s, const struct target *t, int line)
{
	const char *text = line ? source_line(s, code_file(t->code), line) : NULL;

	return text ? mem_str(text + strspn(text, " \t")) : NULL;
}

static char *instr_text(struct code *c, int index)
{
	struct buf b = { 0 };

	buf_adds(&b, py_op_name(c->instr[index].op));
	if (c->instr[index].has_arg) {
		buf_addc(&b, ' ');
		code_arg_text(c, index, &b);
	}
	return buf_detach(&b);
}

static void instr_row(struct fold *f, struct session *s, const struct target *t, int index, const char *name, int line)
{
	struct fold_row *r = row_new(f, index, index + 1);

	mark_row(s, t, r);
	r->name = mem_str(name);
	r->text = instr_text(t->code, index);
	r->where = mem_fmt("%d", t->code->instr[index].offset);
	if (line) {
		r->line = mem_fmt("line %d", line);
		r->note = source_text(s, t, line);
	}
}

/* The source of the line, and where below it the graph breaks. */
static char *break_note(struct session *s, const struct target *t, const struct region *g)
{
	char *source = source_text(s, t, g->line), *both;

	if (!g->inner)
		return source;
	both = mem_fmt("breaks %s%s%s", g->inner, source ? "; the call: " : "", source ? source : "");
	free(source);
	return both;
}

static void region_row(struct fold *f, struct session *s, const struct target *t, const struct region *g)
{
	struct fold_row *r = row_new(f, g->start, g->end);
	struct instr *i = t->code->instr;
	struct buf b = { 0 };

	mark_row(s, t, r);
	r->name = mem_str(region_name(g->kind));
	r->text = mem_str(g->text);
	if (g->end - g->start == 1)
		r->where = mem_fmt("%d", i[g->start].offset);
	else
		r->where = mem_fmt("%d..%d", i[g->start].offset, i[g->end - 1].offset);
	if (g->line && g->last_line > g->line)
		r->line = mem_fmt("lines %d-%d", g->line, g->last_line);
	else if (g->line)
		r->line = mem_fmt("line %d", g->line);
	if (g->nodes >= 0)
		buf_addf(&b, "%d nodes", g->nodes);
	if (r->current && t->index > g->start) {
		buf_adds(&b, b.len ? ", at " : "at ");
		render_instr(t->code, t->index, &b);
	}
	if (!b.len && g->kind == REGION_BREAK)
		r->note = break_note(s, t, g);
	else if (b.len)
		r->note = mem_str(b.s);
	buf_release(&b);
}

static void fill_regions(struct fold *f, struct session *s, const struct target *t, const struct region *g, int n,
			 bool all)
{
	size_t first;
	int i, k, line, last;

	for (i = 0; i < n; i++) {
		if (g[i].folded && !all) {
			region_row(f, s, t, &g[i]);
			continue;
		}
		last = 0;
		first = f->n;
		for (k = g[i].start; k < g[i].end; k++) {
			line = stack_line(s, t->code, k);
			instr_row(f, s, t, k, k == g[i].start ? region_name(g[i].kind) : NULL, line == last ? 0 : line);
			last = line;
		}
		if (g[i].inner) {
			free(f->row[first].note);
			f->row[first].note = break_note(s, t, &g[i]);
		}
	}
}

void fold_fill(struct fold *f, struct session *s, const struct target *t, bool all)
{
	const struct region *g;
	int i, n, line, last = 0;

	memset(f, 0, sizeof(*f));
	if (plug_regions(s, t->code, &g, &n) > 0 && n) {
		fill_regions(f, s, t, g, n, all);
		return;
	}
	for (i = 0; i < t->code->n; i++) {
		line = t->code->instr[i].line;
		instr_row(f, s, t, i, NULL, line == last ? 0 : line);
		last = line;
	}
}

void fold_release(struct fold *f)
{
	struct fold_row *r;

	for (r = f->row; r && r < f->row + f->n; r++) {
		free(r->name);
		free(r->text);
		free(r->where);
		free(r->line);
		free(r->note);
	}
	free(f->row);
	memset(f, 0, sizeof(*f));
}

/* ---- text ------------------------------------------------------------------------------------------------ */

struct columns {
	size_t width[COLUMNS];
};

static const char *fold_column(const struct fold_row *r, int i)
{
	const char *all[COLUMNS] = { r->name, r->text, r->where, r->line, r->note };

	return all[i] ? all[i] : "";
}

static void measure_rows(const struct fold *f, struct columns *c)
{
	static const size_t most[COLUMNS] = { 16, TEXT_MAX, 12, 14, NOTE_MAX };
	size_t k, w;
	int i;

	memset(c, 0, sizeof(*c));
	for (k = 0; k < f->n; k++)
		for (i = 0; i < COLUMNS; i++) {
			w = text_width(fold_column(&f->row[k], i));
			if (w > most[i])
				w = most[i];
			if (w > c->width[i])
				c->width[i] = w;
		}
}

static void fold_add_row(const struct fold_row *r, const struct columns *c, struct buf *out)
{
	size_t from = out->len, at = 4;
	int i;

	buf_addf(out, "%s%c", r->current ? "=>" : "  ", r->breakpoint ? 'B' : ' ');
	for (i = 0; i < COLUMNS; i++) {
		if (!c->width[i])
			continue;
		buf_pad(out, at, from);
		if (i == 2) /* aligns the ends of offsets */
			buf_pad(out, at + c->width[i] - text_width(fold_column(r, i)), from);
		view_cut(out, fold_column(r, i), c->width[i]);
		at += c->width[i] + 2;
	}
	while (out->len > from && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
}

void fold_text(const struct fold *f, struct buf *out)
{
	struct columns c;
	size_t i;

	measure_rows(f, &c);
	for (i = 0; i < f->n; i++) {
		fold_add_row(&f->row[i], &c, out);
		buf_addc(out, '\n');
	}
}

/* ---- next to the original ---------------------------------------------------------------------------- */

/* Assigns each instruction of the original code to one row of the fold. */
struct beside {
	struct session *s;
	struct code *generated, *original;
	const struct fold *fold;
	int *row; /* -1: none yet */
};

/* The operation that broke a graph is copied unchanged: finds the last one with the same opcode on the same line. */
static void give_break(struct beside *b, size_t row, int index)
{
	const struct instr *i, *g = &b->generated->instr[index];
	int line = stack_line(b->s, b->generated, index), k;

	for (k = b->original->n - 1; k >= 0; k--) {
		i = &b->original->instr[k];
		if (b->row[k] < 0 && i->line == line && i->op == g->op) {
			b->row[k] = (int)row;
			return;
		}
	}
}

static void give_lines(struct beside *b, size_t row, int from, int line, int last)
{
	int k;

	for (k = from; k < b->original->n; k++)
		if (b->row[k] < 0 && b->original->instr[k].line >= line && b->original->instr[k].line <= last)
			b->row[k] = (int)row;
}

/* What precedes the first line of the user: cells are made, free variables copied. */
static void give_prologue(struct beside *b)
{
	const struct region *g = b->fold->n ? plug_region(b->s, b->generated, 0) : NULL;
	int k, end;

	if (!g || g->kind != REGION_PROLOGUE)
		return;
	for (end = 0; end < b->original->n && strcmp(py_op_name(b->original->instr[end].op), "RESUME"); end++)
		;
	for (k = 0; end < b->original->n && k <= end; k++)
		b->row[k] = 0;
}

static void give(struct beside *b)
{
	const struct fold_row *r;
	const struct region *g;
	size_t i;
	int k, from;

	give_prologue(b);
	for (i = 0; i < b->fold->n; i++) {
		r = &b->fold->row[i];
		g = plug_region(b->s, b->generated, r->start);
		if (g && (g->kind == REGION_BREAK || g->kind == REGION_ORIGINAL))
			for (k = r->start; k < r->end; k++)
				give_break(b, i, k);
	}
	for (i = 0; i < b->fold->n; i++) {
		r = &b->fold->row[i];
		g = plug_region(b->s, b->generated, r->start);
		if (!g || !g->line || r->start != g->start)
			continue;
		from = g->goes_on ? code_index(b->original, g->goes_on) : 0;
		give_lines(b, i, from < 0 ? 0 : from, g->line, g->last_line ? g->last_line : g->line);
	}
}

/* The resume function that continues at this offset of the original. */
static const char *resumed_here(const struct beside *b, int offset)
{
	const struct region *g;
	int i, n;

	if (!offset || plug_regions(b->s, b->generated, &g, &n) <= 0)
		return NULL;
	for (i = 0; i < n; i++)
		if (g[i].goes_on == offset)
			return g[i].text ? g[i].text : region_name(g[i].kind);
	return NULL;
}

static void add_original(const struct beside *b, int k, struct buf *out)
{
	const struct instr *i = &b->original->instr[k];
	const char *resumed = resumed_here(b, i->offset);
	char *text = instr_text(b->original, k);

	if (i->line && (!k || i[-1].line != i->line))
		buf_addf(out, " | %4d", i->line);
	else
		buf_adds(out, " |     ");
	buf_addf(out, " %5d  %s", i->offset, text);
	free(text);
	if (resumed)
		buf_addf(out, "   <- %s resumes here", resumed);
	buf_addc(out, '\n');
}

static void add_originals(const struct beside *b, int row, size_t width, struct buf *out)
{
	size_t from;
	bool first = row >= 0;
	int k;

	for (k = 0; k < b->original->n; k++) {
		if (b->row[k] != row)
			continue;
		if (!first) {
			from = out->len;
			buf_pad(out, width, from);
		}
		add_original(b, k, out);
		first = false;
	}
	if (first)
		buf_addc(out, '\n');
}

void fold_beside(const struct fold *f, struct session *s, const struct target *t, struct code *original,
		 struct buf *out)
{
	struct beside b = { .s = s, .generated = t->code, .original = original, .fold = f };
	struct columns c;
	size_t i, from, width = 4;
	int k;

	code_decode(original);
	b.row = mem_alloc((size_t)(original->n + 1) * sizeof(*b.row));
	for (k = 0; k < original->n; k++)
		b.row[k] = -1;
	give(&b);
	measure_rows(f, &c);
	c.width[4] = 0; /* the right side takes precedence over notes */
	for (k = 0; k < COLUMNS; k++)
		width += c.width[k] ? c.width[k] + 2 : 0;
	for (i = 0; i < f->n; i++) {
		from = out->len;
		fold_add_row(&f->row[i], &c, out);
		for (k = 0; k < original->n && b.row[k] != (int)i; k++)
			;
		if (k < original->n)
			buf_pad(out, width, from);
		add_originals(&b, (int)i, width, out);
	}
	add_originals(&b, -1, width, out);
	free(b.row);
}
