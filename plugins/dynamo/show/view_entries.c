/* SPDX-License-Identifier: BSD-3-Clause */
/* View: all entries of Dynamo's cache that were made in this run, with their state. */
#include "code/dynamo_code.h"
#include "code/select.h"
#include "guards/guard_model.h"
#include "guards/guard_why.h"
#include "guards/miss_cause.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/qualname.h"
#include "observe/dynamo_observe.h"
#include "show/dynamo_show.h"
#include "torch/attrs.h"
#include <stdlib.h>
#include <string.h>

/* For programs: what failed in an earlier entry, what made that guard, and what to change. */
static void add_cause_columns(struct rows *out, struct entry *e)
{
	struct miss_cause m = { NULL };
	struct buf people = { 0 };

	miss_cause_of(e, &m);
	source_text_people(m.text, &people);
	host->rows.str(out, "cause", ROLE_TEXT, people.s);
	host->rows.str(out, "remedy", ROLE_TEXT, m.remedy);
	if (m.guard && m.guard->file) {
		host->rows.str(out, "file", ROLE_TEXT, m.guard->file);
		host->rows.num(out, "line", m.guard->line);
	}
	buf_release(&people);
	free(m.text);
}

static void entries_add_row(struct rows *out, struct entry *e)
{
	const char *state = model_state(e);
	char *backend = model_backend_name(e), *reason = strcmp(state, "invalidated") ? NULL : why_gone(e);
	int guards = guards_count(e), order = e->end ? 0 : model_order(e);
	struct buf people = { 0 };

	host->rows.add(out, strcmp(state, "live") ? MARK_DIM : 0);
	host->rows.str(out, "entry", ROLE_NAME, e->id);
	host->rows.str(out, "function", ROLE_NAME, e->func->name);
	host->rows.shown(out, "function", qualname_entry(e));
	if (guards >= 0)
		host->rows.num(out, "guards", guards);
	host->rows.num(out, "graphs", e->made.ngraphs);
	host->rows.num(out, "resumes", e->made.nresumes);
	host->rows.str(out, "state", ROLE_VALUE, state);
	if (lookup_counted())
		host->rows.num(out, "hits", e->made.hits);
	if (order)
		host->rows.num(out, "order", order);
	if (e->made.seconds > 0)
		host->rows.val(out, "seconds", ROLE_NUMBER, val_real(e->made.seconds));
	host->rows.str(out, "backend", ROLE_TEXT, backend);
	host->rows.str(out, "reason", ROLE_DIM, reason ? reason : e->made.why);
	if (reason || e->made.why) {
		source_text_people(reason ? reason : e->made.why, &people);
		host->rows.shown(out, "reason", people.s);
	}
	host->rows.str(out, "qualname", ROLE_NAME, qualname_entry(e));
	if (e->made.why)
		add_cause_columns(out, e);
	buf_release(&people);
	free(reason);
	free(backend);
}

/* Precompiled code is looked up before the entries; Dynamo reports only that it exists. */
static void add_precompiled(struct rows *out, const struct view_req *req, struct func *f)
{
	PyObject *list_of = f->co ? attrs_get(ATTR_PRECOMPILED) : NULL, *list, *manager;
	char name[32];
	Py_ssize_t i;
	int guards;

	list = list_of ? PyObject_CallOneArg(list_of, (PyObject *)f->co) : NULL;
	PyErr_Clear();
	for (i = 0; list && PyList_Check(list) && i < PyList_GET_SIZE(list); i++) {
		if (!host->rows.want(out, req))
			continue;
		manager = attr(PyList_GET_ITEM(list, i), "guard_manager");
		guards = manager ? guards_count_leaves(manager) : -1;
		Py_XDECREF(manager);
		snprintf(name, sizeof(name), "precompiled %zd", i + 1);
		host->rows.add(out, 0);
		host->rows.str(out, "entry", ROLE_NAME, name);
		host->rows.str(out, "function", ROLE_NAME, f->name);
		if (guards >= 0)
			host->rows.num(out, "guards", guards);
		host->rows.str(out, "state", ROLE_VALUE, "precompiled");
	}
	Py_XDECREF(list);
	Py_XDECREF(list_of);
}

static int entries_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct selection meant;
	struct selected_entries picked;
	struct entry *e;
	struct func *f;

	(void)s;
	/* A program that asks passes an existing function: an empty list is a valid answer. */
	if (select_find(req->words, &meant, err) < 0)
		return strncmp(req->words, "code@", 5) ? -1 : 0;
	for (f = model_funcs; f; f = f->next)
		if (f->seen.looked && !f->root && !meant.id && select_has_func(&meant, f))
			add_precompiled(out, req, f);
	for (e = model_entries; e; e = e->next)
		if (select_has_entry(&meant, e) && host->rows.want(out, req))
			entries_add_row(out, e);
	select_release(&meant);
	if (out->total || !*req->words || !strncmp(req->words, "code@", 5))
		return 0;
	return select_entries(req->words, &picked, err); /* says why there are none */
}

static const struct view_col cols[] = {
	{ .name = "entry", .help = "its compile id, unique in a run" },
	{ .name = "function", .help = "the function that was compiled" },
	{ .name = "guards", .help = "leaf guards" },
	{ .name = "graphs", .help = "graphs it calls" },
	{ .name = "resumes", .help = "resume functions it may call" },
	{ .name = "state", .help = "live, invalidated, disabled, edited, precompiled" },
	{ .name = "hits", .local = true, .help = "lookups that used it, since 'set count on'" },
	{ .name = "order", .local = true, .help = "1: it is tried first; null: never" },
	{ .name = "seconds", .help = "time to compile it" },
	{ .name = "backend", .help = "the compiler of its graphs", .drop = 1 },
	{ .name = "reason", .help = "why it was compiled in addition to others, or why it was removed", .wide = true },
	{ .name = "qualname",
	  .help = "the function with its class; of a decorator's wrapper: the wrapped function",
	  .machine_only = true },
	{ .name = "cause",
	  .help = "what failed in an earlier entry, so that this one was compiled",
	  .machine_only = true },
	{ .name = "remedy", .help = "what to change so that it is not compiled again", .machine_only = true },
	{ .name = "file", .help = "the line that made the guard which failed", .machine_only = true },
	{ .name = "line", .help = "its number", .machine_only = true },
	{ .name = NULL },
};

static const char *const more[] = { "entry check {entry}", "entry diff {entry}",    "blame {entry}",
				    "entry run {entry}",   "entry prefer {entry}",  "entry force {entry}",
				    "entry clone {entry}", "entry delete {entry}",  "guard why {entry}",
				    "guard list {entry}",  "guard cost {entry}",    "guard add {entry} ",
				    "graph show {entry}",  "graph compare {entry}", "disassemble {entry}",
				    "decompile {entry}",   "explain {function}",    NULL };

const struct view_ops view_entries = {
	.name = "entries",
	.args = "[FUNC|ENTRY]",
	.help = "entries of Dynamo's cache, all that were made in this run",
	.cols = cols,
	.fill = entries_fill,
	.none = "nothing is compiled",
	.action = row_action_entries,
	.more = more,
	.complete = select_complete,
};
