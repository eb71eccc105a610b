/* SPDX-License-Identifier: BSD-3-Clause */
/* What compiling made of each source line: see line_marks.h.  Read from the model; calls no Python. */
#include "code/dynamo_code.h"
#include "code/line_marks.h"
#include "code/locate.h"
#include "model/breaks.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/evaluated.h"
#include "model/func.h"
#include "model/graph.h"
#include <stdlib.h>
#include <string.h>

/* The entries that are asked together. */
struct pieces {
	const struct entry **entry; /* owned */
	size_t n, cap;
	const struct func *root;
	const struct compiling *now; /* a compile of one of its functions, now; or NULL */
	const struct line_asked *asked;
};

static bool is_asked(const struct pieces *p, int line)
{
	return p->asked->first <= line && line <= p->asked->last;
}

static void report_line(const struct pieces *p, const char *file, int line, enum line_what what)
{
	if (file)
		p->asked->each(p->asked->arg, file, line, what);
}

static void piece_add(struct pieces *p, const struct entry *e)
{
	p->entry = mem_grow(p->entry, &p->cap, p->n + 1, sizeof(*p->entry));
	p->entry[p->n++] = e;
}

static bool piece_of(const struct pieces *p, const struct func *f)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->entry[i]->func == f)
			return true;
	return false;
}

static bool continues_in(const struct entry *e, const struct func *f)
{
	int i;

	for (i = 0; i < e->made.nresumes; i++)
		if (e->made.resume[i].func == f)
			return true;
	return false;
}

/* The last entry of f, one that lives if any does; or, with f NULL, of a function that continues in `next`. */
static const struct entry *last_entry(const struct func *f, const struct func *next)
{
	const struct entry *e, *found = NULL;

	for (e = model_entries; e; e = e->next)
		if ((f ? e->func == f : continues_in(e, next)) && (e->co || !found || !found->co))
			found = e;
	return found;
}

/* The entries before this one, up to the function's own, and after all these what they continue in. */
static void piece_chain(struct pieces *p, const struct entry *e)
{
	const struct entry *next;
	size_t i;
	int k;

	for (; e && !piece_of(p, e->func); e = e->func->root ? last_entry(NULL, e->func) : NULL)
		piece_add(p, e);
	for (i = 0; i < p->n; i++)
		for (k = 0; k < p->entry[i]->made.nresumes; k++) {
			if (piece_of(p, p->entry[i]->made.resume[k].func))
				continue;
			next = last_entry(p->entry[i]->made.resume[k].func, NULL);
			if (next)
				piece_add(p, next);
		}
}

/* ---- the marks ------------------------------------------------------------------------------------------------ */

/* May the node have a line that is asked?  Which lines of its stack count takes longer to find out. */
static bool may_be_asked(const struct pieces *p, const struct nodes *g, const struct node *n)
{
	int i;

	for (i = 0; i < n->nspots; i++)
		if (is_asked(p, g->spot[n->spot + i].line))
			return true;
	return is_asked(p, g->called.line);
}

/* The innermost line of the program, and the function's own line above it. */
static void mark_nodes(const struct pieces *p, const struct nodes *g)
{
	const struct source_line *at, *outer;
	int i;

	for (i = 0; g && i < g->n; i++) {
		if (!graphs_computes(&g->node[i]) || !may_be_asked(p, g, &g->node[i]))
			continue;
		at = graphs_line(g, &g->node[i]);
		outer = graphs_outer(g, &g->node[i]);
		if (at)
			report_line(p, at->file, at->line, LINE_NODE);
		if (at && outer && outer != at)
			report_line(p, outer->file, outer->line, LINE_NODE);
	}
	for (i = 0; g && i < g->nsub; i++)
		mark_nodes(p, g->sub[i].nodes);
}

