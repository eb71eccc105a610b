/* SPDX-License-Identifier: BSD-3-Clause */
/* Captured graphs as plain data: nodes, and the source line of each.  Knows not how they are read from Dynamo. */
#include "model/graph.h"
#include "torch/attrs.h"
#include "model/entry.h"
#include "model/source_line.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

void graphs_free(struct nodes *g)
{
	int i;

	for (i = 0; g && i < g->n; i++) {
		free(g->node[i].name);
		free(g->node[i].args);
		free(g->node[i].value);
		free(g->node[i].stride);
		free(g->node[i].concrete);
		free(g->node[i].from);
		free(g->node[i].in);
	}
	for (i = 0; g && i < g->nsub; i++) {
		free(g->sub[i].name);
		graphs_free(g->sub[i].nodes);
	}
	if (g) {
		free(g->sub);
		free(g->node);
		free(g->spot);
		free(g->by_name);
		Py_XDECREF(g->kept);
		Py_XDECREF(g->split.kept);
		Py_XDECREF(g->modes);
	}
	free(g);
}

void graphs_add_sub(struct nodes *g, const char *name, struct nodes *nodes)
{
	size_t cap = (size_t)g->nsub;

	g->sub = mem_grow(g->sub, &cap, cap + 1, sizeof(*g->sub));
	g->sub[g->nsub++] = (struct subgraph){ .name = mem_str(name), .nodes = nodes };
}

struct nodes *graphs_sub(const struct nodes *g, const char *name)
{
	int i;

	for (i = 0; i < g->nsub; i++)
		if (!strcmp(g->sub[i].name, name))
			return g->sub[i].nodes;
	return NULL;
}

bool graphs_computes(const struct node *n)
{
	return strcmp(n->op, "placeholder") && strcmp(n->op, "output") && strcmp(n->op, "get_attr");
}

/* The arguments as a text in which nodes are numbers. */
static char *plain_args(const struct nodes *g, const struct node *n)
{
	struct buf out = { 0 };
	const char *s = n->args;
	size_t word;
	int i;

	while (*s) {
		word = py_text_word(s);
		i = word ? graphs_index(g, s, word) : -1;
		if (i >= 0)
			buf_addf(&out, "%%%d", i);
		else
			buf_add(&out, s, word ? word : 1);
		s += word ? word : 1;
	}
	return buf_detach(&out);
}

static bool same_but_names(const struct nodes *a, const struct node *x, const struct nodes *b, const struct node *y)
{
	bool input = !strcmp(x->op, "placeholder"), same;
	char *s, *t;

	if (strcmp(x->op, y->op) || (!input && strcmp(x->target, y->target)) || x->nin != y->nin ||
	    (x->nin && memcmp(x->in, y->in, (size_t)x->nin * sizeof(*x->in))))
		return false;
	if (!strcmp(x->args, y->args) || input)
		return true;
	s = plain_args(a, x);
	t = plain_args(b, y);
	same = !strcmp(s, t);
	free(t);
	free(s);
	return same;
}

bool graphs_equal(const struct nodes *a, const struct nodes *b, bool names)
{
	const struct node *x, *y;
	int i;

	if (!a || !b || a->n != b->n || a->nsub != b->nsub)
		return false;
	for (i = 0; i < a->n; i++) {
		x = &a->node[i];
		y = &b->node[i];
		if (names ? strcmp(x->name, y->name) || strcmp(x->target, y->target) || strcmp(x->args, y->args) :
			    !same_but_names(a, x, b, y))
			return false;
	}
	for (i = 0; i < a->nsub; i++)
		if (strcmp(a->sub[i].name, b->sub[i].name) || !graphs_equal(a->sub[i].nodes, b->sub[i].nodes, names))
			return false;
	return true;
}

struct node_name {
	const char *name;
	int index;
};

static int names_compare(const void *a, const void *b)
{
	return strcmp(((const struct node_name *)a)->name, ((const struct node_name *)b)->name);
}

