/* SPDX-License-Identifier: BSD-3-Clause */
/* A graph drawn as text, as `git log --graph` draws history: from the inputs down, from each value to the nodes that
   use it. A lane leads to a node; no two lanes lead to the same one.  Knows no view. */
#include "code/dynamo_code.h"
#include "model/graph.h"
#include "model/source_line.h"
#include "show/dynamo_show.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct drawing {
	const struct nodes *g;
	struct buf *out;
	int *lane; /* the node that each leads to */
	int n;
	size_t cap;
};

/* A row of lanes: `from` and those right of it lean by `lean` (-1: '/', 1: '\', 0: straight). */
static void row(struct drawing *d, int n, int from, int lean, const char *under)
{
	size_t width = (size_t)n * 2 + 4, len;
	char *s = mem_alloc(width);
	int i;

	memset(s, ' ', width - 1);
	for (i = 0; i < n; i++)
		if (i < from || !lean)
			s[2 * i] = '|';
		else
			s[2 * i + lean] = lean < 0 ? '/' : '\\';
	for (i = 0; under && under[i] && i < n * 2; i++)
		if (under[i] != ' ')
			s[i] = under[i];
	for (len = width - 1; len && s[len - 1] == ' '; len--)
		;
	buf_add(d->out, s, len);
	buf_adds(d->out, "\n");
	free(s);
}

static int awaits(const struct drawing *d, int node)
{
	int i;

	for (i = 0; i < d->n; i++)
		if (d->lane[i] == node)
			return i;
	return -1;
}

static void insert(struct drawing *d, int at, int node)
{
	d->lane = mem_grow(d->lane, &d->cap, (size_t)d->n + 1, sizeof(*d->lane));
	memmove(d->lane + at + 1, d->lane + at, (size_t)(d->n - at) * sizeof(*d->lane));
	d->lane[at] = node;
	d->n++;
}

static void remove_lane(struct drawing *d, int at)
{
	memmove(d->lane + at, d->lane + at + 1, (size_t)(d->n - at - 1) * sizeof(*d->lane));
	d->n--;
}

/* A new lane right of `at`, out of it. */
static void split_lane(struct drawing *d, int at, int node)
{
	char *under = mem_alloc((size_t)d->n * 2 + 2);

	memset(under, ' ', (size_t)d->n * 2);
	under[2 * at + 1] = '\\';
	row(d, d->n, at + 1, 1, under);
	free(under);
	insert(d, at + 1, node);
}

/* Two lanes that lead to the same node become one, on the left. */
static void join_lanes(struct drawing *d, int a, int b)
{
	int left = a < b ? a : b, right = a < b ? b : a, i;
	char *under = mem_alloc((size_t)d->n * 2 + 2);

	memset(under, ' ', (size_t)d->n * 2);
	for (i = left + 1; i + 1 < right; i++)
		under[2 * i + 1] = '_';
	if (right > left + 1)
		under[2 * right - 1] = '/';
	row(d, d->n, right, -1, under);
	remove_lane(d, right);
	if (right > left + 1) {
		memset(under, ' ', (size_t)d->n * 2);
		under[2 * left + 1] = '/';
		row(d, d->n, d->n, 0, under);
	}
	free(under);
}

static void draw_node(struct drawing *d, int i)
{
	const struct node *n = &d->g->node[i];
	const struct source_line *spot = graphs_line(d->g, n), *own = graphs_own(d->g, n);

	if (!strcmp(n->op, "placeholder")) {
		buf_addf(d->out, "%s%s", n->name, n->source ? " = " : "");
		source_text_people(n->source ? n->source : "", d->out);
	} else if (!strcmp(n->op, "output"))
		buf_addf(d->out, "output %s", n->args);
	else if (!strcmp(n->op, "get_attr"))
		buf_addf(d->out, "%s = self.%s", n->name, n->target);
	else if (!strcmp(n->op, "call_method"))
		buf_addf(d->out, "%s = .%s(%s)", n->name, n->target, n->args);
	else
		buf_addf(d->out, "%s = %s(%s)", n->name, n->target, n->args);
	if (*n->value)
		buf_addf(d->out, "  %s", n->value);
	if (spot && own && spot->file == own->file && host->files.is_user(spot->file))
		buf_addf(d->out, "  line %d", spot->line);
	else if (spot)
		buf_addf(d->out, "  %s:%d", py_text_file_name(spot->file), spot->line);
	buf_adds(d->out, "\n");
}

