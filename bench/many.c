/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin for the bench: guards and nodes by the thousands, as panes get them from a real one. */
#include <Python.h>
#include <plugin.h>
#include <stdio.h>
#include <stdlib.h>

enum { GUARDS = 10000, NODES = 5000, GROUP = 4, GUARD_ROWS = GUARDS + GUARDS / GROUP };

static const struct cdbg_host *host;

static void put_link(struct rows *out, const char *what, int i)
{
	char link[40];

	snprintf(link, sizeof(link), "%s %d", what, i);
	host->rows.str(out, "link", ROLE_DIM, link);
}

static void guard(struct rows *out, int i)
{
	char text[80];

	if (i % (GROUP + 1) == 0) {
		host->rows.add(out, MARK_HEAD);
		host->rows.str(out, "fold", ROLE_DIM, "open");
		snprintf(text, sizeof(text), "L['self']._modules['layer%d']\t%d ok", i / (GROUP + 1), GROUP);
		host->rows.str(out, "heading", ROLE_NAME, text);
		return;
	}
	i -= i / (GROUP + 1) + 1;
	host->rows.add(out, i % 97 == 0 ? MARK_ERROR : 0);
	host->rows.str(out, "sign", ROLE_TYPE, i % 97 ? "check" : "cross");
	host->rows.num(out, "guard", i);
	host->rows.str(out, "kind", ROLE_TYPE, i % 2 ? "TENSOR_MATCH" : "TYPE_MATCH");
	snprintf(text, sizeof(text), "f32[%d, %d] cpu", i % 64, i % 1024);
	host->rows.str(out, "expected", ROLE_VALUE, text);
	host->rows.num(out, "line", i % 10000);
	put_link(out, "guard", i);
}

static int fill_guards(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	int i;

	(void)s;
	(void)err;
	host->rows.title(out, "entry 0/0\t%d ok", GUARDS - 1 - (GUARDS - 1) / 97);
	for (i = 0; i < GUARD_ROWS; i++)
		if (host->rows.want(out, req))
			guard(out, i);
	return 0;
}

static int fill_nodes(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	static int at;
	struct view_req window = *req;
	char text[80];
	int i;

	(void)s;
	(void)err;
	at = (at + 1) % NODES; /* a different current row each time: the pane follows */
	host->rows.follow(&window, (size_t)at, NODES);
	out->first = window.first;
	host->rows.title(out, "__compiled_fn_1\t%d of %d", at + 1, NODES);
	for (i = 0; i < NODES; i++) {
		if (!host->rows.want(out, &window))
			continue;
		host->rows.add(out, i == at ? MARK_CURRENT : 0);
		snprintf(text, sizeof(text), "add_%d", i);
		host->rows.str(out, "node", ROLE_NAME, text);
		snprintf(text, sizeof(text), "operator.add(add_%d, mul_%d)", i - 1, i / 2);
		host->rows.str(out, "call", ROLE_TEXT, text);
		host->rows.str(out, "value", ROLE_VALUE, "f32[32, 1024] cpu");
		host->rows.num(out, "line", i);
		put_link(out, "node", i);
	}
	return 0;
}

/* Of a line or a node: a hundred things. */
static int links(const char *what, const char *id, void (*add)(void *arg, const char *what, const char *id, int line),
		 void *arg)
{
	char other[24];
	int i;

	(void)what;
	for (i = 0; i < 100; i++) {
		snprintf(other, sizeof(other), "%d", (atoi(id) + i) % NODES);
		add(arg, i % 2 ? "node" : "guard", other, i);
	}
	return 1;
}

static const struct view_col guard_cols[] = {
	{ .name = "fold", .screen = true, .signs = true },
	{ .name = "heading", .screen = true, .heading = true },
	{ .name = "sign", .screen = true, .signs = true },
	{ .name = "guard" },
	{ .name = "kind" },
	{ .name = "expected", .wide = true },
	{ .name = "line" },
	{ .name = "link", .screen = true },
	{ .name = NULL },
};
static const struct view_col node_cols[] = {
	{ .name = "node" }, { .name = "call", .wide = true },	{ .name = "value" },
	{ .name = "line" }, { .name = "link", .screen = true }, { .name = NULL },
};
static const struct view_ops many_guards = {
	.name = "many-guards",
	.help = "ten thousand guards",
	.cols = guard_cols,
	.fill = fill_guards,
};
static const struct view_ops many_nodes = {
	.name = "many-nodes",
	.help = "five thousand nodes",
	.cols = node_cols,
	.fill = fill_nodes,
};
static const struct view_ops *const views[] = { &many_guards, &many_nodes, NULL };
static const struct plug_ops questions = { .names.links = links };

static int init(const struct cdbg_host *h, struct err *err)
{
	(void)err;
	host = h;
	return 0;
}

const struct cdbg_plugin cdbg_plugin = {
	.abi = CDBG_PLUGIN_ABI,
	.name = "many",
	.views = views,
	.questions = &questions,
	.init = init,
};
