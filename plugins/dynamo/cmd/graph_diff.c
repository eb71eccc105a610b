/* SPDX-License-Identifier: BSD-3-Clause */
/* graph show and graph diff: see dynamo_cmd.h.  Reads recorded graphs only. */
#include "cmd/dynamo_cmd.h"
#include "code/select_graph.h"
#include "model/graph.h"
#include "model/source_line.h"
#include "model/stages.h"
#include "show/dynamo_show.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

int graph_show_command(const char *args, struct reply *out, struct err *err)
{
	struct staged g;
	int ret = 0;

	if (select_graph_stage(args, &g, err) < 0)
		return -1;
	if (g.text)
		buf_adds(&out->text, g.text);
	else {
		ret = host->rows.reply(&view_graph, args, out, err);
		if (ret == 0)
			host->rows.reply_text(out);
	}
	free(g.name);
	return ret;
}

/* ---- graph diff ------------------------------------------------------------------------------------------------ */

static const struct view_col diff_cols[] = {
	{ .name = "change", .help = "added, removed or changed" },
	{ .name = "node", .help = "its name in the second graph; of a removed one, in the first" },
	{ .name = "was", .help = "what it is in the first graph" },
	{ .name = "is", .help = "what it is in the second graph" },
	{ .name = "value", .help = "type and shape in the second graph; where they differ, those in the first before" },
	{ .name = "line", .help = "the program's line" },
	{ .name = "file", .help = "of the line", .machine_only = true },
	{ .name = NULL },
};

struct diff {
	const struct nodes *a, *b;
	bool lowered; /* one graph is captured, the other was made of it: names may agree by chance */
	int *of;      /* for each node of b its node in a, -1: none */
	bool *used;   /* the nodes of a that have one in b */
};
static struct diff diff; /* while a reply is filled */

/* The nearest node of graph a that a node records that it was made from, -1: none. */
static int source_in(const struct nodes *a, const struct node *n)
{
	const char *p;
	size_t len;
	int i;

	for (p = n->from ? n->from : ""; *p; p += len + (p[len] == ' ')) {
		len = strcspn(p, " ");
		i = graphs_index(a, p, len);
		if (i >= 0)
			return i;
	}
	return -1;
}

/* AOTAutograd detaches a result that backward needs, and torch says that this was made from the result's node. */
static bool is_detached_result(const struct node *n, const struct node *of)
{
	return !strcmp(n->target, "aten.detach.default") && !strstr(of->target, "detach");
}

static bool is_part(const struct node *n)
{
	return !strcmp(n->target, "operator.getitem") && n->nin == 1 && strchr(n->args, ',');
}

/* Of node i of graph a, the part that has the number of the part n; i itself: a has no such node. */
static int same_part(const struct nodes *a, int i, const struct node *n)
{
	const struct node *part;
	int k;

	for (k = i + 1; is_part(n) && !is_part(&a->node[i]) && k < a->n; k++) {
		part = &a->node[k];
		if (is_part(part) && part->in[0] == i && !strcmp(strchr(part->args, ','), strchr(n->args, ',')))
			return k;
	}
	return i;
}

/* The node of graph a that a node was made from, and that it stands for; -1: there is none. */
static int counterpart_in(const struct nodes *a, const struct node *n)
{
	int i = source_in(a, n);

	return i < 0 || is_detached_result(n, &a->node[i]) ? -1 : same_part(a, i, n);
}

/* Has a node that was made from node k of graph b that node's value, by type and shape?  A captured value may require a
   gradient, which later stages do not say. */
static bool has_value_of(const struct nodes *b, int k, const struct node *n)
{
	const char *own = n->value, *value = b->node[k].value;
	size_t len = strcspn(own, " ");
	int i;

	for (i = k + 1; i < b->n; i++)
		if (is_part(&b->node[i]) && b->node[i].in[0] == k) /* several tensors */
			return !is_part(n);
	return len == strcspn(value, " ") && !strncmp(own, value, len);
}

/* Where one graph was made of the other and does not record it, the line must agree, too. */
static int same_name_in(const struct diff *d, const struct node *n)
{
	int i = graphs_index(d->a, n->name, strlen(n->name));
	const struct node *of = i >= 0 ? &d->a->node[i] : NULL;

	if (!of || strcmp(of->op, n->op))
		return -1;
	if (!d->lowered || (!graphs_line(d->a, of) && !graphs_line(d->b, n))) /* an input, or the output */
		return i;
	return graphs_same_line(d->a, of, d->b, n) ? i : -1;
}

/* Stages of one kind keep the names of nodes, and their nodes record captured ones, which have such names by chance. */
static void match_same_calls(struct diff *d)
{
	const struct node *n;
	int i, k;

	for (i = 0; i < d->b->n; i++) {
		n = &d->b->node[i];
		k = graphs_index(d->a, n->name, strlen(n->name));
		if (k >= 0 && !strcmp(d->a->node[k].op, n->op) && !strcmp(d->a->node[k].target, n->target)) {
			d->of[i] = k;
			d->used[k] = true;
		}
	}
}

