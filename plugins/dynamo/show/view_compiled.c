/* SPDX-License-Identifier: BSD-3-Clause */
/* Views: the functions that Dynamo has processed, its entries, their graphs and resume functions, and the state of
   this plugin. */
#include "code/select.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/qualname.h"
#include "model/stages.h"
#include "observe/dynamo_observe.h"
#include "show/dynamo_show.h"
#include "torch/attrs.h"
#include <stdlib.h>
#include <string.h>

static int live_entries(struct func *f)
{
	struct entry *e;
	int n = 0;

	for (e = model_entries; e; e = e->next)
		n += e->func == f && model_cached(e);
	return n;
}

/* ---- info compiled ---------------------------------------------------------------------------------------- */

static const char *status_of(const struct func *f, int entries)
{
	if (entries)
		return f->seen.skips ? "mixed" : "compiled";
	return f->seen.gave_up ? "skipped" : "eager";
}

static long hits_of(const struct func *f)
{
	struct entry *e;
	long n = 0;

	for (e = model_entries; e; e = e->next)
		n += e->func == f ? e->made.hits : 0;
	return n;
}

/* Torch's own functions that it did not compile: nobody asks why. */
static bool left_by_torch(const char *file, int entries)
{
	return !entries && file && attrs_torch_file(file);
}

static void add_compiled(struct rows *out, struct func *f, bool all)
{
	int n = live_entries(f);

	host->rows.add(out, 0);
	host->rows.flag(out, "omitted", !all && left_by_torch(f->file, n));
	host->rows.str(out, "function", ROLE_NAME, f->name);
	host->rows.shown(out, "function", qualname_func(f));
	host->rows.str(out, "file", ROLE_TEXT, f->file);
	host->rows.num(out, "line", f->root && f->resume_line ? f->resume_line : f->line);
	host->rows.str(out, "status", ROLE_VALUE, status_of(f, n));
	host->rows.str(out, "reason", ROLE_DIM,
		       f->seen.reason	      ? f->seen.reason :
		       f->seen.compiles && !n ? "its entries were removed: by a reset, or because an object they "
						"guard was freed" :
						NULL);
	host->rows.num(out, "entries", n);
	if (lookup_counted())
		host->rows.num(out, "hits", hits_of(f));
	host->rows.str(out, "qualname", ROLE_NAME, qualname_func(f));
}

static void add_left(const char *words, bool pane, struct rows *out, bool all)
{
	const char *name, *file, *reason;
	int line;
	size_t i;

	for (i = 0; excluded_row(i, &name, &file, &line, &reason); i++) {
		if ((*words && strcmp(words, name)) || (pane && !all && left_by_torch(file, 0)))
			continue;
		host->rows.add(out, MARK_DIM);
		host->rows.flag(out, "omitted", !all && left_by_torch(file, 0));
		host->rows.str(out, "function", ROLE_NAME, name);
		host->rows.str(out, "file", ROLE_TEXT, file);
		host->rows.num(out, "line", line);
		host->rows.str(out, "status", ROLE_VALUE, "skipped");
		host->rows.str(out, "reason", ROLE_DIM, reason);
		host->rows.num(out, "entries", 0);
	}
}

/* In the order in which they were first seen; the list has the newest first. */
static void each_looked(const struct selection *meant, bool pane, struct rows *out, bool every)
{
	struct func **all = NULL, *f;
	size_t n = 0, cap = 0;

	for (f = model_funcs; f; f = f->next)
		if (f->seen.looked && select_has_func(meant, f) &&
		    !(pane && !every && left_by_torch(f->file, live_entries(f)))) {
			all = mem_grow(all, &cap, n + 1, sizeof(*all));
			all[n++] = f;
		}
	while (n)
		add_compiled(out, all[--n], every);
	free(all);
}

static int fill_compiled(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct err none = { "" };
	struct selection meant;
	const char *words = req->words;
	bool all = select_option_all(&words) || *words, known = select_find(words, &meant, &none) == 0;

	(void)s;
	if (known)
		each_looked(&meant, req->pane, out, all);
	add_left(words, req->pane, out, all);
	select_release(&meant);
	return known || out->n ? 0 : err_set(err, "%s", none.text);
}

static const struct view_col compiled_cols[] = {
	{ .name = "function", .help = "the code's name" },
	{ .name = "file", .help = "its file" },
	{ .name = "line", .help = "its first line; of a resume function: where it resumes" },
	{ .name = "status",
	  .help = "compiled, eager (nothing to compile), skipped (tracing failed, or a rule), mixed" },
	{ .name = "entries", .help = "live entries in the cache" },
	{ .name = "hits", .local = true, .help = "lookups that used one of them, since 'set count on'" },
	{ .name = "reason", .help = "why it is not compiled" },
	{ .name = "qualname",
	  .help = "the function with its class; of a decorator's wrapper: the wrapped function",
	  .machine_only = true },
	{ .name = "omitted", .screen = true, .machine_only = true }, /* without -a */
	{ .name = NULL },
};

static const char *const compiled_more[] = { "explain {function}",     "entry list {function}",
					     "guard why {function}",   "catch wrong {function}",
					     "disassemble {function}", "decompile {function}",
					     "break {file}:{line}",    NULL };
