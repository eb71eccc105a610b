/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes and reads notes: see note_text.h.  A record is a line: a letter, and fields after tabs. */
#include "observe/note_text.h"
#include "model/graph.h"
#include "model/ints.h"
#include "model/stages.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

enum { DEEP = 16 };
static const char title[] = "cdbg note 1";

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* NULL is "\N". */
static void put_field(struct buf *out, const char *s)
{
	size_t n;

	buf_addc(out, '\t');
	if (!s) {
		buf_adds(out, "\\N");
		return;
	}
	for (; *s; s += n) {
		n = strcspn(s, "\\\t\n");
		buf_add(out, s, n);
		if (s[n]) {
			buf_addc(out, '\\');
			buf_addc(out, s[n] == '\t' ? 't' : s[n] == '\n' ? 'n' : '\\');
			n++;
		}
	}
}

static void put_number(struct buf *out, long n)
{
	buf_addc(out, '\t');
	buf_number(out, n, 0);
}

static bool same_lines(const struct note_line *a, const struct source_line *spot, int n)
{
	int i;

	for (i = n - 1; i >= 0 && a->nspots == n; i--)
		if (a->spot[i].line != spot[i].line || a->spot[i].file != spot[i].file)
			return false;
	return a->nspots == n;
}

/* The number of a node's lines, -1: it has none. */
static int number_of_lines(struct note_lines *lines, const struct nodes *g, const struct node *n)
{
	const struct source_line *spot = n->nspots ? g->spot + n->spot : NULL;
	int i;

	if (!spot)
		return -1;
	for (i = lines->n - 1; i >= 0; i--) /* often that of the node before */
		if (same_lines(&lines->line[i], spot, n->nspots))
			return i;
	lines->line = mem_grow(lines->line, &lines->cap, (size_t)lines->n + 1, sizeof(*lines->line));
	lines->line[lines->n] = (struct note_line){ spot, n->nspots };
	return lines->n++;
}

static void put_node(struct buf *out, struct note_lines *lines, const struct nodes *g, const struct node *n)
{
	int i;

	buf_addc(out, 'n');
	put_field(out, n->name);
	put_field(out, n->op);
	put_field(out, n->target);
	put_field(out, n->args);
	put_field(out, n->value);
	put_field(out, n->stride);
	put_field(out, n->concrete);
	put_field(out, n->from);
	put_field(out, n->source);
	put_number(out, n->number);
	put_number(out, number_of_lines(lines, g, n));
	for (i = 0; i < n->nin; i++)
		put_number(out, n->in[i]);
	buf_addc(out, '\n');
}

static void put_graph(struct buf *out, struct note_lines *lines, const char *kind, const char *name,
		      const struct nodes *g)
{
	int i;

	buf_adds(out, kind);
	put_field(out, name);
	buf_addc(out, '\n');
	for (i = 0; i < g->n; i++)
		put_node(out, lines, g, &g->node[i]);
	for (i = 0; i < g->nsub; i++)
		put_graph(out, lines, "g", g->sub[i].name, g->sub[i].nodes);
	buf_adds(out, "e\n");
}

void note_put_stage(struct buf *out, struct note_lines *lines, const char *name, const struct nodes *g)
{
	if (!out->len)
		buf_addf(out, "%s\n", title);
	put_graph(out, lines, "s", name, g);
}

void note_put_origins(struct buf *out, const struct origin *origin, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		buf_addc(out, 'b');
		put_field(out, origin[i].buffer);
		put_field(out, origin[i].node);
		put_field(out, origin[i].all);
		buf_addc(out, '\n');
	}
}

void note_put_end(struct buf *out)
{
	buf_adds(out, "end\n");
}

