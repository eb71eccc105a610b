/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps and finds what inductor's code was made of: see dynamo_observe.h. */
#include "model/entry.h"
#include "model/graph.h"
#include "model/node_match.h"
#include "model/stages.h"
#include "observe/dynamo_observe.h"
#include "observe/note_text.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 20000 }; /* of all stages of a note */

/* ---- which note -------------------------------------------------------------------------------------------------- */

static bool is_backward(const struct stage *s)
{
	return strstr(s->name, "backward") != NULL;
}

/* The name of the note of a code, the caller's; NULL: it cannot be computed. */
static char *note_name(const char *code)
{
	PyObject *lib = PyImport_ImportModuleLevel("hashlib", NULL, NULL, NULL, 0), *hash, *hex;
	PyObject *text = PyBytes_FromString(stages_plain_code(code));
	char *name = NULL;

	hash = lib && text ? PyObject_CallMethod(lib, "sha256", "O", text) : NULL;
	hex = hash ? PyObject_CallMethod(hash, "hexdigest", NULL) : NULL;
	if (py_text_utf8(hex) && strlen(py_text_utf8(hex)) == 64 && !strchr(py_text_utf8(hex), '/'))
		name = mem_fmt("%s.note", py_text_utf8(hex));
	PyErr_Clear();
	Py_XDECREF(hex);
	Py_XDECREF(hash);
	Py_XDECREF(text);
	Py_XDECREF(lib);
	return name;
}

/* ---- keeping ----------------------------------------------------------------------------------------------------- */

/* Does the note of a code hold this stage?  The joint graph and its parts are in the note of the forward code. */
static bool belongs(const struct stage *s, const struct stage *code)
{
	bool of_backward = !strcmp(s->name, "post-grad-backward") || !strcmp(s->name, "kernel-backward");

	return s->copy && !s->cached && !strcmp(s->graph, code->graph) &&
	       (is_backward(code) ? is_backward(s) : !of_backward);
}

void cache_notes_keep(const struct nodes *captured, const struct stage *all, const struct stage *code)
{
	struct note_lines lines = { 0 };
	struct buf text = { 0 };
	const struct stage *s;
	int nodes = captured ? graphs_count(captured) : NODES_MOST;
	char *name;

	for (s = all; s; s = s->next)
		nodes += belongs(s, code) ? graphs_count(s->copy) : 0;
	name = nodes < NODES_MOST && host->talk.option_number("cache-notes") ? note_name(code->text) : NULL;
	if (!name)
		return;
	note_put_stage(&text, &lines, "captured", captured);
	for (s = all; s; s = s->next)
		if (belongs(s, code))
			note_put_stage(&text, &lines, s->name, s->copy);
	note_put_origins(&text, code->origin, code->norigins);
	note_put_end(&text);
	note_file_write(name, text.s, text.len);
	note_lines_release(&lines);
	buf_release(&text);
	free(name);
}

/* ---- is it the same graph? --------------------------------------------------------------------------------------- */

/* A graph of a note beside the same graph now. */
struct same {
	PyObject *names;	    /* owned: {name then: name now}, where they differ */
	const struct nodes **graph; /* by number of lines: the graph now that has them */
	const struct node **node;   /* ... and the first node there */
	bool *several;		    /* ... nodes that have them then are on different lines now */
	int nlines;
	const struct nodes *then, *now; /* borrowed: the graph itself, and as it is now */
	bool captured;			/* ... it is the captured one */
	bool sizes;			/* examples had the sizes then that they have now */
};

static void add_name(struct same *m, const char *then, size_t n, const char *now, size_t k)
{
	PyObject *a, *b;

	if (n == k && !strncmp(then, now, n))
		return;
	a = PyUnicode_FromStringAndSize(then, (Py_ssize_t)n);
	b = PyUnicode_FromStringAndSize(now, (Py_ssize_t)k);
	if (a && b)
		PyDict_SetDefault(m->names, a, b);
	PyErr_Clear();
	Py_XDECREF(b);
	Py_XDECREF(a);
}

