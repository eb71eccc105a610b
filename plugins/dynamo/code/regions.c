/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of generated code: what each stretch of it is for, found in the code itself, so that code compiled before we
   came, and code that a user's hook changed, is read the same way.  Knows no stop. */
#include "code/regions.h"
#include "model/breaks.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "code/call_text.h"
#include <string.h>

/* What is being built. */
struct build {
	struct entry *e;
	struct code *c;
	struct region *r;
	int n;
	size_t cap;
	int first;                           /* first instruction behind RESUME */
	int graph, graph_end;                /* the first graph call; -1: there is none */
	int broken;                          /* the user's own instruction that broke the graph, -1: none */
	int original;                        /* first of the user's bytecode copied in, -1: none */
};

static const char *op(const struct build *b, int i)
{
	return i >= 0 && i < b->c->n ? host->op_name(b->c->instr[i].op) : "";
}

static bool is(const struct build *b, int i, const char *name)
{
	return !strcmp(op(b, i), name);
}

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* The name that a LOAD_GLOBAL loads, "" for anything else. */
static const char *global_name(const struct build *b, int i)
{
	PyObject *name = is(b, i, "LOAD_GLOBAL") ? (PyObject *)host->code_arg_object(b->c, i) : NULL;
	const char *s = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	PyErr_Clear();
	return s ? s : "";
}

static int find_global(const struct build *b, int from, int to, const char *prefix)
{
	for (; from < to; from++)
		if (starts(global_name(b, from), prefix))
			return from;
	return -1;
}

static bool is_jump(const struct build *b, int i)
{
	return b->c->instr[i].target >= 0;
}

static int add(struct build *b, enum region_kind kind, int start, int end)
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

/* The call that takes what was pushed at depth d: the depth behind it is one more than d again. */
static int call_of(const struct build *b, int at, int depth)
{
	int i;

	for (i = at + 1; i + 1 < b->c->n; i++)
		if ((is(b, i, "CALL") || is(b, i, "CALL_FUNCTION_EX") || is(b, i, "CALL_KW")) &&
		    b->c->instr[i + 1].depth == depth + 1)
			return i;
	return -1;
}

/* From loading the compiled function to storing its output; the profiler's hooks lie between. */
static void find_graph(struct build *b)
{
	int at = find_global(b, 0, b->c->n, "__compiled_fn"), call, i;

	b->graph = b->graph_end = -1;
	if (at < 0)
		return;
	b->graph = at && is(b, at - 1, "PUSH_NULL") ? at - 1 : at;
	call = call_of(b, at, b->c->instr[b->graph].depth);
	if (call < 0) {
		b->graph_end = at + 1;
		return;
	}
	for (i = call + 1; is(b, i, "DELETE_FAST"); i++)
		;
	if (is(b, i, "STORE_FAST") || is(b, i, "POP_TOP"))
		i++;
	else if (is(b, i, "UNPACK_SEQUENCE"))
		i++;
	b->graph_end = i;
}

/* ---- the break -------------------------------------------------------------------------------------------- */

static bool placed(const struct build *b, int i)
{
	return b->c->instr[i].col >= 0 && b->c->instr[i].line > 0;
}

/* The packing that ends the outputs: live values in a list of frames.  Index behind it, or -1. */
static int packed(const struct build *b, int from)
{
	int i, end = -1;

	for (i = from; i + 2 < b->c->n; i++)
		if (is(b, i, "LIST_EXTEND") && is(b, i + 1, "POP_TOP") && is(b, i + 2, "BUILD_LIST")) {
			end = i + 3;
			break;
		}
	if (end < 0)
		return -1;
	while (is(b, end, "SWAP"))
		end++;
	if (is(b, end, "DELETE_FAST"))
		end++;
	return end;
}

static const struct resume *resume_named(const struct build *b, const char *global)
{
	int i;

	for (i = 0; i < b->e->nresumes; i++)
		if (!strcmp(b->e->resume[i].global, global))
			return &b->e->resume[i];
	return NULL;
}

/* The resume function that is loaded here: by its name, or (torch 2.6) as code that a function is made of. */
static const char *resume_loaded(const struct build *b, int i)
{
	const char *global = global_name(b, i);
	PyObject *value = is(b, i, "LOAD_CONST") ? (PyObject *)host->code_arg_object(b->c, i) : NULL;
	int k;

	if (starts(global, "__resume_at"))
		return global;
	for (k = 0; value && k < b->e->nresumes; k++)
		if ((PyObject *)b->e->resume[k].func->co == value)
			return b->e->resume[k].global;
	return NULL;
}

