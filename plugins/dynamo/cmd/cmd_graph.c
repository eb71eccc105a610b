/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: graph, which shows a captured graph in other forms than rows. */
#include "cmd/cmd_graph.h"
#include "code/select_graph.h"
#include "show/draw.h"
#include <stdlib.h>
#include <string.h>

static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	size_t len = strcspn(args, " ");
	const char *name = args + len + strspn(args + len, " ");
	bool draw = len && !strncmp(args, "draw", len), code = len && !strncmp(args, "code", len);
	struct staged g;

	(void)s;
	if (!draw && !code)
		return err_set(err, "'graph draw [NAME]' or 'graph code [NAME]': 'info graphs' lists the names");
	if (stages_pick(name, &g, err) < 0)
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
	static const char *const forms[] = { "draw", "code" };
	const char *space = strchr(args, ' ');
	size_t i;

	if (space)
		stages_complete(s, space + strspn(space, " "), word, list);
	for (i = 0; !space && i < sizeof(forms) / sizeof(*forms); i++)
		val_push(list, val_str(forms[i]));
}

const struct cmd_def cmd_graph[] = {
	{ .name = "graph", .args = "draw|code [-a] [NAME|ENTRY|FUNC] [STAGE]", .group = GROUP_DYNAMO,
	  .flags = CMD_AFTER_EXIT,
	  .help = "a captured graph, drawn or as Python",
	  .more = "graph draw: nodes from the inputs down, with an edge from each to those that\n"
		  "take it.  graph code: one statement a node, under the user's lines.\n"
		  "Without NAME: the graph that the selected frame calls.  STAGE: joint, forward,\n"
		  "backward, inference, post-grad, kernel, as info graphs lists them.",
	  .complete = complete, .run = run },
	{ .name = NULL }
};
