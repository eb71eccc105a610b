/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: the code that inductor wrote is about to call a kernel, or an operation of a library. */
#include "code/graph_codes.h"
#include "event/dynamo_event.h"
#include <fnmatch.h>

struct wanted {
	const char *pattern;
	struct places *out;
	int n;
};

/* A kernel matches by its name, an operation of a library by its own and by the buffer that it computes. */
static bool is_wanted(const struct graph_line *row, const char *pattern)
{
	return row->kernel &&
	       (!*pattern || !fnmatch(pattern, row->node, 0) || (row->called && !fnmatch(pattern, row->called, 0)));
}

static void add_kernels(void *arg, struct code *c, const struct graph_lines *l)
{
	struct wanted *w = arg;
	int i;

	for (i = 0; i < l->n; i++) {
		if (!is_wanted(&l->at[i], w->pattern))
			continue;
		host->files.add_place(w->out, c, l->at[i].index, l->at[i].line, NULL);
		w->n++;
	}
}

static int kernel_places(const char *words, struct places *out)
{
	struct wanted w = { .pattern = words, .out = out };

	graph_codes_each(add_kernels, &w);
	return w.n;
}

static struct val *kernel_detail(struct code *c, int index)
{
	const struct graph_lines *l = graph_codes_lines(c);
	const struct graph_line *row = graph_codes_line(l, c->instr[index].line);
	struct val *map = val_map(), *writes = val_list();
	int i;

	val_put(map, "kernel", row && row->node ? val_str(row->node) : val_null());
	val_put(map, "called", row && row->called ? val_str(row->called) : val_null());
	for (i = 0; row && i < row->nwrites; i++)
		val_push(writes, val_str(graph_codes_local(l, row->writes[i])));
	val_put(map, "writes", writes);
	return map;
}

static void kernel_describe(const struct event *ev, struct buf *out)
{
	const char *kernel = ev->detail ? val_text(ev->detail, "kernel") : "?";
	const char *called = ev->detail ? val_text(ev->detail, "called") : "";

	if (*called)
		buf_addf(out, "%s, which computes %s, is about to be called", called, kernel);
	else
		buf_addf(out, "kernel %s is about to be called", kernel);
}

const struct event_kind ev_kernel = {
	.name = "kernel",
	.args = "[PATTERN]",
	.help = "inductor's code is about to call a kernel, forward or backward",
	.places = kernel_places,
	.absent = catch_absent_kernel,
	.detail = kernel_detail,
	.describe = kernel_describe,
};
