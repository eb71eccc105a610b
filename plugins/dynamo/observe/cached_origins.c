/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the nodes that the buffers of inductor's code hold, where torch's cache kept only text.  The code and the graph
   name the same inputs, results and operations of libraries: a buffer's node is certain where only one fits. */
#include "observe/cached_origins.h"
#include "model/graph.h"
#include "model/ints.h"
#include "model/stages.h"
#include "observe/cached_matching.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* ---- the graph --------------------------------------------------------------------------------------------------- */

/* Does a node show memory of its first input?  Inductor computes nothing for it. */
static bool is_view(const struct node *n)
{
	static const char *const views[] = {
		"alias",	"as_strided",	    "detach", "diagonal",  "expand",  "permute",
		"reshape",	"select",	    "slice",  "split",	   "squeeze", "t",
		"transpose",	"split_with_sizes", "unbind", "unsqueeze", "unfold",  "view",
		"_unsafe_view",
	};
	const char *op = n->target && py_text_begins_with(n->target, "aten.") ? n->target + 5 : "";
	size_t i, len = cached_code_word(op);

	for (i = 0; i < sizeof(views) / sizeof(*views); i++)
		if (strlen(views[i]) == len && !strncmp(op, views[i], len))
			return true;
	return false;
}

static bool is_tuple_item(const struct node *n)
{
	return n->target && !strcmp(n->target, "operator.getitem") && n->nin;
}

static bool is_graph_input(const struct node *n)
{
	return !strcmp(n->op, "placeholder");
}

static void find_bases(struct matching *m)
{
	const struct node *n;
	int i;

	for (i = 0; i < m->g->n; i++) {
		n = &m->g->node[i];
		m->base[i] = n->nin && (is_view(n) || (is_tuple_item(n) && is_view(&m->g->node[n->in[0]]))) ?
				     m->base[n->in[0]] :
				     i;
	}
}

/* The nodes whose memory a node reads, each once. */
static int inputs_of(const struct matching *m, int node, int **out)
{
	const struct node *n = &m->g->node[node];
	int i, count = 0;

	*out = NULL;
	for (i = 0; i < n->nin; i++)
		ints_add(out, &count, m->base[n->in[i]]);
	return count;
}

/* ---- which is which ---------------------------------------------------------------------------------------------- */

/* A variable holds a node's value: false, that was known, or another variable holds it. */
static bool set_node(struct matching *m, int var, int node)
{
	if (var < 0 || m->code.var[var].node >= 0 || m->holder[node] >= 0)
		return false;
	m->code.var[var].node = node;
	m->holder[node] = var;
	return true;
}

static void match_inputs(struct matching *m)
{
	int i, var;

	for (i = 0; i < m->g->n && is_graph_input(&m->g->node[i]); i++) {
		var = cached_code_find(&m->code, m->g->node[i].name, strlen(m->g->node[i].name));
		if (var >= 0 && m->code.var[var].input)
			set_node(m, var, i);
	}
}

/* The next of the items that commas separate, from s on; NULL: there is none. */
static const char *next_item(const char **s, size_t *len)
{
	const char *p = *s + strspn(*s, ", "), *end;
	int depth = 0;

	for (end = p; *end && *end != '\n' && (depth || !strchr(",)", *end)); end++)
		depth += strchr("([", *end) ? 1 : strchr(")]", *end) ? -1 : 0;
	*len = (size_t)(end - p);
	*s = end;
	return *len ? p : NULL;
}

/* "return (buf1, reinterpret_tensor(buf0, (4, ), (1, ), 0), )" and the graph's "(add, view)": by position. */
static void match_results(struct matching *m)
{
	static const char view[] = "reinterpret_tensor(";
	const struct node *out = m->g->n ? &m->g->node[m->g->n - 1] : NULL;
	const char *code = m->code.result, *graph = out ? out->args : "", *item, *name;
	size_t len, name_len;
	int var, node;

	code += *code == '(';
	graph += *graph == '(';
	while (out && !strcmp(out->op, "output") && (item = next_item(&code, &len)) &&
	       (name = next_item(&graph, &name_len))) {
		while (py_text_begins_with(item, view)) {
			item += strlen(view);
			len = cached_code_word(item);
		}
		var = cached_code_word(item) == len ? cached_code_find(&m->code, item, len) : -1;
		node = var >= 0 && !m->code.var[var].input ? graphs_index(m->g, name, name_len) : -1;
		if (node >= 0 && !is_graph_input(&m->g->node[m->base[node]]))
			set_node(m, var, m->base[node]);
	}
}

