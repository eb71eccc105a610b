/* SPDX-License-Identifier: BSD-3-Clause */
/* Which node makes a NaN: see nan_made.h.  made.py runs the nodes of a kernel. */
#include "event/nan_made.h"
#include "cmd/result.h"
#include "cmd/graph_subject.h"
#include "code/running_stage.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/ints.h"
#include "model/source_line.h"
#include "model/stages.h"
#include "torch/py_text.h"
#include "torch/tensor_numbers.h"
#include <stdlib.h>
#include <string.h>

/* ---- what a kernel overwrites ---------------------------------------------------------------------------------- */

enum { HELD_MOST = 64 << 20 };

/* The last line before this one that gives a value or memory to a variable; NULL: none, as for an input. */
static const struct graph_line *written_before(const struct graph_lines *l, const struct graph_line *row, int local)
{
	const struct graph_line *p;

	for (p = row - 1; p >= l->at; p--)
		if (ints_has(p->writes, p->nwrites, local))
			return p;
	return NULL;
}

/* "arg0_1, arg1_1 = args" */
static bool unpacks_inputs(const char *text)
{
	const char *end = strstr(text, " = args");

	return end && !end[strlen(" = args")];
}

/* What the variable held before the line, by name: "buf3 = buf2" gives it the value of buf2, if that was computed or is
   an input.  NULL: nothing that is known. */
static const char *held_before(const struct graph_lines *l, const struct graph_line *row, int local)
{
	const struct graph_line *p = row;
	const char *text;
	int of = local;

	for (;;) {
		p = written_before(l, p, of);
		text = p ? host->files.line(py_text_utf8(l->co->co_filename), p->line) : NULL;
		if (!p || (text && unpacks_inputs(text)))
			return graph_codes_local(l, of);
		if (!p->memory) /* of another kernel the same variable has the value no more */
			return of == local ? NULL : graph_codes_local(l, of);
		if (p->nreads != 1 || !text || (strchr(text, '(') && !strstr(text, ", 0)"))) /* from its beginning */
			return NULL;
		of = p->reads[0];
	}
}

void nan_holding_release(struct nan_holding *h)
{
	int i;

	for (i = 0; i < h->n; i++) {
		free(h->at[i].node);
		Py_XDECREF(h->at[i].bytes);
	}
	free(h->at);
	memset(h, 0, sizeof(*h));
}

void nan_holding_note(struct nan_holding *h, struct py_frame *f, const struct graph_lines *l,
		      const struct graph_line *row)
{
	const char *from, *to, *name;
	Py_ssize_t total = 0;
	PyObject *bytes;
	int i;

	nan_holding_release(h);
	for (i = 0; l->call && row->kernel && !row->called && i < row->nwrites; i++) {
		name = held_before(l, row, row->writes[i]);
		if (!name || !tensor_numbers_memory((PyObject *)host->frames.local(f, row->writes[i]), &from, &to))
			continue;
		total += to - from;
		if (total > HELD_MOST || to == from)
			return;
		bytes = PyByteArray_FromStringAndSize(from, to - from); /* the collector does not see it */
		if (!bytes) {
			PyErr_Clear();
			return;
		}
		h->at = mem_grow(h->at, &h->cap, (size_t)h->n + 1, sizeof(*h->at));
		h->at[h->n++] = (struct nan_held){ row->writes[i], mem_str(name), bytes };
	}
}

/* ---- the nodes of a kernel ------------------------------------------------------------------------------------- */

/* The nodes that lead from values that exist to what the line wrote. */
struct cone {
	struct py_frame *f;
	const struct graph_lines *l;
	const struct graph_line *row;
	const struct running_stage *g;
	PyObject *given, *made, *held; /* owned: dicts by the names of nodes, see made_in_kernel() */
	PyObject *unknown;     /* owned: list of what the line wrote with a NaN or Inf, whose node is not known */
	PyObject *globals;     /* owned: of the code */
	bool *exists, *needed; /* of each node */
	bool whole;	       /* all that they read exists */
};

static int index_in(const struct nodes *g, const struct node *n)
{
	return n && n >= g->node && n < g->node + g->n ? (int)(n - g->node) : -1;
}

/* Does a line up to `last` compute a variable, and none after it?  With an input: does none up to `last` write it? */
static bool is_final(const struct graph_lines *l, const struct graph_line *last, int local, bool input)
{
	const struct graph_line *p;
	bool before = false, after = false;

	for (p = l->at; p < l->at + l->n; p++)
		if (!p->memory && p->node && ints_has(p->writes, p->nwrites, local)) {
			before |= p <= last;
			after |= p > last;
		}
	return input ? !before : before && !after;
}