/* The captured nodes that a node of the graph that inductor was given is made of, then and now. */
static void add_sources(struct same *m, const char *then, const char *now)
{
	size_t n, k;

	while (then && now && *then && *now) {
		n = strcspn(then, " ");
		k = strcspn(now, " ");
		add_name(m, then, n, now, k);
		then += n + (then[n] == ' ');
		now += k + (now[k] == ' ');
	}
}

static bool on_same_lines(const struct nodes *a, const struct node *x, const struct nodes *b, const struct node *y)
{
	int i;

	for (i = 0; i < x->nspots && x->nspots == y->nspots; i++)
		if (a->spot[x->spot + i].line != b->spot[y->spot + i].line ||
		    a->spot[x->spot + i].file != b->spot[y->spot + i].file)
			return false;
	return x->nspots == y->nspots;
}

static void add_pairs(struct same *m, const struct nodes *then, const struct nodes *now)
{
	const struct node *x, *y;
	int i, at;

	for (i = 0; i < then->n; i++) {
		x = &then->node[i];
		y = &now->node[i];
		if (m->captured)
			add_name(m, x->name, strlen(x->name), y->name, strlen(y->name));
		else
			add_sources(m, x->from, y->from);
		at = x->spot;
		if (at >= 0 && m->node[at]) {
			m->several[at] |= !on_same_lines(m->graph[at], m->node[at], now, y);
		} else if (at >= 0) {
			m->graph[at] = now;
			m->node[at] = y;
		}
		m->sizes &= !x->concrete == !y->concrete && (!x->concrete || !strcmp(x->concrete, y->concrete));
	}
	for (i = 0; i < then->nsub; i++)
		add_pairs(m, then->sub[i].nodes, now->sub[i].nodes);
}

static int most_lines(const struct nodes *g)
{
	int i, n, most = 0;

	for (i = 0; i < g->n; i++)
		most = g->node[i].spot >= most ? g->node[i].spot + 1 : most;
	for (i = 0; i < g->nsub; i++) {
		n = most_lines(g->sub[i].nodes);
		most = n > most ? n : most;
	}
	return most;
}

/* The graph of the note that is the same now: the captured one, else the one that inductor was given. */
static bool find_same(struct same *m, const struct note *note, const struct entry *e, const struct stage *code)
{
	static const char *const given[] = { "forward", "inference", "backward" };
	const struct nodes *then = note_stage_named(note, "captured"), *now = stages_captured(e, code);
	bool found = graphs_equal(then, now, false);
	const struct stage *s;
	int i;

	m->captured = found;
	for (i = is_backward(code) ? 2 : 0; !found && i < (is_backward(code) ? 3 : 2); i++)
		for (s = e->made.stages; s && !found; s = s->next) {
			then = note_stage_named(note, given[i]);
			now = s->cached || strcmp(s->graph, code->graph) || strcmp(s->name, given[i]) ? NULL : s->copy;
			found = graphs_equal(then, now, false);
		}
	if (!found)
		return false;
	m->then = then;
	m->now = now;
	m->nlines = most_lines(then);
	m->graph = mem_alloc(((size_t)m->nlines + 1) * sizeof(*m->graph));
	m->node = mem_alloc(((size_t)m->nlines + 1) * sizeof(*m->node));
	m->several = mem_alloc((size_t)m->nlines + 1);
	m->names = PyDict_New();
	m->sizes = true;
	if (m->names)
		add_pairs(m, then, now);
	PyErr_Clear();
	return m->names != NULL;
}

static void same_release(struct same *m)
{
	free(m->graph);
	free(m->node);
	free(m->several);
	Py_XDECREF(m->names);
}

/* ---- what the note says ------------------------------------------------------------------------------------------ */

/* The names of captured nodes as they are now. */
static char *names_now(const struct same *m, char *names)
{
	struct buf out = { 0 };
	PyObject *name, *now;
	const char *s;
	size_t n;

	if (!names || !PyDict_GET_SIZE(m->names))
		return names;
	for (s = names; *s; s += n + (s[n] == ' ')) {
		n = strcspn(s, " ");
		name = PyUnicode_FromStringAndSize(s, (Py_ssize_t)n);
		now = name ? PyDict_GetItemWithError(m->names, name) : NULL;
		buf_addf(&out, "%s%.*s", out.len ? " " : "", now ? (int)strlen(py_text_utf8(now)) : (int)n,
			 now ? py_text_utf8(now) : s);
		PyErr_Clear();
		Py_XDECREF(name);
	}
	free(names);
	return buf_detach(&out);
}