static int find_resume(const struct build *b, int from, int to)
{
	for (; from < to; from++)
		if (resume_loaded(b, from))
			return from;
	return -1;
}

static int return_from(const struct build *b, int from)
{
	while (from < b->c->n && !is(b, from, "RETURN_VALUE"))
		from++;
	return from;
}

/* The break that was met when this was compiled, or NULL. */
static const struct breakage *broke(const struct entry *e)
{
	const struct breakage *s;

	for (s = model_breaks; s; s = s->next)
		if (breaks_of(s, e))
			break;
	return s;
}

static bool may_break(const struct build *b, int i)
{
	return is_jump(b, i) || is(b, i, "CALL") || is(b, i, "CALL_KW") || is(b, i, "CALL_FUNCTION_EX") ||
	       is(b, i, "STORE_ATTR") || is(b, i, "DELETE_ATTR") || is(b, i, "STORE_SUBSCR");
}

/* The name that an instruction of this kind has for its operand; "" for any other. */
static const char *name_in(const struct build *b, int i, const char *op_name)
{
	PyObject *name = is(b, i, op_name) ? (PyObject *)host->code_arg_object(b->c, i) : NULL;
	const char *s = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	PyErr_Clear();
	return s ? s : "";
}

/* Does a context manager that was entered for the broken instruction begin to be left here? */
static bool leaves(const struct build *b, int i)
{
	return starts(name_in(b, i, "LOAD_FAST"), "___context_manager") &&
	       !strcmp(name_in(b, i + 1, "LOAD_ATTR"), "__exit__");
}

/* torch 2.6 packs nothing, and columns tell nothing: the broken instruction is the last one before the call of the
   first resume function, or before the contexts around it are left. */
static void find_break_before(struct build *b, int from, int resume)
{
	int i;

	for (i = from; i < resume && !leaves(b, i); i++)
		;
	if (i < resume) {
		while (i > from && is(b, i - 1, "NOP"))
			i--;
	} else if (!starts(global_name(b, resume), "__resume_at")) {
		while (i > from && (is(b, i - 1, "BUILD_TUPLE") || is(b, i - 1, "LOAD_CLOSURE") ||
				    (is(b, i - 1, "LOAD_FAST") && b->c->instr[i - 1].line == b->c->instr[i].line)))
			i--;
	}
	b->broken = i > from ? i - 1 : -1;
}

/* Nothing goes on behind it: what it gives is returned.  It is told from a call that broke nothing by what was noted,
   and from bytecode copied in by being the only one. */
static void find_break_last(struct build *b, int from)
{
	int i, last = return_from(b, from) - 1;

	for (i = from; i < last && !may_break(b, i); i++)
		;
	if (i == last && may_break(b, i) && broke(b->e))
		b->broken = i;
}

/*
 * What Dynamo makes has no columns; what it copies from the user's code has.  One instruction of that kind: the broken
 * one.  More: the rest of the user's bytecode, run as it is.  Where Python keeps no columns at all, what follows the
 * packing tells.
 */
static void find_break(struct build *b)
{
	int from = b->graph_end >= 0 ? b->graph_end : b->first, i, n = 0, at = -1, resume;

	b->broken = b->original = -1;
	for (i = from; i < b->c->n; i++)
		if (placed(b, i)) {
			at = n++ ? at : i;
		}
	if (n == 1) {
		b->broken = at;
		return;
	}
	resume = find_resume(b, from, b->c->n);
	if (resume >= 0 && packed(b, from) < 0) {
		find_break_before(b, from, resume);
		return;
	}
	if (n > 1) {
		b->original = at;
		return;
	}
	if (resume < 0) {
		find_break_last(b, from);
		return;
	}
	/* Its line is the user's, and what follows inherits it: contexts entered before it have the first line. */
	for (i = packed(b, from); i < resume; i++)
		if (may_break(b, i)) {
			if (b->broken < 0)
				b->broken = i;
			if (b->c->instr[i].line != b->c->instr[i - 1].line) {
				b->broken = i;
				return;
			}
		}
}

/* Calls of resume functions up to the end, each with its return; a branch has two.  Contexts that the broken
   instruction ran in are left before. */