/* "extern_kernels.mm" and "torch.ops.aten.mm.out" compute "aten.mm.default". */
static bool computes_node(const char *op, const char *target)
{
	size_t n;

	if (py_text_begins_with(op, "torch.ops.")) {
		op += strlen("torch.ops.");
		n = (size_t)(strrchr(op, '.') - op);
	} else {
		op = strrchr(op, '.') + 1;
		n = strlen(op);
		target = py_text_begins_with(target, "aten.") ? target + strlen("aten.") : "";
	}
	return !strncmp(op, target, n) && target[n] == '.';
}

static void find_fitting(struct matching *m)
{
	const struct node *n;
	struct call *c;
	int i;

	for (c = m->code.call; c < m->code.call + m->code.ncalls; c++)
		for (i = 0; c->kind == LIBRARY && i < m->g->n; i++) {
			n = &m->g->node[i];
			if (n->target && !strcmp(n->op, "call_function") && computes_node(c->op, n->target))
				ints_add(&c->fit, &c->nfit, i);
		}
}

/* Can a call of a library compute this node?  2: it is given all inputs of the graph that the node reads, too. */
static int call_fits(const struct matching *m, const struct call *c, int node)
{
	int *in, nin, i, fit, known;

	if (m->holder[node] >= 0)
		return 0;
	nin = inputs_of(m, node, &in);
	for (i = 0, fit = 2; fit && i < c->nargs; i++) {
		known = m->code.var[c->arg[i]].node;
		fit = known < 0 || ints_has(in, nin, known) ? fit : 0;
	}
	for (i = 0; fit == 2 && i < nin; i++)
		fit = !is_graph_input(&m->g->node[in[i]]) || ints_has(c->arg, c->nargs, m->holder[in[i]]) ? 2 : 1;
	free(in);
	return fit;
}

/* The one node that fits best, or -1. */
static int node_of_call(const struct matching *m, const struct call *c)
{
	int i, fit, best = 0, found = -1;

	if (c->write >= 0 && m->code.var[c->write].node >= 0)
		return ints_has(c->fit, c->nfit, m->code.var[c->write].node) ? m->code.var[c->write].node : -1;
	for (i = 0; i < c->nfit; i++) {
		fit = call_fits(m, c, c->fit[i]);
		if (fit && fit >= best) {
			found = fit > best ? c->fit[i] : -1;
			best = fit;
		}
	}
	return found;
}

/* The arguments that are not known hold the inputs that no other argument does, in their order. */
static void match_arguments(struct matching *m, const struct call *c, int node)
{
	int *in, nin = inputs_of(m, node, &in), i, k = 0, unknown = 0, free_inputs = 0;

	for (i = 0; i < c->nargs; i++)
		unknown += m->code.var[c->arg[i]].node < 0;
	for (i = 0; i < nin; i++)
		free_inputs += m->holder[in[i]] < 0;
	for (i = 0; unknown == free_inputs && i < c->nargs; i++) {
		if (m->code.var[c->arg[i]].node >= 0)
			continue;
		while (m->holder[in[k]] >= 0)
			k++;
		set_node(m, c->arg[i], in[k]);
	}
	free(in);
}

static bool match_library(struct matching *m, struct call *c)
{
	int node = c->found ? -1 : node_of_call(m, c);

	if (node < 0)
		return false;
	c->found = true;
	set_node(m, c->write, node);
	match_arguments(m, c, node);
	return true;
}