static const char *const graphs_more[] = { "graph run until nan {graph}",
					   "graph run {graph}",
					   "graph compare {graph}",
					   "graph code {graph}",
					   "graph draw {graph}",
					   "graph memory {graph}",
					   NULL };

const struct view_ops view_compiled = {
	.name = "compiled",
	.args = "[-a] [FUNC]",
	.help = "every function that Dynamo has looked at, and the result",
	.cols = compiled_cols,
	.fill = fill_compiled,
	.none = "Dynamo has compiled no function",
	.action = row_action_line,
	.more = compiled_more,
	.omitted = "omitted",
	.omitted_text = "of torch's own functions, not compiled: 'info compiled -a' lists them",
	.complete = select_complete,
};

/* ---- info graphs ------------------------------------------------------------------------------------------ */

static void add_stages(struct rows *out, const struct entry *e, const struct graph *g)
{
	const struct stage *s;

	for (s = stages_of(e); s; s = s->next) {
		if (strcmp(s->graph, g->full))
			continue;
		host->rows.add(out, 0);
		host->rows.str(out, "graph", ROLE_NAME, g->name);
		host->rows.str(out, "stage", ROLE_TEXT, s->name);
		host->rows.str(out, "entry", ROLE_NAME, e->id);
		if (s->copy)
			host->rows.num(out, "nodes", s->copy->n);
		host->rows.flag(out, "part", g->part);
	}
}

/* What a part that is compiled by itself trains. */
static void put_part(struct rows *out, const struct graph *g)
{
	host->rows.flag(out, "part", g->part);
	if (!g->part || !g->copy)
		return;
	host->rows.num(out, "parameters", g->copy->split.parameters);
	host->rows.num(out, "bytes", g->copy->split.bytes);
}

static int fill_graphs(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct selection meant;
	struct entry *e;
	int i;

	(void)s;
	if (select_find(req->words, &meant, err) < 0)
		return -1;
	for (e = model_entries; e; e = e->next)
		for (i = 0; select_has_entry(&meant, e) && i < e->made.ngraphs; i++) {
			host->rows.add(out, 0);
			host->rows.str(out, "graph", ROLE_NAME, e->made.graph[i].name);
			host->rows.str(out, "stage", ROLE_TEXT, "captured");
			host->rows.str(out, "entry", ROLE_NAME, e->id);
			if (e->made.graph[i].nodes >= 0)
				host->rows.num(out, "nodes", e->made.graph[i].nodes);
			put_part(out, &e->made.graph[i]);
			add_stages(out, e, &e->made.graph[i]);
		}
	select_release(&meant);
	return 0;
}

static const struct view_col graphs_cols[] = {
	{ .name = "graph", .help = "the compiled function's name" },
	{ .name = "stage", .help = "captured, joint, forward, backward, inference, post-grad, kernel" },
	{ .name = "entry", .help = "entry that calls it" },
	{ .name = "nodes", .help = "how many nodes it has" },
	{ .name = "parameters", .help = "of a part that is compiled by itself: how many parameters it trains" },
	{ .name = "bytes", .help = "... and their size" },
	{ .name = "part",
	  .help = "it is a part of another graph, as under DistributedDataParallel",
	  .machine_only = true },
	{ .name = NULL },
};

const struct view_ops view_graphs = {
	.name = "graphs",
	.args = "[FUNC|ENTRY]",
	.help = "captured graphs, and what backends made of them",
	.cols = graphs_cols,
	.fill = fill_graphs,
	.none = "no graph was captured",
	.action = row_action_graph,
	.more = graphs_more,
	.complete = select_complete,
};

/* ---- info dynamo ------------------------------------------------------------------------------------------ */

static int fill_dynamo(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	PyObject *version = attrs_get(ATTR_VERSION), *text = version ? PyObject_Str(version) : NULL;
	const char *name, *use, *seen, *state;
	int i;

	(void)s;
	(void)err;
	(void)req;
	PyErr_Clear();
	for (i = 0; text && attrs_row(i, &name, &use, &seen, &state); i++) {
		host->rows.add(out, strcmp(state, "missing") ? 0 : MARK_ERROR);
		host->rows.str(out, "name", ROLE_NAME, name);
		host->rows.str(out, "state", strcmp(state, "missing") ? ROLE_VALUE : ROLE_ERROR,
			       i == ATTR_VERSION ? PyUnicode_AsUTF8(text) : state);
		host->rows.str(out, "seen", ROLE_DIM, seen);
		host->rows.str(out, "for", ROLE_TEXT, use);
	}
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(version);
	return 0;
}

static const struct view_col dynamo_cols[] = {
	{ .name = "name", .help = "an attribute of torch" },
	{ .name = "state", .help = "wrapped, found, missing, not imported, not in this version; torch's version" },
	{ .name = "seen", .help = "versions of torch that are known to have it" },
	{ .name = "for", .help = "what does not work without it" },
	{ .name = NULL },
};

const struct view_ops view_dynamo = {
	.name = "dynamo",
	.help = "the parts of torch that are used, and those that this version lacks",
	.cols = dynamo_cols,
	.fill = fill_dynamo,
	.none = "torch._dynamo is not imported",
};
