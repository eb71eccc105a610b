/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the regions of generated code, that is, what each stretch of it is for, in the code itself, so that code
   from before cdbg was loaded, and code that a user's hook changed, is read the same way.  Knows no stop. */
#include "code/dynamo_code.h"
#include "code/region_break.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "torch/cdbg_host.h"
#include <string.h>

bool region_starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

const char *region_op(const struct region_build *b, int i)
{
	return i >= 0 && i < b->c->n ? host->code.op_name(b->c->instr[i].op) : "";
}

bool region_is(const struct region_build *b, int i, const char *name)
{
	return !strcmp(region_op(b, i), name);
}

/* The name that a LOAD_GLOBAL loads, "" for anything else. */
const char *region_global(const struct region_build *b, int i)
{
	PyObject *name = region_is(b, i, "LOAD_GLOBAL") ? (PyObject *)host->code.arg_object(b->c, i) : NULL;
	const char *s = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	PyErr_Clear();
	return s ? s : "";
}

int region_find_global(const struct region_build *b, int from, int to, const char *prefix)
{
	for (; from < to; from++)
		if (region_starts(region_global(b, from), prefix))
			return from;
	return -1;
}

bool region_is_jump(const struct region_build *b, int i)
{
	return b->c->instr[i].target >= 0;
}

int region_add(struct region_build *b, enum region_kind kind, int start, int end)
{
	struct region *r;

	if (start >= end)
		return -1;
	if (b->n && b->r[b->n - 1].kind == kind && kind != REGION_RETURN) {
		b->r[b->n - 1].end = end;
		return b->n - 1;
	}
	b->r = mem_grow(b->r, &b->cap, (size_t)b->n + 1, sizeof(*b->r));
	r = &b->r[b->n];
	*r = (struct region){ .start = start, .end = end, .kind = kind, .nodes = -1, .folded = true };
	return b->n++;
}

/* ---- the graph call --------------------------------------------------------------------------------------- */

/* The call that takes what was pushed at depth d: after it the depth is one more than d again. */
static int call_of(const struct region_build *b, int at, int depth)
{
	int i;

	for (i = at + 1; i + 1 < b->c->n; i++)
		if ((region_is(b, i, "CALL") || region_is(b, i, "CALL_FUNCTION_EX") || region_is(b, i, "CALL_KW")) &&
		    b->c->instr[i + 1].depth == depth + 1)
			return i;
	return -1;
}

/* From the load of the compiled function to the store of its output, with the profiler's hooks in between. */
static void find_graph(struct region_build *b)
{
	int at = region_find_global(b, 0, b->c->n, "__compiled_fn"), call, i;

	b->graph = b->graph_end = -1;
	if (at < 0)
		return;
	b->graph = at && region_is(b, at - 1, "PUSH_NULL") ? at - 1 : at;
	call = call_of(b, at, b->c->instr[b->graph].depth);
	if (call < 0) {
		b->graph_end = at + 1;
		return;
	}
	for (i = call + 1; region_is(b, i, "DELETE_FAST"); i++)
		;
	if (region_is(b, i, "STORE_FAST") || region_is(b, i, "POP_TOP"))
		i++;
	else if (region_is(b, i, "UNPACK_SEQUENCE"))
		i++;
	b->graph_end = i;
}

/* ---- outputs and side effects ----------------------------------------------------------------------------- */

/* Lowest stack slot that an instruction reads or takes. */
static int lowest_slot(const struct region_build *b, int i)
{
	const struct instr *in = &b->c->instr[i];
	int down = host->code.op_pops(in->op, in->arg);

	if (region_is(b, i, "COPY") || region_is(b, i, "SWAP"))
		down = in->arg;
	else if (region_is(b, i, "LIST_EXTEND") || region_is(b, i, "LIST_APPEND"))
		down = in->arg + 1;
	return in->depth - down;
}

/* The BUILD_LIST that begins the packing whose end is `end`. */
static int packing_start(const struct region_build *b, int from, int end)
{
	int i = end - 1;

	while (i > from && !region_is(b, i, "LIST_EXTEND"))
		i--;
	i--; /* BUILD_LIST of the locals that are as they were */
	while (i > from && (region_starts(region_op(b, i - 1), "LOAD_FAST") || region_is(b, i - 1, "LOAD_CLOSURE") ||
			    region_is(b, i - 1, "LOAD_DEREF") || region_is(b, i - 1, "EXTENDED_ARG")))
		i--;
	if (i <= from || !region_is(b, i - 1, "SWAP"))
		return -1;
	i -= 2;
	if (region_is(b, i, "BUILD_LIST")) /* no locals: an empty list */
		return region_is(b, i - 1, "BUILD_LIST") ? i - 1 : -1;
	while (i > from && !region_is(b, i, "COPY"))
		i--;
	return i > from && region_is(b, i - 1, "BUILD_LIST") ? i - 1 : -1;
}

/*
 * Values to restore are pushed first; side effects then run above them and leave the stack as it was; then all is
 * packed.  So side effects begin where, up to the packing, nothing reaches below the depth that the packing starts at.
 */
