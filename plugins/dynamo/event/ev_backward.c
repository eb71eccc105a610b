/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a compiled backward graph begins to run. */
#include "code/graph_codes.h"
#include "event/dynamo_event.h"
#include "torch/py_text.h"
#include <string.h>

/* AOTAutograd names the gradients that a backward graph is given. */
static bool is_backward(const struct graph_lines *l)
{
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(l->co->co_localsplusnames); i++)
		if (!strncmp(graph_codes_local(l, (int)i), "tangents_", 9))
			return true;
	return false;
}

static void add_first(void *out, struct code *c, const struct graph_lines *l)
{
	int i;

	for (i = 0; i < l->n && is_backward(l); i++)
		if (l->at[i].node) {
			host->files.add_place(out, c, l->at[i].index, l->at[i].line, NULL);
			return;
		}
}

static int backward_places(const char *words, struct places *out)
{
	(void)words;
	graph_codes_each(add_first, out);
	return 1;
}

static int backward_check(const char *words, struct err *err)
{
	return *words ? err_set(err, "'catch backward' takes no arguments; 'if COND' adds a condition") : 0;
}

static struct val *backward_detail(struct code *c, int index)
{
	const struct graph_lines *l = graph_codes_lines(c);
	const struct graph_line *row = graph_codes_line(l, c->instr[index].line);
	struct val *map = val_map();

	val_put(map, "node", row && row->node ? val_str(row->node) : val_null());
	val_put(map, "file", val_str(py_text_utf8(((PyCodeObject *)c->co)->co_filename)));
	return map;
}

static void backward_describe(const struct event *ev, struct buf *out)
{
	buf_addf(out, "a backward graph begins, at %s", ev->detail ? val_text(ev->detail, "node") : "?");
}

const struct event_kind ev_backward = {
	.name = "backward",
	.args = "",
	.help = "a compiled backward graph (aot_eager, inductor) begins to run",
	.places = backward_places,
	.check = backward_check,
	.absent = catch_absent_backward,
	.detail = backward_detail,
	.describe = backward_describe,
};
