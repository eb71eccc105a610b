/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the source of a kernel that inductor wrote, C++ or Triton, with the nodes that it computes. */
#include "code/dynamo_code.h"
#include "code/graph_codes.h"
#include "code/running_stage.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/source_line.h"
#include "model/stages.h"
#include "model/wrapper_text.h"
#include "show/dynamo_show.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

struct shown {
	const struct entry *e;
	const struct stage *s; /* the text that holds it */
	char *name;	       /* owned */
	const struct wrapper_kernel *kernel;
	const struct wrapper_statement *call; /* that calls it, where the program is; NULL: it was named */
	const char *file;		      /* the program's file with the line of its first node; NULL: unknown */
	int first, last;		      /* the lines of its nodes in that file */
};

static bool find_in(const struct stage *s, const char *name, struct shown *k)
{
	const struct wrapper_kernel *found = s->text && !strncmp(s->name, "kernel", 6) ?
						     wrapper_text_kernel(stages_wrapper(s), name, strlen(name)) :
						     NULL;

	if (found)
		k->kernel = found;
	return found != NULL;
}

/* The newest of that name. */
static bool find_named(const char *name, struct shown *k)
{
	const struct entry *e;
	const struct stage *s;

	for (e = model_entries; e; e = e->next)
		for (s = stages_of(e); s; s = s->next)
			if (find_in(s, name, k)) {
				k->e = e;
				k->s = s;
			}
	if (!k->s)
		return false;
	find_in(k->s, name, k);
	k->name = mem_str(name);
	return true;
}

/* The first call from a line on of a kernel whose text is known; after all of them the last one; NULL: none. */
static const struct graph_line *kernel_from(const struct graph_lines *l, const struct stage *s, int line,
					    struct shown *k)
{
	int i, from = 0;

	while (from < l->n && l->at[from].line < line)
		from++;
	for (i = from; s && i < l->n; i++)
		if (l->at[i].kernel && find_in(s, l->at[i].node, k))
			return &l->at[i];
	for (i = from; s && i-- > 0;)
		if (l->at[i].kernel && find_in(s, l->at[i].node, k))
			return &l->at[i];
	return NULL;
}

/* The kernel that the selected frame calls now or next, or called last. */
static bool find_at_hand(struct shown *k)
{
	struct selected_frame at;
	const struct graph_lines *l;
	struct running_stage g;
	const struct graph_line *row;
	struct err err;

	if (selected_frame_get(&at, &err) < 0)
		return false;
	l = at.code && at.code->kind == KIND_GRAPH && at.index >= 0 ? graph_codes_lines(at.code) : NULL;
	if (l && l->call && running_stage_find(l, &g)) {
		row = kernel_from(l, g.stage, at.code->instr[at.index].line, k);
		if (row) {
			k->e = g.entry;
			k->s = g.stage;
			k->name = mem_str(row->node);
			k->call = wrapper_text_at(stages_wrapper(g.stage), row->line);
		}
		free(g.name);
	}
	selected_frame_release(&at);
	return k->name != NULL;
}

/* "buffer __compiled_fn_1:kernel:buf0", "kernel __compiled_fn_1:kernel:cpp_fused_add_0": how links name a row. */
static void put_link(struct rows *out, const struct shown *k, const char *buffer)
{
	const struct entry *e = k->e;
	char *link;
	int i;

	for (i = 0; i < e->made.ngraphs; i++)
		if (!strcmp(e->made.graph[i].full, k->s->graph)) {
			link = mem_fmt("%s %s:%s:%s", buffer ? "buffer" : "kernel", e->made.graph[i].name, k->s->name,
				       buffer ? buffer : k->name);
			host->rows.str(out, "link", ROLE_DIM, link);
			free(link);
			return;
		}
}