/* "buf7 = buf6[0]" is a node, too. */
static bool match_part(struct matching *m, const struct call *c)
{
	int of = m->code.var[c->arg[0]].node, i;
	const struct node *n;
	const char *comma;

	if (of < 0) {
		of = m->code.var[c->write].node;
		return of >= 0 && is_tuple_item(&m->g->node[of]) && set_node(m, c->arg[0], m->g->node[of].in[0]);
	}
	for (i = of + 1; i < m->g->n; i++) {
		n = &m->g->node[i];
		comma = is_tuple_item(n) && n->in[0] == of ? strrchr(n->args, ',') : NULL;
		if (comma && atoi(comma + 1) == c->part)
			return set_node(m, c->write, i);
	}
	return false;
}

/* Kernels write a concatenation part by part: its inputs in their order. */
static bool match_parts(struct matching *m, int whole)
{
	const struct node *n = m->code.var[whole].node >= 0 ? &m->g->node[m->code.var[whole].node] : NULL;
	int i, parts = 0;
	bool found = false;

	if (!n || !n->target || !py_text_begins_with(n->target, "aten.cat."))
		return false;
	for (i = 0; i < m->code.nvars; i++)
		parts += m->code.var[i].whole == whole;
	if (parts != n->nin)
		return false;
	for (i = 0, parts = 0; i < m->code.nvars; i++)
		if (m->code.var[i].whole == whole) {
			found |= set_node(m, i, m->base[n->in[parts++]]);
			m->code.var[i].helps = m->code.var[whole]
						       .node; /* a copy, if another variable holds the input */
		}
	return found;
}

/* Does node b need the value of node a, which is before it? */
static bool depends_on(const struct matching *m, int b, int a)
{
	int *all = NULL, n = 0, i, k;
	const struct node *node;

	ints_add(&all, &n, b);
	for (k = 0; k < n && all[k] != a; k++)
		for (node = &m->g->node[all[k]], i = 0; i < node->nin; i++)
			if (node->in[i] >= a)
				ints_add(&all, &n, node->in[i]);
	i = k < n;
	free(all);
	return i;
}

/* Calls of one operation of a library, where the nodes that it computes depend on each other: these are in one order.
   Only as many calls as nodes leave no other choice. */
static bool match_chain(struct matching *m, struct call *first)
{
	struct call *c;
	int i, nodes = 0, calls = 0, last = -1;
	bool found = true;

	for (c = first; c < m->code.call + m->code.ncalls; c++)
		calls += c->kind == LIBRARY && !c->found && !strcmp(c->op, first->op);
	for (i = 0; i < first->nfit && found; i++) {
		if (m->holder[first->fit[i]] >= 0)
			continue;
		found = last < 0 || depends_on(m, first->fit[i], last);
		last = first->fit[i];
		nodes++;
	}
	if (!found || calls != nodes)
		return false;
	for (c = first, i = 0; c < m->code.call + m->code.ncalls; c++) {
		if (c->kind != LIBRARY || c->found || strcmp(c->op, first->op))
			continue;
		while (m->holder[first->fit[i]] >= 0)
			i++;
		if (!call_fits(m, c, first->fit[i]) || !set_node(m, c->write, first->fit[i]))
			return false;
		c->found = true;
		match_arguments(m, c, first->fit[i]);
	}
	return true;
}

static bool match_chains(struct matching *m)
{
	int i;

	for (i = 0; i < m->code.ncalls; i++)
		if (m->code.call[i].kind == LIBRARY && !m->code.call[i].found && match_chain(m, &m->code.call[i]))
			return true;
	return false;
}

static void match_all(struct matching *m)
{
	bool found;
	int i;

	find_fitting(m);
	match_inputs(m);
	match_results(m);
	do {
		found = false;
		for (i = 0; i < m->code.ncalls; i++)
			found |= m->code.call[i].kind == LIBRARY ? match_library(m, &m->code.call[i]) :
				 m->code.call[i].kind == PART	 ? match_part(m, &m->code.call[i]) :
								   false;
		for (i = 0; i < m->code.nvars; i++)
			found |= match_parts(m, i);
	} while (found || match_chains(m));
}

