/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the lines of variables that a kernel writes and whose node is not certain.  Such a variable holds a node that
   the kernel can compute from what it is given, and that has its size: if all of these are on one line, so is the
   variable.  What inductor does in more steps than one may be of any size. */
#include "observe/cached_matching.h"
#include "model/graph.h"
#include "model/ints.h"
#include <stdlib.h>
#include <string.h>

/* How inductor computes an operation. */
enum way {
	ELEMENTS, /* element by element: a variable that holds its value has its size */
	REDUCTION,
	STEPS, /* a reduction from others, which keep the dimensions that it drops */
	OTHER  /* it may write more, of any size */
};

/* What does not change while lines are looked for. */
struct fixed {
	enum way way;
	bool call;	/* it calls a function */
	bool attribute; /* it is an attribute of the graph's module */
	bool parts;	/* its parts are nodes */
	bool elsewhere; /* no kernel computes it */
};

struct search {
	struct matching *m;
	struct fixed *fixed; /* by node */
	bool *given;	     /* by node: the kernel can read it */
	bool *computed;	     /* by node: the kernel can compute it from that */
	bool *library;	     /* by node: a library computes it */
	bool *seen;	     /* by call */
	bool *copied;	     /* by variable: a library is given it */
	int *part, *next;    /* by variable: the first part of it, and the next part of the same one; -1: none */
};

static bool is_word_of(const char *words, const char *s, size_t n)
{
	size_t k;

	for (; *words; words += k + (words[k] == ' ')) {
		k = strcspn(words, " ");
		if (k == n && !strncmp(words, s, n))
			return true;
	}
	return false;
}

static enum way way_of(const struct nodes *g, const struct node *n)
{
	static const char elements
		[] = "_low_memory_max_pool_offsets_to_indices abs acos add addcdiv addcmul asin atan atan2 "
		     "bitwise_and bitwise_not bitwise_or ceil clamp clamp_max clamp_min clone constant_pad_nd "
		     "convert_element_type cos cosh div embedding eq erf erfc exp exp2 expm1 flip floor fma fmod "
		     "full gather ge gt index inductor_lookup_seed inductor_randint inductor_random iota isinf "
		     "isnan le log log10 log1p log2 logical_and logical_not logical_or lt maximum minimum mul ne "
		     "neg pow reciprocal relu remainder repeat round rsqrt scalar_tensor sigmoid sign sin sinh "
		     "sqrt square sub tan tanh trunc where";
	static const char reductions[] = "all amax amin any argmax argmin prod sum _low_memory_max_pool_with_offsets";
	const char *op = n->target ? strchr(n->target, '.') : NULL;
	size_t len;

