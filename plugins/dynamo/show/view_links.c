/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the items that are related to an instruction, region, line, node, guard or entry. */
#include "code/dynamo_code.h"
#include "code/graph_codes.h"
#include "code/running_stage.h"
#include "model/entry.h"
#include "show/dynamo_show.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static void links_add_row(void *arg, const char *what, const char *id, int line)
{
	struct rows *out = arg;

	host->rows.add(out, 0);
	host->rows.str(out, "what", ROLE_TEXT, what);
	host->rows.str(out, "id", ROLE_NAME, id);
	if (line)
		host->rows.num(out, "line", line);
}

static bool is_written(const struct graph_lines *l, const struct graph_line *row)
{
	int i;

	for (i = 0; i < row->nwrites; i++)
		if (!strcmp(graph_codes_local(l, row->writes[i]), row->node))
			return true;
	return false;
}

/* The node, buffer or kernel that a graph's code computes at an instruction: its name, owned by the caller, and *what.
   NULL: it is not known. */
static char *graph_item(struct code *c, int index, const char **what)
{
	struct graph_lines *l = graph_codes_lines(c);
	const struct graph_line *row = l ? graph_codes_line(l, c->instr[index].line) : NULL;
	struct running_stage g;
	char *id = NULL, *space;

	if (!row || !row->node || !running_stage_find(l, &g))
		return NULL;
	space = g.sub ? NULL : g.name + strcspn(g.name, " ");
	if (space)
		*what = !l->call ? "node" : is_written(l, row) ? "buffer" : "kernel";
	if (space && *space)
		id = mem_fmt("%.*s:%s:%s", (int)(space - g.name), g.name, space + 1, row->node);
	else if (space)
		id = mem_fmt("%s:%s", g.name, row->node);
	free(g.name);
	return id;
}

/* The item for the selected frame: its instruction in generated code, its node in a graph, else its line. */
static int selected(struct rows *out, struct err *err)
{
	struct selected_frame at;
	struct entry *e;
	const char *what = "line";
	char *id = NULL;

	if (selected_frame_get(&at, err) < 0)
		return -1;
	e = at.code ? model_entry((PyCodeObject *)at.code->co) : NULL;
	if (e && at.index >= 0) {
		what = "instruction";
		id = mem_fmt("%s:%d", e->id, at.index);
	} else if (at.code && at.code->kind == KIND_GRAPH && at.index >= 0) {
		id = graph_item(at.code, at.index, &what);
	}
	if (!id && at.frame)
		id = mem_fmt("%s:%d", at.code ? py_text_utf8_kept(((PyCodeObject *)at.code->co)->co_filename) : "",
			     PyFrame_GetLineNumber((PyFrameObject *)at.frame));
	PyErr_Clear();
	if (id)
		related_of(what, id, links_add_row, out);
	free(id);
	selected_frame_release(&at);
	return 0;
}

static int links_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	size_t len = strcspn(req->words, " ");
	const char *id = req->words + len + strspn(req->words + len, " ");
	char *what;
	int known;

	(void)s;
	if (!len)
		return selected(out, err);
	what = mem_fmt("%.*s", (int)len, req->words);
	known = related_of(what, id, links_add_row, out);
	free(what);
	if (known < 0)
		return err_set(
			err,
			"the nodes of '%s' are not known: its code came from inductor's cache; 'graph recompile %.*s' "
			"compiles the graph again, with them",
			id, (int)strcspn(id, ":"), id);
	if (!known)
		return err_set(err,
			       "unknown: '%s'; 'info links KIND NAME' expects one of 'entry ENTRY', "
			       "'instruction ENTRY:INDEX', 'region ENTRY:NAME', 'line FILE:LINE', "
			       "'node GRAPH:NODE', 'node GRAPH:STAGE:NODE', 'buffer GRAPH:STAGE:BUFFER', "
			       "'kernel GRAPH:STAGE:KERNEL', 'guard GUARD'",
			       req->words);
	return 0;
}

static const struct view_col cols[] = {
	{ .name = "what", .help = "entry, instruction, region, line, node, buffer, kernel, guard" },
	{ .name = "id", .help = "its name: ask 'info links WHAT ID' to go on from it" },
	{ .name = "line", .help = "the user's line" },
	{ .name = NULL },
};

const struct view_ops view_links = {
	.name = "links",
	.args = "[WHAT ID]",
	.help = "what is related to the selected instruction, or to another thing",
	.cols = cols,
	.fill = links_fill,
	.none = "nothing that Dynamo made is related to this",
};