/* The node of the graph now that a node of a later stage stands for: of those on its lines then; NULL: not known. */
static const struct node *counterpart(const struct same *m, const struct node *n, int lines)
{
	const char *names = m->captured ? n->from : n->name;
	const struct node *found = NULL;
	int i;

	while ((i = node_match_noted(m->now, &names)) >= 0) {
		if (m->then->node[i].spot != lines)
			continue;
		if (found && !on_same_lines(m->now, found, m->now, &m->now->node[i]))
			return NULL;
		found = &m->now->node[i];
	}
	return found;
}

/* The lines with that number, as they are in the graph now. */
static void place_node(const struct same *m, struct nodes *g, struct node *n, int lines)
{
	const struct nodes *now = lines >= 0 && lines < m->nlines ? m->graph[lines] : NULL;
	const struct node *of = now ? m->node[lines] : NULL;

	if (of && m->several[lines]) {
		of = counterpart(m, n, lines);
		now = m->now;
	}
	n->spot = g->nspots;
	n->user = -1;
	if (!of || !of->nspots)
		return;
	g->spot = mem_grow(g->spot, &g->spots_cap, (size_t)(g->nspots + of->nspots) + 1, sizeof(*g->spot));
	memcpy(g->spot + g->nspots, now->spot + of->spot, (size_t)of->nspots * sizeof(*g->spot));
	g->nspots += of->nspots;
	n->nspots = of->nspots;
	n->user = of->user;
	if (now->called.file)
		g->called = now->called;
}

static void bring_up_to_date(const struct same *m, struct nodes *g)
{
	struct node *n, *before = NULL;
	int i, lines, placed = -1;

	for (i = 0; i < g->n; i++) {
		n = &g->node[i];
		n->from = names_now(m, n->from);
		if (!m->sizes) {
			free(n->concrete);
			n->concrete = NULL;
		}
		lines = n->spot;
		if (before && lines == placed && !(lines >= 0 && lines < m->nlines && m->several[lines])) {
			n->spot = before->spot;
			n->nspots = before->nspots;
			n->user = before->user;
		} else
			place_node(m, g, n, lines);
		before = n;
		placed = lines;
	}
	for (i = 0; i < g->nsub; i++)
		bring_up_to_date(m, g->sub[i].nodes);
}

/* Moves what the note has of a stage into it. */
static void fill_stage(const struct same *m, struct note *note, const struct stage *code, struct stage *s)
{
	struct nodes *g = s == code ? NULL : note_stage_named(note, s->name);
	int i;

	if (s == code) {
		s->origin = note->origin;
		s->norigins = note->norigins;
		note->origin = NULL;
		note->norigins = 0;
	} else if (g) {
		for (i = 0; note->stage[i].nodes != g; i++)
			;
		note->stage[i].nodes = NULL;
		bring_up_to_date(m, g);
		s->copy = g;
		free(s->text);
		s->text = NULL;
	}
	s->cached &= s != code && !g;
}

static struct stage *code_of(const struct entry *e, const struct stage *s)
{
	const char *name = !strcmp(s->name, "post-grad-backward") || !strcmp(s->name, "kernel-backward") ?
				   "kernel-backward" :
				   "kernel";
	struct stage *code;

	for (code = e->made.stages; code; code = code->next)
		if (!strcmp(code->graph, s->graph) && !strcmp(code->name, name))
			break;
	return code && code->text ? code : NULL;
}

void cache_notes_find(const struct entry *e, struct stage *s)
{
	struct stage *code = code_of(e, s);
	char *name = code && code->cached && host->talk.option_number("cache-notes") ? note_name(code->text) : NULL;
	char *text = name ? note_file_read(name) : NULL;
	struct note note = { 0 };
	struct same m = { 0 };

	if (text && note_read(&note, text) && find_same(&m, &note, e, code))
		for (s = e->made.stages; s; s = s->next)
			if (s->cached && !strcmp(s->graph, code->graph) && code_of(e, s) == code)
				fill_stage(&m, &note, code, s);
	same_release(&m);
	note_release(&note);
	free(text);
	free(name);
}