static int effects_start(const struct region_build *b, int from, int packing)
{
	int depth = b->c->instr[packing].depth, i, start = packing;

	if (depth < 0)
		return packing;
	for (i = packing - 1; i >= from; i--) {
		if (b->c->instr[i].depth < depth || lowest_slot(b, i) < depth)
			break;
		if (b->c->instr[i].depth == depth)
			start = i;
	}
	return start;
}

/* Where nothing is packed variables are stored one by one, and what the graph gave is deleted last: the first store. */
static int stores_start(const struct region_build *b, int from, int to)
{
	int i = to - 1;

	while (i > from && !region_starts(region_name_in(b, i, "DELETE_FAST"), "graph_out"))
		i--;
	while (i > from && region_is(b, i - 1, "STORE_FAST"))
		i--;
	return i > from ? i : -1;
}

static void add_outputs(struct region_build *b, int from, int to)
{
	int end = region_packed(b, from), packing, effects;

	if (from >= to)
		return;
	packing = end > to ? -1 : end >= 0 ? packing_start(b, from, end) : stores_start(b, from, to);
	if (packing > from) {
		effects = effects_start(b, from, packing);
		region_add(b, REGION_OUTPUTS, from, effects);
		region_add(b, REGION_SIDE_EFFECTS, effects, packing);
		from = packing;
	}
	region_add(b, REGION_OUTPUTS, from, to);
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static void describe_graph(struct region_build *b, int k)
{
	struct region *r = &b->r[k];
	const char *full = region_global(b, region_find_global(b, b->graph, b->graph_end, "__compiled_fn"));
	struct graph *g = NULL;
	int i, call = call_of(b, b->graph, b->c->instr[b->graph].depth);

	for (i = 0; i < b->e->made.ngraphs; i++)
		if (!strcmp(b->e->made.graph[i].full, full))
			g = &b->e->made.graph[i];
	r->text = call_text_of(b->c, region_is(b, b->graph, "PUSH_NULL") ? b->graph + 1 : b->graph, call,
			       g ? g->name : "__compiled_fn");
	if (!g)
		return;
	model_read_graph(g);
	r->nodes = g->nodes;
	for (i = 0; i < g->nspots; i++) {
		if (!g->spot[i].own)
			continue;
		if (!r->line || g->spot[i].line < r->line)
			r->line = g->spot[i].line;
		if (g->spot[i].line > r->last_line)
			r->last_line = g->spot[i].line;
	}
}

static void find_first(struct region_build *b)
{
	int i;

	b->first = 0;
	for (i = 0; i < b->c->n; i++)
		if (region_is(b, i, "RESUME")) {
			b->first = i + 1;
			return;
		}
}

/* The first stretch of outputs says what comes of them all. */
static void say_outputs(struct region_build *b)
{
	int k = 0;

	while (k < b->n && b->r[k].kind != REGION_OUTPUTS)
		k++;
	if (k < b->n && b->e->made.nresumes)
		b->r[k].text = call_text_live(b->e->made.resume[0].func);
}

static void build_regions(struct region_build *b)
{
	int end, tail, k;

	find_first(b);
	find_graph(b);
	region_find_break(b);
	tail = b->graph_end >= 0 ? b->graph_end : b->first;
	region_add(b, REGION_PROLOGUE, 0, b->graph >= 0 ? b->graph : b->first);
	if (b->graph >= 0) {
		k = region_add(b, REGION_GRAPH_CALL, b->graph, b->graph_end);
		describe_graph(b, k);
	}
	end = b->original >= 0 ? b->original : b->broken >= 0 ? b->broken : b->c->n;
	if (b->original >= 0) {
		add_outputs(b, tail, end);
		k = region_add(b, REGION_ORIGINAL, end, b->c->n);
		b->r[k].folded = false;
		b->r[k].line = b->c->instr[end].line;
	} else if (b->broken >= 0) {
		end = region_before_break(b, end);
		add_outputs(b, tail, end);
		region_add_break(b);
	} else {
		end = region_return_from(b, tail);
		add_outputs(b, tail, end);
		region_add_resumes(b, end);
	}
	say_outputs(b);
}

int regions_of(struct entry *e, const struct region **out)
{
	struct region_build b = { .e = e };

	if (!e->code.region && e->co) {
		b.c = host->code.get((struct py_code *)e->co);
		host->code.decode(b.c);
		if (b.c->n)
			build_regions(&b);
		e->code.region = b.r;
		e->code.nregions = b.n;
	}
	*out = e->code.region;
	return e->code.nregions;
}

const struct region *regions_first(struct entry *e, enum region_kind kind)
{
	const struct region *r;
	int i, n = regions_of(e, &r);

	for (i = 0; i < n; i++)
		if (r[i].kind == kind)
			return &r[i];
	return NULL;
}

const struct region *regions_at(struct entry *e, int index)
{
	const struct region *r;
	int i, n = regions_of(e, &r);

	for (i = 0; i < n; i++)
		if (index >= r[i].start && index < r[i].end)
			return &r[i];
	return NULL;
}
