/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: graph, which shows a captured graph in other forms than rows. */
#include "graphs.h"
#include <string.h>

static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	size_t len = strcspn(args, " ");
	const char *name = args + len + strspn(args + len, " ");
	bool draw = len && !strncmp(args, "draw", len), code = len && !strncmp(args, "code", len);
	struct entry *e;
	struct graph *g;

	(void)s;
	if (!draw && !code)
		return host->err_set(err, "'graph draw [NAME]' or 'graph code [NAME]': 'info graphs' lists the names");
	g = graphs_find(name, &e, err);
	if (!g)
		return -1;
	if (!g->copy)
		return host->err_set(err, "the nodes of '%s' are not recorded: it was compiled before cdbg came",
				     g->name);
	if (draw)
		draw_graph(g->copy, &out->text);
	else
		draw_code(g->copy, g->name, &out->text);
	return 0;
}

const struct cmd_def cmd_graph[] = {
	{ .name = "graph", .args = "draw|code [NAME|ENTRY]", .group = GROUP_DYNAMO, .flags = CMD_AFTER_EXIT,
	  .help = "a captured graph, drawn or as Python",
	  .more = "graph draw: nodes from the inputs down, with an edge from each to those that\n"
		  "take it.  graph code: one statement a node, under the user's lines.\n"
		  "Without NAME: the graph that the selected frame calls.",
	  .run = run },
	{ .name = NULL }
};