/* Sorts the names of a graph whose nodes were added since.  The graph stays the same for who reads it. */
static const struct node_name *names_sorted(const struct nodes *of)
{
	struct nodes *g = (struct nodes *)of;

	if (g->named != g->n) {
		free(g->by_name);
		g->by_name = mem_alloc((size_t)g->n * sizeof(*g->by_name));
		for (g->named = 0; g->named < g->n; g->named++)
			g->by_name[g->named] = (struct node_name){ g->node[g->named].name, g->named };
		qsort(g->by_name, (size_t)g->n, sizeof(*g->by_name), names_compare);
	}
	return g->by_name;
}

int graphs_index(const struct nodes *g, const char *name, size_t n)
{
	const struct node_name *sorted = names_sorted(g);
	int low = 0, high = g->n, mid, order;

	while (low < high) {
		mid = low + (high - low) / 2;
		order = strncmp(name, sorted[mid].name, n);
		if (!order && !sorted[mid].name[n])
			return sorted[mid].index;
		if (order > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return -1;
}

const struct node *graphs_own_node(const struct nodes *g, const char *name, size_t n)
{
	int i = g ? graphs_index(g, name, n) : -1;

	return i < 0 ? NULL : &g->node[i];
}

const struct node *graphs_node(const struct nodes **g, const char *name)
{
	int i = graphs_index(*g, name, strlen(name));
	const struct nodes *inner;
	const struct node *n;
	size_t len;

	if (i >= 0)
		return &(*g)->node[i];
	for (i = 0; i < (*g)->nsub; i++) {
		len = strlen((*g)->sub[i].name);
		inner = (*g)->sub[i].nodes;
		n = !strncmp(name, (*g)->sub[i].name, len) && name[len] == '.' ? graphs_node(&inner, name + len + 1) :
										 NULL;
		if (n) {
			*g = inner;
			return n;
		}
	}
	return NULL;
}

int graphs_count(const struct nodes *g)
{
	int i, n = g->n;

	for (i = 0; i < g->nsub; i++)
		n += graphs_count(g->sub[i].nodes);
	return n;
}

void graphs_drop_kept(struct entry *gone)
{
	const struct entry *e;
	bool used;
	int i, k;

	for (i = 0; i < gone->made.ngraphs; i++) {
		used = !gone->made.graph[i].copy;
		for (e = model_entries; e && !used; e = e->next)
			for (k = 0; k < e->made.ngraphs && e->co && e != gone; k++)
				used |= e->made.graph[k].copy == gone->made.graph[i].copy;
		if (!used) {
			Py_CLEAR(gone->made.graph[i].copy->kept);
			Py_CLEAR(gone->made.graph[i].copy->split.kept);
		}
	}
}

static void wrapped_gone(PyObject *wrapped)
{
	graphs_free(PyCapsule_GetPointer(wrapped, "nodes"));
}

PyObject *graphs_wrap(struct nodes *g)
{
	return PyCapsule_New(g, "nodes", wrapped_gone);
}

struct nodes *graphs_unwrap(PyObject *wrapped)
{
	struct nodes *g = PyCapsule_IsValid(wrapped, "nodes") ? PyCapsule_GetPointer(wrapped, "nodes") : NULL;

	if (g)
		PyCapsule_SetDestructor(wrapped, NULL);
	PyErr_Clear();
	return g;
}

const struct source_line *graphs_line(const struct nodes *g, const struct node *n)
{
	if (n->user >= 0)
		return &g->spot[n->spot + n->user];
	return !n->nspots ? NULL : g->called.file ? &g->called : &g->spot[n->spot + n->nspots - 1];
}

bool graphs_same_line(const struct nodes *a, const struct node *x, const struct nodes *b, const struct node *y)
{
	const struct source_line *s = graphs_line(a, x), *t = graphs_line(b, y);

	return s && t && s->line == t->line && s->file && t->file &&
	       !strcmp(py_text_file_name(s->file), py_text_file_name(t->file));
}

const struct source_line *graphs_outer(const struct nodes *g, const struct node *n)
{
	int i = source_line_outer(g->spot + n->spot, n->user);

	return i < 0 ? NULL : &g->spot[n->spot + i];
}

bool graphs_is_subscript(const struct node *n)
{
	return !strcmp(n->op, "call_function") &&
	       (!strcmp(n->target, "operator.getitem") || !strcmp(n->target, "operator.setitem"));
}

const struct source_line *graphs_own(const struct nodes *g, const struct node *n)
{
	return n->nspots && g->spot[n->spot].own ? &g->spot[n->spot] : NULL;
}

const struct source_line *graphs_torch(const struct nodes *g, const struct node *n)
{
	const struct source_line *s = n->nspots ? &g->spot[n->spot + n->nspots - 1] : NULL;

	return s && attrs_torch_file(s->file) ? s : NULL;
}

int graphs_users(const struct nodes *g, int of, int *out, int most)
{
	int i, k, n = 0;

	for (i = of + 1; i < g->n; i++)
		for (k = 0; k < g->node[i].nin; k++)
			if (g->node[i].in[k] == of) {
				if (n < most)
					out[n] = i;
				n++;
			}
	return n;
}

static bool is_part_of(const struct graph *g, const struct graph *whole)
{
	size_t n = strlen(whole->full);

	return g->part && !strncmp(g->full, whole->full, n) && g->full[n] == '.';
}

struct graph *graphs_whole(const struct entry *e, struct graph *g)
{
	int i;

	for (i = 0; g->part && i < e->made.ngraphs; i++)
		if (is_part_of(g, &e->made.graph[i]))
			return &e->made.graph[i];
	return g;
}

struct graph *graphs_next_part(const struct entry *e, const struct graph *whole, const struct graph *before)
{
	int i = before ? (int)(before - e->made.graph) + 1 : 0;

	for (; i < e->made.ngraphs; i++)
		if (is_part_of(&e->made.graph[i], whole))
			return &e->made.graph[i];
	return NULL;
}

void graphs_tell_parts(const struct entry *e, const struct graph *whole, struct buf *out)
{
	const struct graph *g;

	for (g = graphs_next_part(e, whole, NULL); g; g = graphs_next_part(e, whole, g))
		buf_addf(out, ", %s", strrchr(g->name, '.') + 1);
}

unsigned model_graphs_version = 1;

void model_add_graph(struct entry *e, const char *name, struct nodes *copied)
{
	struct graph *g;
	const char *p, *end = name + strlen(name), *part = strchr(name, '.');
	size_t cap = (size_t)e->made.ngraphs;
	int under = 0;

	model_graphs_version++;
	e->made.graph = mem_grow(e->made.graph, &cap, (size_t)e->made.ngraphs + 1, sizeof(*e->made.graph));
	g = &e->made.graph[e->made.ngraphs++];
	memset(g, 0, sizeof(*g));
	/* "__compiled_fn_1_2c736fa2_bcb9_4768_99b0_63c6b02410e5": what follows the number tells nobody anything. */
	for (p = name + strspn(name, "_"); *p; p++)
		if (*p == '_' && ++under == 3) {
			end = p;
			break;
		}
	g->full = mem_str(name);
	g->part = part != NULL;
	g->name = mem_fmt("%.*s%s", (int)(part && part < end ? part - name : end - name), name, part ? part : "");
	g->nodes = copied ? copied->n : -1;
	g->copy = copied;
}

static void add_spot(struct graph *g, const struct source_line *s)
{
	int i;

	for (i = 0; i < g->nspots; i++)
		if (g->spot[i].line == s->line && g->spot[i].file == s->file && g->spot[i].function == s->function &&
		    g->spot[i].own == s->own)
			return;
	g->spot = mem_grow(g->spot, &g->spots_cap, (size_t)g->nspots + 1, sizeof(*g->spot));
	g->spot[g->nspots++] = *s;
}

void model_read_graph(struct graph *g)
{
	const struct node *n;
	int i, k;

	if (g->read || !g->copy)
		return;
	g->read = true;
	for (i = 0; i < g->copy->n; i++) {
		n = &g->copy->node[i];
		for (k = 0; k < n->nspots; k++)
			add_spot(g, &g->copy->spot[n->spot + k]);
	}
}
