/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: graph, which shows a captured graph in other forms than rows. */
#include "cmd/cmd_graph.h"
#include "code/select_graph.h"
#include "show/draw.h"
#include "cmd/graph_run.h"
#include <stdlib.h>
#include <string.h>

static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	size_t len = strcspn(args, " ");
	const char *name = args + len + strspn(args + len, " ");
	bool draw = len && !strncmp(args, "draw", len), code = len && !strncmp(args, "code", len);
	struct staged g;

	(void)s;
	if (len && !strncmp(args, "run", len))
		return graph_run_command(name, out, err);
	if (len && !strncmp(args, "memory", len))
		return graph_memory_command(name, out, err);
	if (len > 2 && !strncmp(args, "compare", len))
		return graph_compare_command(name, out, err);
	if (len && !strncmp(args, "save", len))
		return graph_save_command(name, out, err);
	if (!draw && !code)
		return err_set(err, "expected a subcommand; try: draw, code, run, memory, compare, save");
	if (select_stage(name, &g, err) < 0)
		return -1;
	if (g.text && draw)
		err_set(err, "'%s' is only text: 'graph code %s' shows it", g.name, g.name);
	else if (g.text)
		buf_addf(&out->text, "%s", g.text);
	else if (draw)
		draw_graph(g.nodes, &out->text);
	else {
		if (strchr(g.name, ' '))
			*strchr(g.name, ' ') = '_';
		draw_code(g.nodes, g.name, &out->text);
	}
	free(g.name);
	return g.text && draw ? -1 : 0;
}

static void complete(struct session *s, const char *args, const char *word, struct val *list)
{
	static const char *const forms[] = { "draw", "code", "run", "memory", "compare", "save" };
	const char *space = strchr(args, ' ');
	size_t i;

	if (space)
		select_stage_complete(s, space + strspn(space, " "), word, list);
	for (i = 0; !space && i < sizeof(forms) / sizeof(*forms); i++)
		val_push(list, val_str(forms[i]));
}

const struct cmd_def cmd_graph[] = {
	{ .name = "graph",
	  .args = "draw|code|run|memory|compare|save [-a] [NAME|ENTRY|FUNC] [STAGE] [with NAME=EXPR ...]",
	  .group = GROUP_DYNAMO, .flags = CMD_AFTER_EXIT,
	  .help = "show a captured graph, run it by hand, or find its wrong node",
	  .more = "graph draw: nodes from the inputs down, with an edge from each to those that\n"
		  "take it.  graph code: one statement a node, under the user's lines.\n"
		  "Without NAME: the graph that the selected frame calls.  STAGE: joint, forward,\n"
		  "backward, inference, post-grad, kernel, as info graphs lists them.\n"
		  "graph run [until nan] [-n N]: run the captured graph node by node on copies of\n"
		  "the frame's values, or of those behind `with`, and show each value.  until nan\n"
		  "ends at the first node that makes a NaN or an Inf; -n N shows median times.\n"
		  "graph memory: the bytes that are alive behind each node.\n"
		  "graph compare [-backward]: compile the graph once more by the entry's backend,\n"
		  "compare each value with eager and float64, and name the first wrong node.\n"
		  "graph save FILE: write a Python program that makes the same comparison.",
	  .complete = complete, .run = run },
	{ .name = NULL }
};
