/* SPDX-License-Identifier: BSD-3-Clause */
/* graph show and graph diff: see dynamo_cmd.h.  Reads recorded graphs only. */
#include "cmd/dynamo_cmd.h"
#include "code/select_graph.h"
#include "model/graph.h"
#include "model/node_match.h"
#include "model/source_line.h"
#include "model/stages.h"
#include "show/dynamo_show.h"
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

static struct node_match diff; /* while a reply is filled */

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
	const struct source_line *spot;
	char *both;

	if (!n || !host->rows.want(out, req))
		return;
	spot = graphs_line(is ? diff.b : diff.a, n);
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
			node_match_find(&diff, a.nodes, b.nodes,
					!a.stage != !b.stage ? NODE_MATCH_LOWERED : NODE_MATCH_STAGES);
			ret = host->rows.reply(&view_graph_diff, "", out, err);
			if (ret == 0)
				host->rows.reply_text(out);
			node_match_release(&diff);
			free(b.name);
		}
		free(a.name);
	}
	free(first);
	return ret;
}