static void add_resumes(struct build *b, int from)
{
	int load, ret, next, k;
	const struct resume *r;

	while (from < b->c->n) {
		ret = return_from(b, from);
		load = find_resume(b, from, ret);
		if (load >= 0) {
			k = add(b, REGION_RESUME_CALL, from, ret);
			/* The last one loaded is called; others are of functions inlined around the break. */
			while ((next = find_resume(b, load + 1, ret)) >= 0)
				load = next;
			r = resume_named(b, resume_loaded(b, load));
			if (k >= 0) {
				b->r[k].line = r ? r->func->resume_line : 0;
				b->r[k].text = r ? words_resume(r) : mem_fmt("%s(...)", resume_loaded(b, load));
			}
			from = ret;
		}
		add(b, REGION_RETURN, from, ret < b->c->n ? ret + 1 : ret);
		from = ret + 1;
	}
}

/* Nothing comes between these and what they prepare; a jump may need its condition as a bool first. */
static int before_break(const struct build *b, int at)
{
	while (at > b->first &&
	       (is(b, at - 1, "PRECALL") || is(b, at - 1, "KW_NAMES") || is(b, at - 1, "TO_BOOL") ||
		is(b, at - 1, "EXTENDED_ARG")))
		at--;
	return at;
}

/* The user's line of the broken instruction: its own, or that of what stands before where the first resume function
   goes on. */
static int broken_line(const struct build *b)
{
	int load = find_resume(b, b->broken, b->c->n), line = b->c->instr[b->broken].line;
	const struct resume *r = placed(b, b->broken) || load < 0 ? NULL : resume_named(b, resume_loaded(b, load));
	PyCodeObject *co = b->e->func->co;
	const struct breakage *met = load < 0 && !placed(b, b->broken) ? broke(b->e) : NULL;

	if (met && met->nstack)
		return met->stack[0].line;
	return r && r->offset > 1 && co && packed(b, b->first) < 0 ? PyCode_Addr2Line(co, r->offset - 2) : line;
}

/* The way into the calls that were inlined where the graph broke: "in inner at toy.py:3"; NULL: there are none. */
static char *inner_of(const struct entry *e)
{
	const struct breakage *met = broke(e);
	struct buf way = { 0 };

	if (met)
		breaks_inner(met, &way);
	return way.s ? memmove(way.s, way.s + 2, strlen(way.s + 2) + 1) : NULL;
}

static void add_break(struct build *b)
{
	int at = b->broken, start = at, k;
	struct buf arg = { 0 };

	start = before_break(b, start);
	k = add(b, REGION_BREAK, start, at + 1);
	b->r[k].line = b->r[k].last_line = broken_line(b);
	b->r[k].folded = false;
	host->code_arg_text(b->c, at, &arg);
	b->r[k].text = arg.len ? mem_fmt("%s (%s)", op(b, at), arg.s) : mem_str(op(b, at));
	b->r[k].inner = inner_of(b->e);
	buf_release(&arg);
	add_resumes(b, at + 1);
}

/* ---- outputs and side effects ----------------------------------------------------------------------------- */

/* Lowest stack slot that an instruction reads or takes. */
static int reach(const struct build *b, int i)
{
	const struct instr *in = &b->c->instr[i];
	int down = host->op_pops(in->op, in->arg);

	if (is(b, i, "COPY") || is(b, i, "SWAP"))
		down = in->arg;
	else if (is(b, i, "LIST_EXTEND") || is(b, i, "LIST_APPEND"))
		down = in->arg + 1;
	return in->depth - down;
}

/* The BUILD_LIST that begins the packing whose end is `end`. */
static int packing_start(const struct build *b, int from, int end)
{
	int i = end - 1;

	while (i > from && !is(b, i, "LIST_EXTEND"))
		i--;
	i--;                                         /* BUILD_LIST of the locals that are as they were */
	while (i > from && (starts(op(b, i - 1), "LOAD_FAST") || is(b, i - 1, "LOAD_CLOSURE") ||
			    is(b, i - 1, "LOAD_DEREF") || is(b, i - 1, "EXTENDED_ARG")))
		i--;
	if (i <= from || !is(b, i - 1, "SWAP"))
		return -1;
	i -= 2;
	if (is(b, i, "BUILD_LIST"))                  /* no locals: an empty list */
		return is(b, i - 1, "BUILD_LIST") ? i - 1 : -1;
	while (i > from && !is(b, i, "COPY"))
		i--;
	return i > from && is(b, i - 1, "BUILD_LIST") ? i - 1 : -1;
}