/* A function for a sub-graph writes "true_graph_0_arg0_1" for its node arg0_1. */
static const char *name_in_graph(const struct cone *c, const char *variable)
{
	const char *function = py_text_utf8(c->l->co->co_name);
	size_t n = function && c->g->sub ? strlen(function) : 0;

	return n && !strncmp(variable, function, n) && variable[n] == '_' ? variable + n + 1 : variable;
}

/* The node whose value a variable holds after the line, -1: not known. */
static int node_held(const struct cone *c, int local)
{
	const struct nodes *g = c->g->nodes;
	const char *name = graph_codes_local(c->l, local), *node = name_in_graph(c, name);
	int i = graphs_index(g, node, strlen(node));
	bool input = i >= 0 && !strcmp(g->node[i].op, "placeholder");

	if (input && is_final(c->l, c->row, local, true))
		return i;
	return is_final(c->l, c->row, local, false) ? index_in(g, running_stage_node(c->g, c->l, name)) : -1;
}

static void put_existing(struct cone *c, PyObject *into, int node, PyObject *v)
{
	c->exists[node] = true;
	if (PyDict_SetItemString(into, c->g->nodes->node[node].name, v) < 0)
		PyErr_Clear();
}

/* The values that the frame still has, and those that the kernel has overwritten since. */
static void find_readable(struct cone *c, const struct nan_holding *held)
{
	int n = (int)PyTuple_GET_SIZE(c->l->co->co_localsplusnames), i, node;
	PyObject *v, *pair;

	for (i = 0; i < n; i++) {
		v = (PyObject *)host->frames.local(c->f, i);
		node = v && (PyLong_CheckExact(v) || tensor_numbers_tensor(v)) &&
				       !ints_has(c->row->writes, c->row->nwrites, i) ?
			       node_held(c, i) :
			       -1;
		if (node >= 0)
			put_existing(c, c->given, node, v);
	}
	for (i = 0; i < held->n; i++) {
		const char *name = name_in_graph(c, held->at[i].node);
		const struct node *of = graphs_own_node(c->g->nodes, name, strlen(name));

		if (of && strcmp(of->op, "placeholder"))
			of = NULL;
		if (!of && strcmp(held->at[i].node, graph_codes_local(c->l, held->at[i].local)))
			of = running_stage_node(c->g, c->l, held->at[i].node);
		v = (PyObject *)host->frames.local(c->f, held->at[i].local);
		node = index_in(c->g->nodes, of);
		pair = node >= 0 && v ?
			       Py_BuildValue("(OOzzz)", v, held->at[i].bytes, of->value, of->stride, of->concrete) :
			       NULL;
		if (pair)
			put_existing(c, c->held, node, pair);
		Py_XDECREF(pair);
	}
	PyErr_Clear();
}

static void need(struct cone *c, int node)
{
	const struct node *n = &c->g->nodes->node[node];
	PyObject *v = NULL;
	int i;

	if (c->exists[node] || c->needed[node])
		return;
	if (!strcmp(n->op, "get_attr"))
		v = PyDict_GetItemString(c->globals, n->target);
	if (v && tensor_numbers_tensor(v)) { /* a constant of the graph, which the code's module has */
		put_existing(c, c->given, node, v);
		return;
	}
	c->needed[node] = true;
	c->whole &= !strcmp(n->op, "call_function");
	for (i = 0; i < n->nin; i++)
		need(c, n->in[i]);
}

/* What the line wrote that has a NaN or Inf, and the nodes that lead there. */
static void find_needed(struct cone *c)
{
	int i, node;
	PyObject *v;

	for (i = 0; i < c->row->nwrites; i++) {
		v = (PyObject *)host->frames.local(c->f, c->row->writes[i]);
		if (!v || !(tensor_numbers_odd(v) & (TENSOR_NUMBERS_NAN | TENSOR_NUMBERS_INF)))
			continue;
		node = node_held(c, c->row->writes[i]);
		if (node < 0) {
			PyList_Append(c->unknown, v);
			continue;
		}
		if (PyDict_SetItemString(c->made, c->g->nodes->node[node].name, v) < 0)
			PyErr_Clear();
		c->exists[node] = false;
		need(c, node);
	}
}

/* [(name, target, arguments)] in order. */
static PyObject *needed_list(const struct cone *c)
{
	PyObject *list = PyList_New(0), *row;
	const struct node *n;
	int i;

	for (i = 0; list && i < c->g->nodes->n; i++) {
		n = &c->g->nodes->node[i];
		row = c->needed[i] ? Py_BuildValue("(sss)", n->name, n->target, n->args) : NULL;
		if (c->needed[i] && (!row || PyList_Append(list, row) < 0))
			Py_CLEAR(list);
		Py_XDECREF(row);
	}
	return list;
}