/* A row of the source (line), of a buffer (node), or of neither. */
static void kernel_add_row(const struct view_req *req, struct rows *out, const struct shown *k, int line,
			   const char *text, const char *node, unsigned marks)
{
	if (!host->rows.want(out, req))
		return;
	host->rows.add(out, marks);
	if (line)
		host->rows.num(out, "line", line);
	host->rows.str(out, "node", ROLE_NAME, node);
	host->rows.str(out, "text", node ? ROLE_DIM : ROLE_TEXT, text);
	if (req->pane && k->s->norigins)
		put_link(out, k, line ? NULL : node);
	if (line && k->first) {
		host->rows.num(out, "user_line", k->first);
		host->rows.num(out, "last_line", k->last);
	}
}

static void note_line(struct shown *k, const struct source_line *spot)
{
	if (!spot || !spot->file || (k->file && strcmp(k->file, spot->file)))
		return;
	k->first = k->file && k->first < spot->line ? k->first : spot->line;
	k->last = k->last > spot->line ? k->last : spot->line;
	k->file = spot->file;
}

/* Where the node of that name, also of one in a sub-graph, was written; NULL: not known. */
static const struct source_line *place_of_node(const struct nodes *g, const char *name, size_t n)
{
	char *text = mem_fmt("%.*s", (int)n, name);
	const struct node *node = g ? graphs_node(&g, text) : NULL;

	free(text);
	return node ? graphs_line(g, node) : NULL;
}

/* The nodes of a buffer: "buf1 holds mul: cos, mul (toy.py:4)". */
static void put_nodes(const struct view_req *req, struct rows *out, struct shown *k, const struct origin *o)
{
	const struct nodes *g = stages_lowered(stages_of(k->e), k->s);
	const struct source_line *spot;
	struct buf text = { 0 };
	size_t n, before;
	const char *p;
	int line = 0;

	for (p = o->all ? o->all : ""; *p; p += n + (p[n] == ' ')) {
		n = strcspn(p, " ");
		buf_addf(&text, "%s%.*s", text.len ? ", " : "", (int)n, p);
		spot = place_of_node(g, p, n);
		if (spot) {
			buf_addf(&text, " (%s:%d)", py_text_file_name(spot->file), spot->line);
			note_line(k, spot);
			if (!line || (o->node && strlen(o->node) == n && !strncmp(o->node, p, n)))
				line = spot->line;
		}
	}
	before = out->n;
	kernel_add_row(req, out, k, 0, buf_str(&text), o->buffer, MARK_DIM);
	if (line && out->n > before)
		host->rows.num(out, "user_line", line);
	buf_release(&text);
}

/* The buffers that it writes, or that one call writes. */
static void put_written(const struct view_req *req, struct rows *out, struct shown *k)
{
	const struct wrapper_statement *by;
	const struct origin *o;
	int i;

	for (i = 0; i < k->s->norigins; i++) {
		o = &k->s->origin[i];
		by = wrapper_text_maker(stages_wrapper(k->s), o->buffer);
		if (by && piece_is(by->called, k->name) && (!k->call || by == k->call))
			put_nodes(req, out, k, o);
	}
}

static void put_other_calls(const struct view_req *req, struct rows *out, const struct shown *k)
{
	int n = k->call ? wrapper_text_calls(stages_wrapper(k->s), k->name) - 1 : 0;
	char *text;

	if (n < 1)
		return;
	text = mem_fmt("it is called at %d more line%s: 'info kernel %s' lists the nodes of all", n, n > 1 ? "s" : "",
		       k->name);
	kernel_add_row(req, out, k, 0, text, "-", MARK_DIM);
	free(text);
}

/* "__compiled_fn_1": the graph that the kernel is of. */
static const char *kernel_graph(const struct shown *k)
{
	int i;

	for (i = 0; i < k->e->made.ngraphs; i++)
		if (!strcmp(k->e->made.graph[i].full, k->s->graph))
			return k->e->made.graph[i].name;
	return k->s->graph;
}