/* The line of a "def" only enters the function, unless all of it is written there. */
static void mark_evaluated(const struct pieces *p, const struct evaluated *v)
{
	int i, last;

	for (; v; v = v->next) {
		for (last = v->nbytes * 8 - 1; last > 0 && !(v->bits[last / 8] >> last % 8 & 1); last--)
			;
		for (i = last > 0; i <= last; i++)
			if (v->bits[i / 8] >> i % 8 & 1)
				report_line(p, v->file, v->first + i, LINE_EVALUATED);
	}
}

static bool any_evaluated(const struct pieces *p, int line)
{
	const char *inlined;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (evaluated_line(p->entry[i], p->root->file, line, &inlined) && !inlined)
			return true;
	return p->now && evaluated_at(p->now->parts.evaluated, p->root->file, line);
}

/* Lines of the function with code that was not evaluated; those that were, for an entry that did not record them. */
static void mark_own(const struct pieces *p)
{
	struct code *c = p->root->co ? host->code.get((struct py_code *)p->root->co) : NULL;
	int i, last = 0;

	if (!c || (!p->n && !p->now))
		return;
	host->code.decode(c);
	for (i = locate_first(c); i >= 0 && i < c->n; i++) {
		if (!is_asked(p, c->instr[i].line) || c->instr[i].line <= 0 || c->instr[i].line == last ||
		    c->instr[i].col < 0)
			continue;
		last = c->instr[i].line;
		if (!any_evaluated(p, last))
			report_line(p, p->root->file, last, LINE_MISSED);
		else if (!p->n || !p->entry[0]->made.evaluated)
			report_line(p, p->root->file, last, LINE_EVALUATED);
	}
}

/* Of one of the entries, of the compile now, or of one that made no entry. */
static bool breaks_in(const struct pieces *p, const struct breakage *b)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (breaks_of(b, p->entry[i]))
			return true;
	return model_root(b->func) == p->root && (!b->entry || !model_entry_named(b->entry));
}

static void mark_breaks(const struct pieces *p)
{
	const struct breakage *b;
	const char *own;

	for (b = model_breaks; b; b = b->next) {
		if (!breaks_in(p, b))
			continue;
		report_line(p, b->file, b->line, LINE_BREAK);
		own = breaks_file(b);
		if (own && (!b->file || breaks_line(b) != b->line || strcmp(own, b->file)))
			report_line(p, own, breaks_line(b), LINE_BREAK);
	}
}

static void mark_all(struct pieces *p)
{
	const struct entry *e;
	size_t i;
	int k;

	for (i = 0; i < p->n; i++) {
		e = p->entry[i];
		for (k = 0; k < e->made.ngraphs; k++)
			mark_nodes(p, e->made.graph[k].copy);
		mark_evaluated(p, e->made.evaluated);
		for (k = 0; k < e->made.nresumes; k++)
			if (e->made.resume[k].func->resume_line > 0)
				report_line(p, e->made.resume[k].func->file, e->made.resume[k].func->resume_line,
					    LINE_RESUME);
	}
	if (p->now) {
		mark_nodes(p, p->now->run.partial);
		mark_evaluated(p, p->now->parts.evaluated);
	}
	mark_own(p);
	mark_breaks(p);
	free(p->entry);
}

void line_marks_func(const struct func *root, const struct line_asked *asked)
{
	struct pieces p = { .root = root, .asked = asked };
	const struct entry *e;

	for (e = model_entries; e; e = e->next)
		if (model_root(e->func) == root)
			piece_add(&p, e);
	mark_all(&p);
}

void line_marks_entry(const struct entry *e, const struct func *f, const struct line_asked *asked)
{
	const struct compiling *top = compiling_top();
	struct func *of = e ? e->func : (struct func *)f;
	struct pieces p = { .root = model_root(of), .asked = asked };

	if (top && !top->entry && model_root(top->func) == p.root)
		p.now = top;
	piece_chain(&p, e ? e : last_entry(of, NULL));
	mark_all(&p);
}
