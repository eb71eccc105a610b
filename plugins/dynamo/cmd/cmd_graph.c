/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: graph, which shows a captured graph in other forms than rows. */
#include "cmd/dynamo_cmd.h"
#include "cmd/graph_command.h"
#include "code/select_graph.h"
#include "edit/dynamo_edit.h"
#include "show/dynamo_show.h"
#include <stdlib.h>
#include <string.h>

static int show_graph(const char *name, bool draw, struct reply *out, struct err *err)
{
	struct staged g;
	char *blank;

	if (select_graph_stage(name, &g, err) < 0)
		return -1;
	if (g.text && draw)
		err_set(err, "cannot draw '%s', which is only text; 'graph code %s' shows it", g.name, g.name);
	else if (g.text)
		buf_addf(&out->text, "%s", g.text);
	else if (draw)
		draw_graph(g.nodes, &out->text);
	else {
		blank = strchr(g.name, ' ');
		if (blank)
			*blank = '_';
		draw_code(g.nodes, g.name, &out->text);
	}
	free(g.name);
	return g.text && draw ? -1 : 0;
}

static int graph_draw(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return show_graph(args->text, true, out, err);
}

static int graph_code(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return show_graph(args->text, false, out, err);
}

/* What runs or compiles a graph changes torch's state of the process. */
static int run_aside(const struct graph_command *c, const struct cmd_args *args, struct reply *out, struct err *err)
{
	int ret;

	if (aside_begin(err) < 0)
		return -1;
	ret = graph_command(c, args->text, out, err);
	aside_end();
	return ret;
}

static int graph_run(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return run_aside(&graph_command_run, args, out, err);
}

static int graph_memory(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return run_aside(&graph_command_memory, args, out, err);
}

static int graph_compare(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return run_aside(&graph_command_compare, args, out, err);
}

static int graph_save(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return run_aside(&graph_command_save, args, out, err);
}

static int graph_reduce(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return run_aside(&graph_command_reduce, args, out, err);
}

static int graph_recompile(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return run_aside(&graph_command_recompile, args, out, err);
}

static int graph_show(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return graph_show_command(args->text, out, err);
}

static int graph_diff(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return graph_diff_command(args->text, out, err);
}

static const struct cmd_sub subs[] = {
	{ .name = "draw",
	  .args = "[-a] [NAME|ENTRY|FUNC] [STAGE]",
	  .flags = CMD_AFTER_EXIT,
	  .complete = select_graph_stage_complete,
	  .run = graph_draw,
	  .help = "draw the nodes from the inputs down, with an edge to each user of a node" },
	{ .name = "code",
	  .args = "[-a] [NAME|ENTRY|FUNC] [STAGE]",
	  .flags = CMD_AFTER_EXIT,
	  .complete = select_graph_stage_complete,
	  .run = graph_code,
	  .help = "print one statement for each node, below the user's lines" },
	{ .name = "run",
	  .args = "[until nan] [-n N] [-t] [-f] [NAME|ENTRY|FUNC] [STAGE] [with NAME=EXPR...]",
	  .flags = CMD_AFTER_EXIT,
	  .complete = select_graph_stage_complete,
	  .run = graph_run,
	  .help = "run a graph or a stage node by node, and show each value",
	  .more = "It runs on copies of the frame's values, or of those after 'with'.  until nan:\n"
		  "stop at the first node that makes a NaN or an Inf.  -n N: median times of N runs.\n"
		  "-t: times only, no figures.  -f: also a run that needs more than 2 GB.\n"
		  "A STAGE is compiled again for it, without caches; gradients are ones." },
	{ .name = "memory",
	  .args = "[-f] [NAME|ENTRY|FUNC] [STAGE] [with NAME=EXPR...]",
	  .flags = CMD_AFTER_EXIT,
	  .complete = select_graph_stage_complete,
	  .run = graph_memory,
	  .help = "show the bytes that are alive after each node" },
	{ .name = "compare",
	  .args = "[-backward] [-f] [-tol RTOL ATOL] [NAME|ENTRY|FUNC] [with NAME=EXPR...]",
	  .flags = CMD_AFTER_EXIT,
	  .run = graph_compare,
	  .help = "find the first node whose compiled result is wrong",
	  .more = "The graph is compiled again by the entry's backend; each value is compared with\n"
		  "eager and float64.  -backward: the backward graph, too.  -f: also a comparison that\n"
		  "needs more than 2 GB.  -tol: each element may differ from float64 by ATOL and RTOL\n"
		  "times its size, instead of what eager's own error allows." },
	{ .name = "save",
	  .args = "FILE [-backward] [-tol RTOL ATOL] [NAME|ENTRY|FUNC] [with NAME=EXPR...]",
	  .flags = CMD_AFTER_EXIT,
	  .run = graph_save,
	  .help = "write a Python program that makes the same comparison",
	  .more = "-backward: it compares the gradients of the inputs, too.  -tol: by these tolerances, as\n"
		  "graph compare; the program also takes other ones: python FILE [BACKEND] -tol RTOL ATOL." },
	{ .name = "show",
	  .args = "[-a] [NAME|ENTRY|FUNC] [STAGE]",
	  .flags = CMD_AFTER_EXIT,
	  .complete = select_graph_stage_complete,
	  .run = graph_show,
	  .help = "list the nodes of a graph or of a stage; of code that inductor wrote, its text" },
	{ .name = "diff",
	  .args = "A B",
	  .flags = CMD_AFTER_EXIT,
	  .complete = select_graph_stage_complete,
	  .run = graph_diff,
	  .help = "list the nodes that are added, removed and changed between two graphs",
	  .more = "A and B: a graph, an entry or a stage, or both: captured, 0/1, 0/0:post-grad." },
	{ .name = "reduce",
	  .args = "FILE [-backward] [-f] [-tol RTOL ATOL] [NAME|ENTRY|FUNC] [with NAME=EXPR...]",
	  .flags = CMD_AFTER_EXIT,
	  .run = graph_reduce,
	  .help = "write the smallest part of a graph whose compiled results are still wrong",
	  .more = "Nodes are removed while the difference remains, then the program is written that\n"
		  "graph save writes.  -backward: gradients count, too.  -f: also if a comparison\n"
		  "needs more than 2 GB.  -tol: a difference is what these tolerances do not allow." },
	{ .name = "recompile",
	  .args = "[-backward] [NAME|ENTRY|FUNC] [with NAME=EXPR...]",
	  .flags = CMD_AFTER_EXIT,
	  .run = graph_recompile,
	  .help = "make the stages of a graph again, apart from Dynamo's cache",
	  .more = "Also for graphs that were compiled before cdbg was loaded.  -backward: the stages\n"
		  "of the backward graph, too, as for a graph whose inputs require gradients." },
	{ .name = NULL },
};

static const struct cmd_kind kinds[] = {
	{ .name = "ENTRY", .complete = select_graph_stage_complete },
	{ .name = NULL },
};

const struct cmd_def cmd_graph[] = {
	{ .name = "graph",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_AFTER_EXIT,
	  .subs = subs,
	  .kinds = kinds,
	  .help = "show a captured graph, run it by hand, or find its wrong node",
	  .more = "Without NAME: the graph that the selected frame calls.  -a: also graphs of entries\n"
		  "that are invalidated.  STAGE: joint, forward,\n"
		  "backward, inference, post-grad or kernel; 'info graphs' lists them." },
	{ .name = NULL },
};