static void fill_kernel(const struct view_req *req, struct rows *out, struct shown *k)
{
	const char *p, *end = k->kernel->whole.s + k->kernel->whole.n;
	int line = k->kernel->line;
	char *text;
	size_t n;

	host->rows.title(out, "%s\t%s", k->name, k->e->id);
	put_written(req, out, k);
	put_other_calls(req, out, k);
	if (k->s->cached || !k->s->norigins) {
		text = mem_fmt(
			"its nodes are not known: the code came from inductor's cache; 'graph recompile %s' finds them",
			kernel_graph(k));
		kernel_add_row(req, out, k, 0, text, "-", MARK_DIM);
		free(text);
	}
	for (p = k->kernel->whole.s; p < end; p += n + 1, line++) {
		n = strcspn(p, "\n");
		text = mem_fmt("%.*s", (int)n, p);
		kernel_add_row(req, out, k, line, text, NULL, 0);
		free(text);
	}
}

/* The code of the next stage with kernels: after *s, one of *e, or from the first of *e on; NULL: there is none. */
static const struct wrapper_text *next_code(const struct entry **e, const struct stage **s)
{
	const struct wrapper_text *w;

	for (; *e; *e = (*e)->next, *s = NULL)
		for (*s = *s ? (*s)->next : stages_of(*e); *s; *s = (*s)->next) {
			w = (*s)->text && !strncmp((*s)->name, "kernel", 6) ? stages_wrapper(*s) : NULL;
			if (w && w->nkernels)
				return w;
		}
	return NULL;
}

/* A kernel that inductor compiled in this run: its name, owned by the caller, and its entry; NULL: there is none. */
static char *some_kernel(const struct entry **of)
{
	const struct stage *s = NULL;
	const struct wrapper_text *w;

	*of = model_entries;
	w = next_code(of, &s);
	return w ? mem_strn(w->kernel->name.s, w->kernel->name.n) : NULL;
}

static int no_kernel(const char *name, struct err *err)
{
	const struct entry *of;
	char *some = some_kernel(&of);

	if (*name && some)
		err_set(err, "no kernel '%s': 'graph show %s kernel' shows those of an entry", name, of->id);
	else if (some)
		err_set(err, "missing kernel: name one, as in 'info kernel %s', or stop at one: 'catch kernel'", some);
	else if (*name)
		err_set(err, "no kernel '%s': inductor has compiled none yet", name);
	else
		err_set(err, "missing kernel: inductor has compiled none yet; 'catch kernel' stops at the first");
	free(some);
	return -1;
}

static int kernel_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct shown k = { 0 };

	(void)s;
	if (*req->words ? !find_named(req->words, &k) : !find_at_hand(&k))
		return no_kernel(req->words, err);
	fill_kernel(req, out, &k);
	free(k.name);
	return 0;
}

static void kernel_complete(struct session *s, const char *words, const char *word, struct val *list)
{
	const struct entry *e = model_entries;
	const struct stage *stage = NULL;
	const struct wrapper_text *w;
	int i;

	(void)s;
	(void)words;
	(void)word;
	while ((w = next_code(&e, &stage)))
		for (i = 0; i < w->nkernels; i++)
			val_pushf(list, "%.*s", (int)w->kernel[i].name.n, w->kernel[i].name.s);
}

static const struct view_col cols[] = {
	{ .name = "line", .help = "in the file that inductor wrote" },
	{ .name = "node", .help = "a buffer that the kernel writes; the text of its row names the nodes" },
	{ .name = "text", .help = "the kernel's source, C++ or Triton", .wide = true },
	{ .name = "user_line",
	  .help = "the program's line of a buffer's node; of the source: the first of all",
	  .machine_only = true },
	{ .name = "last_line", .help = "of the source: the last of all", .machine_only = true },
	{ .name = "link", .screen = true },
	{ .name = NULL },
};

const struct view_ops view_kernel = {
	.name = "kernel",
	.args = "[NAME]",
	.help = "the source of the next kernel, with the nodes that it computes",
	.cols = cols,
	.fill = kernel_fill,
	.none = "no kernel",
	.complete = kernel_complete,
};