/* Runs them.  Whatever cannot be run or does not make what the kernel made is not known. */
static PyObject *run_needed(const struct cone *c)
{
	PyObject *list = c->whole && PyDict_GET_SIZE(c->made) ? needed_list(c) : NULL, *r = NULL;

	if (list)
		r = graph_call("made", "made_in_kernel", PyTuple_Pack(5, list, c->given, c->made, c->unknown, c->held));
	PyErr_Clear();
	Py_XDECREF(list);
	if (r && r != Py_None)
		return r;
	Py_XDECREF(r);
	return NULL;
}

/* ---- where it may be ------------------------------------------------------------------------------------------- */

static void add_kernel_node(struct nan_made *m, const struct running_stage *g, const struct node *n, bool *differ)
{
	const struct source_line *spot = graphs_line(g->nodes, n);
	struct val *each;

	if (!graphs_computes(n))
		return;
	if (!m->candidates)
		m->candidates = val_list();
	else if (!spot || !m->file || strcmp(m->file, spot->file) || m->line != spot->line)
		*differ = true;
	m->file = spot ? spot->file : NULL;
	m->line = spot ? spot->line : 0;
	each = val_map();
	val_put(each, "node", val_str(n->name));
	val_put(each, "file", spot ? val_str(spot->file) : val_null());
	val_put(each, "line", spot ? val_int(spot->line) : val_null());
	val_push(m->candidates, each);
}

/* All nodes that inductor records for what the line writes; they are in the order of the graph. */
static void find_recorded(const struct cone *c, bool *found)
{
	const struct stage *code = c->g->stage;
	const char *buffer;
	int i, k, node;

	for (k = 0; k < c->row->nwrites; k++) {
		buffer = graph_codes_local(c->l, c->row->writes[k]);
		for (i = 0; code && i < code->norigins; i++)
			for (node = 0; !strcmp(code->origin[i].buffer, buffer) && node < c->g->nodes->n; node++)
				found[node] |= py_text_lists(code->origin[i].all, c->g->nodes->node[node].name);
	}
}

static void find_candidates(struct nan_made *m, const struct cone *c)
{
	bool *found = mem_alloc((size_t)c->g->nodes->n + 1), differ = false;
	int i;

	find_recorded(c, found);
	for (i = 0; i < c->g->nodes->n; i++)
		if (found[i] || c->needed[i])
			add_kernel_node(m, c->g, &c->g->nodes->node[i], &differ);
	if (differ || PyList_GET_SIZE(c->unknown))
		m->file = NULL;
	free(found);
}

/* The node of the captured graph that a node was made of, by its own account; NULL: none, or it is not recorded. */
static const char *captured_name(const struct running_stage *g, const struct node *n)
{
	const struct nodes *captured = g->stage ? stages_captured(g->entry, g->stage) : NULL;
	const char *last = n->from && captured ? strrchr(n->from, ' ') : NULL;
	const struct node *from;

	if (!n->from || !captured)
		return NULL;
	last = last ? last + 1 : n->from;
	from = graphs_own_node(captured, last, strlen(last));
	return from && graphs_computes(from) ? from->name : NULL;
}

/* "graph run __compiled_fn_1 until nan"; a backward graph is a stage. */
static char *command_for(const struct running_stage *g)
{
	bool backward = g->stage && strstr(g->stage->name, "backward");

	return mem_fmt("graph run %.*s%s until nan", (int)strcspn(g->name, " "), g->name, backward ? " backward" : "");
}

/* Sets the place of a node. */
static const struct node *kernel_node_place(const struct running_stage *g, struct made_node *m)
{
	const struct node *n = graphs_own_node(g->nodes, m->name, strlen(m->name));

	made_node_place(m, n ? graphs_line(g->nodes, n) : NULL);
	return n;
}

static void find_in_kernel(struct nan_made *m, struct cone *c, const struct nan_holding *held, bool nan)
{
	PyObject *first, *second;
	const struct node *n;

	find_readable(c, held);
	find_needed(c);
	m->rows = run_needed(c);
	first = result_get(m->rows, nan ? "nan" : "inf");
	second = result_get(m->rows, nan ? "inf" : "nan");
	if (!m->rows || !made_node_read(first, &m->node)) {
		Py_CLEAR(m->rows);
		find_candidates(m, c);
		m->command = m->candidates ? command_for(c->g) : NULL;
		return;
	}
	n = kernel_node_place(c->g, &m->node);
	m->captured = n ? captured_name(c->g, n) : NULL;
	m->file = m->node.file;
	m->line = m->node.line;
	if (second != first && made_node_read(second, &m->other))
		kernel_node_place(c->g, &m->other);
	else
		m->other.name = NULL;
}