/* Draws lines from the lane of a node to all nodes that use it. */
static void lead_on(struct drawing *d, int at, int node)
{
	int users[512], n = graphs_users(d->g, node, users, 512), i, other;

	if (!n) {
		remove_lane(d, at);
		for (i = 0; at < d->n && i < d->n; i++)
			buf_addf(d->out, i < at ? "| " : " /");
		buf_addf(d->out, at < d->n ? "\n" : "");
		return;
	}
	d->lane[at] = -1; /* no node: found by nobody */
	for (i = n > 512 ? 511 : n - 1; i >= 0; i--) {
		other = awaits(d, users[i]);
		if (i > 0)
			split_lane(d, at, users[i]);
		else
			d->lane[at] = users[i];
		if (other < 0)
			continue;
		if (i > 0 && other > at)
			other++;
		join_lanes(d, i > 0 ? at + 1 : at, other);
	}
}

void draw_graph(const struct nodes *g, struct buf *out)
{
	struct drawing d = { .g = g, .out = out };
	int i, k, at;

	for (i = 0; i < g->n; i++) {
		at = awaits(&d, i);
		if (at < 0) {
			insert(&d, d.n, i);
			at = d.n - 1;
		}
		for (k = 0; k < d.n; k++)
			buf_addf(out, k == at ? "* " : "| ");
		draw_node(&d, i);
		lead_on(&d, at, i);
	}
	free(d.lane);
}

/* ---- as Python ----------------------------------------------------------------------------------------------- */

/* The first argument of a method is the object it is called on. */
static void add_method(const struct node *n, struct buf *out)
{
	const char *comma = strstr(n->args, ", ");
	int first = comma ? (int)(comma - n->args) : (int)strlen(n->args);

	buf_addf(out, "%s = %.*s.%s(%s)", n->name, first, n->args, n->target, comma ? comma + 2 : "");
}