void note_lines_release(struct note_lines *lines)
{
	free(lines->line);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct reading {
	struct note *note;
	struct nodes *open[DEEP]; /* the stage, and the graphs in it that are not complete yet */
	int deep;
};

/* The next field, in place; NULL: it is "\N", or there is none, where *s becomes NULL. */
static char *next_field(char **s)
{
	char *from = *s, *to = *s, *start = *s;

	if (!from)
		return NULL;
	for (; *from && *from != '\t'; from++)
		if (*from != '\\' || !from[1])
			*to++ = *from;
		else if (*++from == 'N')
			start = NULL;
		else
			*to++ = *from == 't' ? '\t' : *from == 'n' ? '\n' : *from;
	*s = *from ? from + 1 : NULL;
	*to = '\0';
	return start;
}

static long next_number(char **s, long least, long most)
{
	char *text = next_field(s);
	long n;

	return text && text_is_number(text, least, most, &n) ? n : least;
}

static const char *next_text(char **s)
{
	const char *text = next_field(s);

	return text ? py_text_keep(text) : NULL;
}

static bool read_node(struct nodes *g, char *s)
{
	struct node n = { .user = -1 };
	long in;

	n.name = mem_str(next_field(&s));
	n.op = next_text(&s);
	n.target = next_text(&s);
	n.args = mem_str(next_field(&s));
	n.value = mem_str(next_field(&s));
	n.stride = mem_str(next_field(&s));
	n.concrete = mem_str(next_field(&s));
	n.from = mem_str(next_field(&s));
	n.source = next_text(&s);
	n.number = next_number(&s, 0, 1L << 40);
	n.spot = (int)next_number(&s, -1, 1 << 28);
	while (s) {
		in = next_number(&s, -1, g->n - 1);
		if (in >= 0)
			ints_add(&n.in, &n.nin, (int)in);
	}
	g->node = mem_grow(g->node, &g->cap, (size_t)g->n + 1, sizeof(*g->node));
	g->node[g->n++] = n;
	return n.name && n.op && n.target && n.args && n.value;
}

static bool open_graph(struct reading *r, bool stage, char *name)
{
	struct note *note = r->note;
	struct nodes *g;

	if (!name || r->deep == DEEP || stage != !r->deep)
		return false;
	g = mem_alloc(sizeof(*g));
	if (stage) {
		note->stage = mem_grow(note->stage, &note->stages_cap, (size_t)note->nstages + 1, sizeof(*note->stage));
		note->stage[note->nstages++] = (struct note_stage){ py_text_keep(name), g };
	} else
		graphs_add_sub(r->open[r->deep - 1], name, g);
	r->open[r->deep++] = g;
	return true;
}

static bool read_origin(struct note *note, char *s)
{
	struct origin o = { 0 };

	o.buffer = mem_str(next_field(&s));
	o.node = mem_str(next_field(&s));
	o.all = mem_str(next_field(&s));
	note->origin = mem_grow(note->origin, &note->origins_cap, (size_t)note->norigins + 1, sizeof(*note->origin));
	note->origin[note->norigins++] = o;
	return o.buffer != NULL;
}

/* One record; s: its text after the letter. */
static bool read_record(struct reading *r, char kind, char *s)
{
	if (kind == 'e' && !*s)
		return r->deep-- > 0;
	if (*s++ != '\t')
		return false;
	switch (kind) {
	case 's':
	case 'g':
		return open_graph(r, kind == 's', next_field(&s));
	case 'n':
		return r->deep && !r->open[r->deep - 1]->nsub && read_node(r->open[r->deep - 1], s);
	case 'b':
		return !r->deep && read_origin(r->note, s);
	default:
		return false;
	}
}

bool note_read(struct note *note, char *text)
{
	struct reading r = { .note = note };
	char *s = text, *end = strchr(text, '\n');
	bool well = end && (*end = '\0', !strcmp(s, title)), done = false;

	memset(note, 0, sizeof(*note));
	while (well && !done) {
		s = end + 1;
		end = strchr(s, '\n');
		well = end != NULL;
		if (!well)
			break;
		*end = '\0';
		done = !strcmp(s, "end");
		well = done ? !r.deep && !end[1] : *s && read_record(&r, *s, s + 1) && r.deep >= 0;
	}
	if (!well)
		note_release(note);
	return well;
}

void note_release(struct note *note)
{
	int i;

	for (i = 0; i < note->nstages; i++)
		graphs_free(note->stage[i].nodes);
	stages_free_origins(note->origin, note->norigins);
	free(note->stage);
	memset(note, 0, sizeof(*note));
}

struct nodes *note_stage_named(const struct note *note, const char *name)
{
	int i;

	for (i = 0; i < note->nstages; i++)
		if (!strcmp(note->stage[i].name, name))
			return note->stage[i].nodes;
	return NULL;
}