void nan_made_find(struct py_frame *f, struct graph_lines *l, const struct graph_line *row,
		   const struct nan_holding *held, bool nan, struct nan_made *out)
{
	struct running_stage g;
	struct cone c = { .f = f, .l = l, .row = row, .g = &g, .whole = true };

	memset(out, 0, sizeof(*out));
	if (!l->call) {
		if (!running_stage_place(l, row, &out->file, &out->line))
			out->file = NULL;
		return;
	}
	if (running_stage_find(l, &g) && g.nodes) {
		c.given = PyDict_New();
		c.made = PyDict_New();
		c.held = PyDict_New();
		c.unknown = PyList_New(0);
		c.globals = PyObject_GetAttrString((PyObject *)f, "f_globals");
		c.exists = mem_alloc((size_t)g.nodes->n + 1);
		c.needed = mem_alloc((size_t)g.nodes->n + 1);
		if (c.given && c.made && c.held && c.unknown && c.globals)
			find_in_kernel(out, &c, held, nan);
		free(c.needed);
		free(c.exists);
		Py_XDECREF(c.globals);
		Py_XDECREF(c.unknown);
		Py_XDECREF(c.held);
		Py_XDECREF(c.made);
		Py_XDECREF(c.given);
	}
	PyErr_Clear();
	free(g.name);
}

void nan_made_release(struct nan_made *m)
{
	Py_XDECREF(m->rows);
	val_free(m->candidates);
	free(m->command);
	memset(m, 0, sizeof(*m));
}

/* ---- told ------------------------------------------------------------------------------------------------------ */

/* ": one of its nodes made it: relu, mul at net.py:3, sub at net.py:4; 'graph run ...' finds it" */
static void tell_candidates(const struct nan_made *m, struct buf *out)
{
	enum { MOST = 12 };
	const struct val *each, *next;
	size_t i, n = m->candidates->u.list.n;

	buf_adds(out, n == 1 ? "; its node is " : "; one of its nodes made it: ");
	for (i = 0; i < n && i < MOST; i++) {
		each = m->candidates->u.list.item[i];
		next = i + 1 < n && i + 1 < MOST ? m->candidates->u.list.item[i + 1] : NULL;
		buf_addf(out, "%s'%s'", i ? ", " : "", val_text(each, "node"));
		if (val_get(each, "line")->type == VAL_INT &&
		    !(next && val_get(next, "line")->type == VAL_INT &&
		      val_get(next, "line")->u.i == val_get(each, "line")->u.i))
			buf_addf(out, " at %s:%lld", py_text_file_name(val_text(each, "file")),
				 val_get(each, "line")->u.i);
	}
	if (n > MOST)
		buf_addf(out, " and %zu more", n - MOST);
	if (n > 1)
		buf_addf(out, "; '%s' finds it", m->command);
}

void nan_made_text(const struct nan_made *m, struct buf *out)
{
	if (m->rows) {
		buf_addf(out, "; node '%s'", m->node.name);
		if (m->captured && strcmp(m->captured, m->node.name))
			buf_addf(out, ", captured as '%s',", m->captured);
		made_node_first(&m->node, out);
		if (m->other.name) {
			buf_addf(out, "; node '%s'", m->other.name);
			made_node_first(&m->other, out);
		}
	} else if (m->candidates) {
		tell_candidates(m, out);
	}
}

void nan_made_place(const struct nan_made *m, struct buf *out)
{
	if (!m->rows && !m->candidates)
		made_node_place_text(m->file, m->line, out);
}

static struct val *node_put(const struct made_node *m, bool known)
{
	struct val *map = known ? val_map() : val_null();

	if (known)
		made_node_put(m, map);
	return map;
}

void nan_made_put(const struct nan_made *m, struct val *map)
{
	struct val *made = node_put(&m->node, m->rows);

	if (m->rows)
		val_put(made, "captured", m->captured ? val_str(m->captured) : val_null());
	val_put(map, "made", made);
	val_put(map, "also", node_put(&m->other, m->rows && m->other.name));
	val_put(map, "candidates", m->candidates ? val_copy(m->candidates) : val_list());
	val_put(map, "command", m->command ? val_str(m->command) : val_null());
	val_put(map, "user_file", m->file ? val_str(m->file) : val_null());
	val_put(map, "user_line", m->file ? val_int(m->line) : val_null());
}