/*
 * Values to restore are pushed first; side effects then run above them and leave the stack as it was; then all is
 * packed.  So side effects begin where, up to the packing, nothing reaches below the depth that the packing starts at.
 */
static int effects_start(const struct build *b, int from, int packing)
{
	int depth = b->c->instr[packing].depth, i, start = packing;

	if (depth < 0)
		return packing;
	for (i = packing - 1; i >= from; i--) {
		if (b->c->instr[i].depth < depth || reach(b, i) < depth)
			break;
		if (b->c->instr[i].depth == depth)
			start = i;
	}
	return start;
}

/* Where nothing is packed variables are stored one by one, and what the graph gave is deleted last: the first store. */
static int stores_start(const struct build *b, int from, int to)
{
	int i = to - 1;

	while (i > from && !starts(name_in(b, i, "DELETE_FAST"), "graph_out"))
		i--;
	while (i > from && is(b, i - 1, "STORE_FAST"))
		i--;
	return i > from ? i : -1;
}

static void add_outputs(struct build *b, int from, int to)
{
	int end = packed(b, from), packing, effects;

	if (from >= to)
		return;
	packing = end > to ? -1 : end >= 0 ? packing_start(b, from, end) : stores_start(b, from, to);
	if (packing > from) {
		effects = effects_start(b, from, packing);
		add(b, REGION_OUTPUTS, from, effects);
		add(b, REGION_SIDE_EFFECTS, effects, packing);
		from = packing;
	}
	add(b, REGION_OUTPUTS, from, to);
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static void describe_graph(struct build *b, int k)
{
	struct region *r = &b->r[k];
	const char *full = global_name(b, find_global(b, b->graph, b->graph_end, "__compiled_fn"));
	struct graph *g = NULL;
	int i, call = call_of(b, b->graph, b->c->instr[b->graph].depth);

	for (i = 0; i < b->e->ngraphs; i++)
		if (!strcmp(b->e->graph[i].full, full))
			g = &b->e->graph[i];
	r->text = words_call(b->c, is(b, b->graph, "PUSH_NULL") ? b->graph + 1 : b->graph, call,
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

static void find_first(struct build *b)
{
	int i;

	b->first = 0;
	for (i = 0; i < b->c->n; i++)
		if (is(b, i, "RESUME")) {
			b->first = i + 1;
			return;
		}
}

/* The first stretch of outputs says what comes of them all. */
static void say_outputs(struct build *b)
{
	int k = 0;

	while (k < b->n && b->r[k].kind != REGION_OUTPUTS)
		k++;
	if (k < b->n && b->e->nresumes)
		b->r[k].text = words_live(b->e->resume[0].func);
}

static void build(struct build *b)
{
	int end, tail, k;

	find_first(b);
	find_graph(b);
	find_break(b);
	tail = b->graph_end >= 0 ? b->graph_end : b->first;
	add(b, REGION_PROLOGUE, 0, b->graph >= 0 ? b->graph : b->first);
	if (b->graph >= 0) {
		k = add(b, REGION_GRAPH_CALL, b->graph, b->graph_end);
		describe_graph(b, k);
	}
	end = b->original >= 0 ? b->original : b->broken >= 0 ? b->broken : b->c->n;
	if (b->original >= 0) {
		add_outputs(b, tail, end);
		k = add(b, REGION_ORIGINAL, end, b->c->n);
		b->r[k].folded = false;
		b->r[k].line = b->c->instr[end].line;
	} else if (b->broken >= 0) {
		end = before_break(b, end);
		add_outputs(b, tail, end);
		add_break(b);
	} else {
		end = return_from(b, tail);
		add_outputs(b, tail, end);
		add_resumes(b, end);
	}
	say_outputs(b);
}

int regions_of(struct entry *e, const struct region **out)
{
	struct build b = { .e = e };

	if (!e->region && e->co) {
		b.c = host->code_get((struct py_code *)e->co);
		host->code_decode(b.c);
		if (b.c->n)
			build(&b);
		e->region = b.r;
		e->nregions = b.n;
	}
	*out = e->region;
	return e->nregions;
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