/* ---- what takes part in a buffer --------------------------------------------------------------------------------- */

/* May a call read this variable, though its node is not known?  Memory that it takes over may be read, too. */
static bool reads_unknown(const struct matching *m, int at, int var)
{
	const struct variable *v;

	for (; var >= 0; var = v->memory) {
		v = &m->code.var[var];
		if (v->written >= 0 && v->written < at && !v->input && v->node < 0)
			return true;
	}
	return false;
}

/* Is this variable given to a call, or the one whose memory another takes over there? */
static bool is_given(const struct matching *m, const struct call *c, int var)
{
	int i, v;

	for (i = 0; i < c->nargs; i++)
		for (v = c->arg[i]; v >= 0; v = m->code.var[v].memory)
			if (v == var || m->code.var[v].whole == var)
				return true;
	return false;
}

/* The nodes that a kernel computes for a variable: those before its own, up to what the kernel reads.  false: they end
   in something that it is not given. */
static bool find_computed(const struct matching *m, const struct call *c, int node, int **out, int *n)
{
	int *in = NULL, nin, i, k;
	bool all = true;

	ints_add(out, n, node);
	for (k = 0; k < *n && all; k++) {
		free(in);
		nin = inputs_of(m, (*out)[k], &in);
		for (i = 0; i < nin && all; i++) {
			if (m->holder[in[i]] >= 0 || is_graph_input(&m->g->node[in[i]]))
				all = m->holder[in[i]] >= 0 && is_given(m, c, m->holder[in[i]]);
			else
				ints_add(out, n, in[i]);
		}
	}
	free(in);
	return all;
}

static char *computed_by(const struct matching *m, const struct call *c, int node)
{
	int *nodes = NULL, n = 0, i, at = (int)(c - m->code.call);
	bool known = c->kind == KERNEL;
	struct buf all = { 0 };

	for (i = 0; known && i < c->nargs; i++)
		known = !reads_unknown(m, at, c->arg[i]);
	if (known && !find_computed(m, c, node, &nodes, &n))
		n = 0;
	buf_adds(&all, m->g->node[node].name);
	for (i = 1; i < n; i++)
		buf_addf(&all, " %s", m->g->node[nodes[i]].name);
	free(nodes);
	return buf_detach(&all);
}

static int put_origins(const struct matching *m, struct origin **out)
{
	const struct variable *v;
	size_t cap = 0;
	int n = 0, node;

	*out = NULL;
	for (v = m->code.var; v < m->code.var + m->code.nvars; v++) {
		node = v->node >= 0 ? v->node : v->helps >= 0 ? v->helps : v->line;
		if (node < 0 || v->input || v->written < 0)
			continue;
		*out = mem_grow(*out, &cap, (size_t)n + 1, sizeof(**out));
		(*out)[n++] = (struct origin){
			.buffer = mem_str(v->name),
			.node = v->node < 0 ? NULL : mem_str(m->g->node[node].name),
			.all = v->node >= 0		? computed_by(m, &m->code.call[v->written], node) :
			       v->helps >= 0 || v->only ? mem_str(m->g->node[node].name) :
							  NULL,
			.line = v->node < 0 && v->helps < 0 ? mem_str(m->g->node[node].name) : NULL,
		};
	}
	return n;
}

int cached_origins(const char *code, const struct nodes *g, struct origin **out)
{
	struct matching m = { .g = g };
	int i, n;

	m.base = mem_alloc(((size_t)g->n + 1) * sizeof(*m.base));
	m.holder = mem_alloc(((size_t)g->n + 1) * sizeof(*m.holder));
	for (i = 0; i < g->n; i++)
		m.holder[i] = -1;
	cached_code_read(&m.code, code);
	find_bases(&m);
	match_all(&m);
	cached_lines_find(&m);
	n = put_origins(&m, out);
	cached_code_release(&m.code);
	free(m.base);
	free(m.holder);
	return n;
}