/* Pairs each node of b with that of a which it was made from, or whose value it became, else with that of its name. */
static void match(struct diff *d)
{
	int i, k;

	d->of = mem_alloc(((size_t)d->b->n + 1) * sizeof(*d->of));
	d->used = mem_alloc((size_t)d->a->n + 1);
	memset(d->used, 0, (size_t)d->a->n);
	for (i = 0; i < d->b->n; i++)
		d->of[i] = -1;
	if (!d->lowered)
		match_same_calls(d);
	for (i = 0; i < d->b->n; i++) {
		k = d->of[i] < 0 ? counterpart_in(d->a, &d->b->node[i]) : -1;
		if (k >= 0 && !d->used[k])
			d->of[i] = k;
	}
	for (i = 0; i < d->a->n; i++) {
		k = d->used[i] ? -1 : counterpart_in(d->b, &d->a->node[i]);
		if (k < 0 || (!d->lowered && d->of[k] >= 0))
			continue;
		d->used[i] = true;
		/* of several that were made of it the last one has its value, apart from what backward needs */
		if (d->of[k] < 0 || has_value_of(d->b, k, &d->a->node[i]) ||
		    !has_value_of(d->b, k, &d->a->node[d->of[k]]))
			d->of[k] = i;
	}
	for (i = 0; i < d->b->n; i++) {
		if (d->of[i] < 0)
			d->of[i] = same_name_in(d, &d->b->node[i]);
		if (d->of[i] >= 0)
			d->used[d->of[i]] = true;
	}
}

/* The value of a stage's output may be unknown. */
static bool values_differ(const struct node *a, const struct node *b)
{
	return *a->value && *b->value && strcmp(a->value, b->value);
}

static void put_call(struct rows *out, const char *col, const struct node *n)
{
	char *text = !strcmp(n->op, "placeholder") ? mem_str("input") :
		     !strcmp(n->op, "output")	   ? mem_fmt("return %s", n->args) :
						     mem_fmt("%s(%s)", n->target, n->args);

	host->rows.str(out, col, ROLE_TEXT, text);
	free(text);
}

static void diff_add_row(struct rows *out, const struct view_req *req, const char *change, const struct node *was,
			 const struct node *is)
{
	const struct node *n = is ? is : was;
	const struct source_line *spot = graphs_line(is ? diff.b : diff.a, n);
	char *both;

	if (!n || !host->rows.want(out, req))
		return;
	host->rows.add(out, !was ? MARK_CHANGED : !is ? MARK_DIM : 0);
	host->rows.str(out, "change", ROLE_TYPE, change);
	host->rows.str(out, "node", ROLE_NAME, n->name);
	if (was)
		put_call(out, "was", was);
	if (is)
		put_call(out, "is", is);
	if (was && is && values_differ(was, is)) {
		both = mem_fmt("%s -> %s", was->value, is->value);
		host->rows.str(out, "value", ROLE_VALUE, both);
		free(both);
	} else if (*n->value || (was && *was->value))
		host->rows.str(out, "value", ROLE_VALUE, *n->value ? n->value : was->value);
	if (spot) {
		host->rows.num(out, "line", spot->line);
		host->rows.str(out, "file", ROLE_DIM, spot->file);
	}
}

static bool nodes_differ(const struct node *a, const struct node *b)
{
	return strcmp(a->target, b->target) || strcmp(a->args, b->args) || values_differ(a, b);
}

static int diff_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	const struct node *was, *is;
	int i;

	(void)s;
	(void)err;
	for (i = 0; i < diff.a->n; i++)
		if (!diff.used[i])
			diff_add_row(out, req, "removed", &diff.a->node[i], NULL);
	for (i = 0; i < diff.b->n; i++) {
		is = &diff.b->node[i];
		was = diff.of[i] >= 0 ? &diff.a->node[diff.of[i]] : NULL;
		if (!was)
			diff_add_row(out, req, "added", NULL, is);
		else if (nodes_differ(was, is))
			diff_add_row(out, req, "changed", was, is);
	}
	return 0;
}

static const struct view_ops view_graph_diff = {
	.name = "graph-diff",
	.help = "how two graphs differ",
	.cols = diff_cols,
	.fill = diff_fill,
	.none = "the graphs are equal",
};

/* "NAME:STAGE", "NAME" or "STAGE". */
static int find_stage(const char *word, struct staged *out, struct err *err)
{
	/* a stage, even where a function is named so: forward */
	char *words = mem_fmt("%s%s", select_graph_is_stage(word) ? " " : "", word), *colon = strrchr(words, ':');
	int ret;

	if (colon)
		*colon = ' ';
	ret = select_graph_stage(words, out, err);
	free(words);
	if (ret == 0 && !out->nodes) {
		err_set(err, "cannot compare '%s', which is only text%s", out->name,
			out->stage && out->stage->cached ? " from inductor's cache: 'graph recompile' finds its nodes" :
							   "");
		free(out->name);
		return -1;
	}
	return ret;
}

int graph_diff_command(const char *args, struct reply *out, struct err *err)
{
	size_t n = strcspn(args, " \t");
	const char *second = args + n + strspn(args + n, " \t");
	char *first = mem_fmt("%.*s", (int)n, args);
	struct staged a, b;
	int ret = -1;

	if (!*second || strpbrk(second, " \t"))
		err_set(err, "expected two graphs: graph diff A B, each a graph, an entry or a stage, or NAME:STAGE");
	else if (find_stage(first, &a, err) == 0) {
		if (find_stage(second, &b, err) == 0) {
			diff = (struct diff){ .a = a.nodes, .b = b.nodes, .lowered = !a.stage != !b.stage };
			match(&diff);
			ret = host->rows.reply(&view_graph_diff, "", out, err);
			if (ret == 0)
				host->rows.reply_text(out);
			free(diff.of);
			free(diff.used);
			free(b.name);
		}
		free(a.name);
	}
	free(first);
	return ret;
}