/* "a, b" of a function of the module operator: the two around its sign.  args: n->args as people read them. */
static bool add_operator(const struct node *n, const char *args, struct buf *out)
{
	static const char *const signs[][2] = {
		{ "add", "+" }, { "sub", "-" },	 { "mul", "*" },    { "truediv", "/" }, { "floordiv", "//" },
		{ "mod", "%" }, { "pow", "**" }, { "matmul", "@" }, { "lt", "<" },	{ "le", "<=" },
		{ "gt", ">" },	{ "ge", ">=" },	 { "eq", "==" },    { "ne", "!=" },	{ "and_", "&" },
		{ "or_", "|" }, { "xor", "^" },
	};
	const char *comma = strstr(args, ", ");
	size_t i;

	if (strncmp(n->target, "operator.", 9) || !comma || strpbrk(n->args, "([{'\"=") || strstr(comma + 2, ", "))
		return false;
	for (i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (!strcmp(n->target + 9, signs[i][0])) {
			buf_addf(out, "%.*s %s %s", (int)(comma - args), args, signs[i][1], comma + 2);
			return true;
		}
	return false;
}

/* The length of the first of arguments: up to a comma outside brackets and quotes. */
static size_t argument_length(const char *args)
{
	const char *s;
	char quote = 0;
	int deep = 0;

	for (s = args; *s; s++) {
		if (quote) {
			s += *s == '\\' && s[1];
			quote = *s == quote ? 0 : quote;
		} else if (*s == '\'' || *s == '"') {
			quote = *s;
		} else if (strchr("([{", *s)) {
			deep++;
		} else if (strchr(")]}", *s)) {
			deep--;
		} else if (*s == ',' && deep <= 0) {
			break;
		}
	}
	return (size_t)(s - args);
}

/* "a, (:, 0)" of operator.getitem: "a[:, 0]"; "a, 0, b" of setitem: "a[0] = b".  name: the node's, of a value that
   is assigned; NULL: the expression alone. */
static bool add_subscript(const struct node *n, const char *name, const char *args, struct buf *out)
{
	bool bare, set = !strcmp(n->target, "operator.setitem");
	size_t owner = argument_length(args), key;
	const char *at;

	if (!graphs_is_subscript(n) || strncmp(args + owner, ", ", 2))
		return false;
	at = args + owner + 2;
	key = argument_length(at);
	if (set != (at[key] == ','))
		return false;
	bare = *at == '(' && key > 2 && at[key - 2] != ',' && at[key - 1] == ')';
	if (name && !set)
		buf_addf(out, "%s = ", name);
	buf_addf(out, "%.*s[%.*s]", (int)owner, args, (int)key - 2 * bare, at + bare);
	if (set)
		buf_addf(out, " = %s", at + key + 2);
	return true;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The placeholder of this name among the inputs of a node, if it has a source. */
static const struct node *input_named(const struct nodes *g, const struct node *of, const char *name, size_t n)
{
	const struct node *in;
	int i;

	for (i = 0; i < of->nin; i++) {
		in = &g->node[of->in[i]];
		if (in->source && !strncmp(in->name, name, n) && !in->name[n])
			return in;
	}
	return NULL;
}

void draw_args(const struct nodes *g, const struct node *n, struct buf *out)
{
	const struct node *in;
	const char *s;
	size_t len;

	buf_add(out, "", 0);
	for (s = n->args; *s; s += len) {
		for (len = 0; in_name(s[len]); len++)
			;
		in = len ? input_named(g, n, s, len) : NULL;
		if (in)
			source_text_people(in->source, out);
		else
			buf_add(out, s, len ? len : 1);
		len += !len;
	}
}

void draw_call(const struct nodes *g, const struct node *n, struct buf *out)
{
	struct buf text = { 0 };
	const char *args, *comma;
	int first;

	draw_args(g, n, &text);
	args = buf_str(&text);
	comma = strstr(args, ", ");
	first = comma ? (int)(comma - args) : (int)strlen(args);
	if (!strcmp(n->op, "placeholder"))
		source_text_people(n->source ? n->source : n->target, out);
	else if (!strcmp(n->op, "output"))
		buf_addf(out, "return %s", args);
	else if (!strcmp(n->op, "get_attr"))
		buf_addf(out, "self.%s", n->target);
	else if (!strcmp(n->op, "call_method"))
		buf_addf(out, "%.*s.%s(%s)", first, args, n->target, comma ? comma + 2 : "");
	else if (!add_operator(n, args, out) && !add_subscript(n, NULL, args, out))
		buf_addf(out, "%s(%s)", n->target, args);
	buf_release(&text);
}

/* "    # line 7: SOURCE", "    # model.py:84 in forward (from train.py:5): SOURCE" */
static void add_comment(const struct nodes *g, const struct node *n, const struct source_line *spot, struct buf *out)
{
	const char *source = host->files.line(spot->file, spot->line);
	const struct source_line *own = graphs_own(g, n);

	while (source && (*source == ' ' || *source == '\t'))
		source++;
	buf_adds(out, "    # ");
	if (spot->own)
		buf_addf(out, "line %d", spot->line);
	else if (own && own->file == spot->file && host->files.is_user(spot->file))
		buf_addf(out, "line %d of %s", spot->line, spot->function);
	else
		source_line_describe(spot, graphs_outer(g, n), out);
	buf_addf(out, ": %s\n", source ? source : "");
}

/* True if a node uses a value of the module that the graph belongs to. */
static bool uses_module(const struct nodes *g)
{
	int i;

	for (i = 0; i < g->n; i++)
		if (!strcmp(g->node[i].op, "get_attr") || !strcmp(g->node[i].op, "call_module"))
			return true;
	return false;
}

void draw_code(const struct nodes *g, const char *name, struct buf *out)
{
	const struct source_line *spot, *before = NULL;
	const struct node *n;
	int i, k = 0;

	buf_adds(out, "def ");
	for (; *name; name++) /* a part's name has a dot */
		buf_addc(out, *name == '.' ? '_' : *name);
	buf_addf(out, "(%s", uses_module(g) ? "self" : "");
	k = uses_module(g);
	for (i = 0; i < g->n; i++)
		if (!strcmp(g->node[i].op, "placeholder"))
			buf_addf(out, "%s%s", k++ ? ", " : "", g->node[i].name);
	buf_adds(out, "):\n");
	for (i = 0; i < g->n; i++) {
		n = &g->node[i];
		spot = graphs_line(g, n);
		if (!strcmp(n->op, "placeholder"))
			continue;
		if (spot && (!before || spot->line != before->line || spot->file != before->file)) {
			add_comment(g, n, spot, out);
			before = spot;
		}
		buf_adds(out, "    ");
		if (!strcmp(n->op, "output"))
			buf_addf(out, "return %s", n->args);
		else if (!strcmp(n->op, "get_attr"))
			buf_addf(out, "%s = self.%s", n->name, n->target);
		else if (!strcmp(n->op, "call_method"))
			add_method(n, out);
		else if (!add_subscript(n, n->name, n->args, out))
			buf_addf(out, "%s = %s%s(%s)", n->name, strcmp(n->op, "call_module") ? "" : "self.", n->target,
				 n->args);
		if (*n->value)
			buf_addf(out, "  # %s", n->value);
		buf_adds(out, "\n");
	}
}