	if (n->target && !strcmp(n->target, "operator.getitem") && n->nin)
		return way_of(g, &g->node[n->in[0]]);
	if (!op || (strncmp(n->target, "aten.", 5) && strncmp(n->target, "prims.", 6)))
		return OTHER;
	len = cached_code_word(++op);
	return is_word_of(elements, op, len)		    ? ELEMENTS :
	       is_word_of(reductions, op, len)		    ? REDUCTION :
	       is_word_of("mean std var var_mean", op, len) ? STEPS :
							      OTHER;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* The next length of "(8, 1)" or "[8,1]", from *s on, past lengths of 1 if these are left out; 0: none is left. */
static size_t next_length(const char **s, bool ones)
{
	const char *p = *s;
	size_t n;

	do {
		p += strspn(p, ", ");
		n = strcspn(p, ",)] ");
		*s = p + n;
	} while (n == 1 && *p == '1' && !ones && (p = *s));
	return n;
}

static bool has_symbols(const char *s)
{
	return !strchr(")]", s[strspn(s, "0123456789, ")]);
}

static int count_lengths(const char *s)
{
	int n = 0;

	while (next_length(&s, true))
		n++;
	return n;
}

/* May both be the same?  Those with symbols may be written in several ways.  ones: else the first may have more lengths
   of 1. */
static bool sizes_agree(const char *a, const char *b, bool ones)
{
	size_t n, k;

	if (has_symbols(a) || has_symbols(b))
		return true;
	if (!ones && count_lengths(a) < count_lengths(b))
		return false;
	do {
		n = next_length(&a, ones);
		k = next_length(&b, ones);
	} while (n && n == k && !strncmp(a - n, b - k, n));
	return !n && !k;
}

/* "f32[8,1] cpu" */
static bool node_fits(const struct node *n, const struct variable *v, enum way way)
{
	const char *size = strchr(n->value, '[');

	if (!*n->value || *n->value == '(')
		return !*n->value;
	if (way == ELEMENTS || (way == REDUCTION && v->cpu))
		return size && sizes_agree(v->size + 1, size + 1, true);
	return !v->cpu || (size && sizes_agree(v->size + 1, size + 1, false)); /* elsewhere it is made of parts */
}

/* ---- what a kernel can compute ----------------------------------------------------------------------------------- */

/* The nodes that libraries compute: those that variables hold, and all of an operation that is called for each. */
static void find_library(struct search *s)
{
	const struct cached_code *code = &s->m->code;
	const struct call *c, *other;
	const struct variable *v;
	int i, calls;

	for (i = 0; i < s->m->g->n; i++) {
		v = s->m->holder[i] < 0 ? NULL : &code->var[s->m->holder[i]];
		s->library[i] = v && v->written >= 0 && code->call[v->written].kind != KERNEL;
	}
	for (c = code->call; c < code->call + code->ncalls; c++) {
		if (c->kind != LIBRARY || c->found)
			continue;
		for (other = code->call, calls = 0; other < code->call + code->ncalls; other++)
			calls += other->kind == LIBRARY && !strcmp(other->op, c->op);
		for (i = 0; calls == c->nfit && i < c->nfit; i++)
			s->library[c->fit[i]] = true;
	}
}

static void add_given(struct search *s, int at);

/* What a call of number `at` can read by a variable that it names. */
static void note_readable(struct search *s, int at, int var)
{
	const struct variable *v;
	bool there = false; /* what is in its memory */
	int i;

	for (; var >= 0 && !there; var = v->memory) {
		v = &s->m->code.var[var];
		there = v->input || (v->written >= 0 && v->written < at);
		if (there && v->node >= 0)
			s->given[v->node] = true;
		else if (there)
			add_given(s, v->written);
		for (i = s->part[var]; i >= 0; i = s->next[i])
			if (s->m->code.var[i].written < at) {
				note_readable(s, at, i);
				there = true;
			}
	}
}

static void add_given(struct search *s, int at)
{
	const struct call *c = &s->m->code.call[at];
	int i;

	if (s->seen[at])
		return;
	s->seen[at] = true;
	for (i = 0; i < c->nargs; i++)
		if (c->kind != KERNEL || s->m->code.var[c->arg[i]].written < at ||
		    cached_code_use(&s->m->code, c, c->arg[i]).read)
			note_readable(s, at, c->arg[i]);
}

static bool is_there(const struct search *s, int node)
{
	return s->given[node] || s->computed[node] || s->fixed[node].attribute;
}

static void find_computable(struct search *s, int at)
{
	const struct nodes *g = s->m->g;
	int i, k;

	memset(s->given, 0, (size_t)g->n * sizeof(*s->given));
	memset(s->seen, 0, (size_t)s->m->code.ncalls * sizeof(*s->seen));
	add_given(s, at);
	for (i = 0; i < g->n; i++) {
		s->computed[i] = s->fixed[i].call;
		for (k = 0; k < g->node[i].nin && s->computed[i]; k++)
			s->computed[i] = is_there(s, s->m->base[g->node[i].in[k]]);
	}
}

/* ---- which nodes fit --------------------------------------------------------------------------------------------- */

static bool reads_any(const struct search *s, const struct node *n)
{
	int i;

	for (i = 0; i < n->nin; i++)
		if (is_there(s, s->m->base[n->in[i]]))
			return true;
	return !n->nin;
}

/* Does a call of a library compute this node, or does it only set an input of the graph? */
static bool is_elsewhere(const struct search *s, int node)
{
	const struct node *n = &s->m->g->node[node];

	if (n->target && !strncmp(n->target, "aten.copy_.", 11) && n->nin &&
	    !strcmp(s->m->g->node[s->m->base[n->in[0]]].op, "placeholder"))
		return true;
	return s->library[node];
}

/* Is its value what a reduction makes for another variable?  It is not made twice, though it may be copied. */
static bool is_reduced_elsewhere(const struct search *s, int node)
{
	int var = s->m->holder[node];
	const struct variable *v = var < 0 ? NULL : &s->m->code.var[var];

	return v && v->written >= 0 && cached_code_use(&s->m->code, &s->m->code.call[v->written], var).reduced;
}

static bool may_hold(const struct search *s, const struct variable *v, bool reduced, int node)
{
	const struct fixed *fixed = &s->fixed[node];
	const struct node *n = &s->m->g->node[node];
	enum way way;

	if (!fixed->call || s->m->base[node] != node || fixed->elsewhere)
		return false;
	way = fixed->way;
	if (way == OTHER)
		return reads_any(s, n);
	if (!s->computed[node] || (!*n->value && fixed->parts) || (way == ELEMENTS && reduced) || !node_fits(n, v, way))
		return false;
	return !(way == REDUCTION && reduced && is_reduced_elsewhere(s, node));
}

static bool on_one_line(const struct nodes *g, int a, int b)
{
	const struct source_line *s = graphs_outer(g, &g->node[a]), *t = graphs_outer(g, &g->node[b]);

	return graphs_same_line(g, &g->node[a], g, &g->node[b]) &&
	       (s == t || (s && t && s->line == t->line && s->file && t->file && !strcmp(s->file, t->file)));
}

/* Sets the node of a variable into which a reduction is stored, where only one fits; else its line. */
static void find_line(struct search *s, int var, bool reduced)
{
	const struct nodes *g = s->m->g;
	struct variable *v = &s->m->code.var[var];
	int i, found = -1;

	for (i = 0; i < g->n; i++) {
		if (!may_hold(s, v, reduced, i))
			continue;
		if (found >= 0 ? !on_one_line(g, found, i) : !graphs_line(g, &g->node[i]))
			return;
		v->only = found < 0;
		found = i;
	}
	v->line = found;
	if (found < 0 || !v->only || !reduced || !v->cpu || s->m->holder[found] >= 0 ||
	    s->fixed[found].way != REDUCTION)
		return;
	v->node = found;
	s->m->holder[found] = var;
}

static bool is_unknown(const struct search *s, int var, int at)
{
	const struct variable *v = &s->m->code.var[var];

	return v->node < 0 && v->helps < 0 && v->whole < 0 && !v->input && v->written == at && v->size &&
	       !s->copied[var];
}

static void note_nodes(struct search *s)
{
	const struct nodes *g = s->m->g;
	const struct node *n;
	int i;

	for (i = 0; i < g->n; i++) {
		n = &g->node[i];
		s->fixed[i].way = way_of(g, n);
		s->fixed[i].call = !strcmp(n->op, "call_function");
		s->fixed[i].attribute = !strcmp(n->op, "get_attr");
		s->fixed[i].elsewhere = is_elsewhere(s, i);
		if (n->nin && n->target && !strcmp(n->target, "operator.getitem"))
			s->fixed[n->in[0]].parts = true;
	}
}

/* A variable that a library is given may be a copy, in the layout that the library needs. */
static void note_variables(struct search *s)
{
	const struct cached_code *code = &s->m->code;
	const struct call *c;
	int i, whole;

	for (i = 0; i < code->nvars; i++)
		s->part[i] = s->next[i] = -1;
	for (i = 0; i < code->nvars; i++) {
		whole = code->var[i].whole;
		if (whole >= 0) {
			s->next[i] = s->part[whole];
			s->part[whole] = i;
		}
	}
	for (c = code->call; c < code->call + code->ncalls; c++)
		for (i = 0; c->kind == LIBRARY && i < c->nargs; i++)
			s->copied[c->arg[i]] = true;
}

static void search_begin(struct search *s)
{
	size_t nodes = (size_t)s->m->g->n + 1, vars = (size_t)s->m->code.nvars + 1;

	s->fixed = mem_alloc(nodes * sizeof(*s->fixed));
	s->given = mem_alloc(nodes * sizeof(*s->given));
	s->computed = mem_alloc(nodes * sizeof(*s->computed));
	s->library = mem_alloc(nodes * sizeof(*s->library));
	s->seen = mem_alloc(((size_t)s->m->code.ncalls + 1) * sizeof(*s->seen));
	s->copied = mem_alloc(vars * sizeof(*s->copied));
	s->part = mem_alloc(vars * sizeof(*s->part));
	s->next = mem_alloc(vars * sizeof(*s->next));
	find_library(s);
	note_nodes(s);
	note_variables(s);
}

static void search_end(struct search *s)
{
	free(s->fixed);
	free(s->given);
	free(s->computed);
	free(s->library);
	free(s->seen);
	free(s->copied);
	free(s->part);
	free(s->next);
}

void cached_lines_find(struct matching *m)
{
	struct search s = { .m = m };
	struct call *c;
	bool begun;
	int i, at;

	search_begin(&s);
	for (at = 0; at < m->code.ncalls; at++) {
		c = &m->code.call[at];
		begun = c->kind != KERNEL;
		for (i = 0; c->kind == KERNEL && i < c->nargs; i++) {
			if (!is_unknown(&s, c->arg[i], at))
				continue;
			if (!begun)
				find_computable(&s, at);
			begun = true;
			find_line(&s, c->arg[i], cached_code_use(&m->code, c, c->arg[i]).reduced);
		}
	}
	search_end(&s);
}
