/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions, nodes and kernels as plain data for a signal handler: see crash_notes.h. */
#include "code/crash_notes.h"
#include "code/dynamo_code.h"
#include "code/running_stage.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"
#include "model/source_line.h"
#include <stdlib.h>
#include <string.h>

/* Notes as they are made: texts are offsets in `text`, + 1; 0: none. */
struct draft {
	struct draft_row {
		int unit, line;
		size_t what, name, file;
	} * row;
	size_t n, cap;
	struct buf text;
};

static size_t draft_text(struct draft *d, const char *s)
{
	size_t at = d->text.len + 1;

	if (!s)
		return 0;
	buf_add(&d->text, s, strlen(s) + 1);
	return at;
}

static struct draft_row *draft_add(struct draft *d, int unit)
{
	d->row = mem_grow(d->row, &d->cap, d->n + 1, sizeof(*d->row));
	d->row[d->n] = (struct draft_row){ .unit = unit };
	return &d->row[d->n++];
}

/* Gives the code what was drafted, in one block. */
static void draft_set(struct draft *d, struct code *c, const char *title, const char *function, const char *id)
{
	size_t about = draft_text(d, title), entry = draft_text(d, id), known = draft_text(d, function);
	size_t rows = d->n * sizeof(struct code_note), i;
	struct code_notes *notes = mem_alloc(sizeof(*notes) + rows + d->text.len + 1);
	char *text = (char *)notes + sizeof(*notes) + rows;

	if (d->text.len)
		memcpy(text, d->text.s, d->text.len);
	notes->title = about ? text + about - 1 : NULL;
	notes->function = known ? text + known - 1 : NULL;
	notes->entry = entry ? text + entry - 1 : NULL;
	notes->n = (int)d->n;
	for (i = 0; i < d->n; i++) {
		const struct draft_row *row = &d->row[i];

		notes->note[i] = (struct code_note){ .unit = row->unit,
						     .line = row->line,
						     .what = row->what ? text + row->what - 1 : NULL,
						     .name = row->name ? text + row->name - 1 : NULL,
						     .file = row->file ? text + row->file - 1 : NULL };
	}
	host->code.set_notes(c, notes);
	free(d->row);
	buf_release(&d->text);
}

void crash_notes_entry(struct entry *e)
{
	struct draft d = { .row = NULL };
	const struct region *r;
	struct draft_row *row;
	struct code *c;
	int i, n = regions_of(e, &r);

	if (!e->co)
		return;
	c = host->code.get((struct py_code *)e->co);
	host->code.decode(c);
	for (i = 0; i < n && r[i].start < c->n; i++) {
		row = draft_add(&d, code_unit(c, r[i].start));
		row->what = draft_text(&d, "region");
		row->name = draft_text(&d, host->code.region_name(r[i].kind));
		row->file = draft_text(&d, r[i].line ? e->func->file : NULL);
		row->line = r[i].line;
	}
	draft_set(&d, c, e->title, qualname_entry(e), e->id);
}

static const char *line_kind(const struct graph_lines *l, const struct graph_line *row)
{
	return row->kernel ? "kernel" : row->subgraph ? "sub-graph" : l->call ? "buffer" : "node";
}

/* A line that computes nothing has the place of the one before: it may free what that one computed. */
static void note_line(struct draft *d, const struct code *c, const struct graph_lines *l, const struct graph_line *at,
		      const struct running_stage *g)
{
	const struct source_line *place = g->nodes && !g->unsure ? running_stage_line(g, l, at) : NULL;
	struct draft_row *row;

	if (at->index >= c->n)
		return;
	row = draft_add(d, code_unit(c, at->index));
	if (!at->node)
		return;
	row->what = draft_text(d, line_kind(l, at));
	row->name = draft_text(d, at->kernel && at->called ? at->called : at->node);
	row->file = draft_text(d, place ? place->file : NULL);
	row->line = place ? place->line : 0;
}

static void note_graph(void *arg, struct code *c, const struct graph_lines *l)
{
	struct entry *e = arg;
	struct running_stage g = { .entry = NULL };
	struct draft d = { .row = NULL };
	char *title = NULL;
	int i;

	if (c->crash.notes && (c->crash.notes->entry || !e))
		return;
	if ((e && running_stage_of(l, e, &g)) || running_stage_find(l, &g))
		title = mem_fmt("graph %s of %s, entry %s", g.name,
				g.entry->func->qualname ? g.entry->func->qualname : g.entry->func->name, g.entry->id);
	if (!title && c->crash.notes) /* what it belongs to is still not known */
		return;
	for (i = 0; i < l->n; i++)
		note_line(&d, c, l, &l->at[i], &g);
	draft_set(&d, c, title ? title : "code of a graph", NULL, title ? g.entry->id : NULL);
	free(title);
	free(g.name);
}

void crash_notes_graphs(struct entry *e)
{
	graph_codes_each(note_graph, e);
}

void crash_notes_all(void)
{
	struct entry *e;

	for (e = model_entries; e; e = e->next)
		crash_notes_entry(e);
	crash_notes_graphs(NULL);
}
