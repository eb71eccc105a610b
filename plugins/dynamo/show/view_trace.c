/* SPDX-License-Identifier: BSD-3-Clause */
/* View: Dynamo's symbolic run of a function, instruction by instruction. */
#include "code/select.h"
#include "model/func.h"
#include "observe/compile_trace.h"
#include "show/dynamo_show.h"
#include "show/view_guards.h"
#include <string.h>

static const struct trace *trace_of(const char *words)
{
	const struct trace *t, *found = NULL;
	struct selection meant;
	struct err err;
	bool known;

	for (t = compile_traces; t; t = t->next)
		if (!*words || !strcmp(t->id, words))
			return t;
	known = compile_traces && select_find(words, &meant, &err) == 0;
	for (t = known ? compile_traces : NULL; t; t = t->next)
		/* A function's own, before those of its resume functions. */
		if (select_has_func(&meant, t->func) && (!found || (found->func->root && !t->func->root)))
			found = t;
	if (known)
		select_release(&meant);
	return found;
}

static int trace_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	const struct trace *t = trace_of(req->words);
	const struct step *p;

	(void)s;
	if (!t && *req->words)
		return err_set(err,
			       "no symbolic run of '%s' is recorded: 'set trace-compile on' before it is "
			       "compiled",
			       req->words);
	if (t)
		host->rows.title(out, "symbolic run of %s for %s: attempt %d, %zu instructions%s%s", t->func->name,
				 t->id, t->attempts, t->n, t->reason ? "; it breaks: " : "",
				 t->reason ? t->reason : "");
	for (p = t ? t->step : NULL; p && p < t->step + t->n; p++) {
		if (!host->rows.want(out, req))
			continue;
		host->rows.add(out, 0);
		host->rows.num(out, "step", p - t->step);
		host->rows.str(out, "function", ROLE_NAME, p->function);
		host->rows.num(out, "line", p->line);
		host->rows.num(out, "offset", p->offset);
		host->rows.str(out, "opname", ROLE_OPCODE, p->op);
		host->rows.str(out, "arg", ROLE_TEXT, p->arg);
		host->rows.str(out, "nodes", ROLE_NAME, p->nodes);
		host->rows.str(out, "stack", ROLE_VALUE, p->stack);
		host->rows.num(out, "depth", p->depth);
		host->rows.str(out, "file", ROLE_TEXT, p->file);
		host->rows.str(out, "entry", ROLE_NAME, t->id);
		host->rows.num(out, "attempt", t->attempts);
	}
	return 0;
}

static void trace_text(struct session *s, const struct rows *r, struct buf *out)
{
	const struct trace *t = r->n ? trace_of(guards_cell(r, 0, "entry")) : NULL;
	const char *function = "", *nodes;
	size_t i;

	(void)s;
	if (t)
		buf_addf(out, "symbolic run of %s for %s, attempt %d: %zu instructions%s%s\n", t->func->name, t->id,
			 t->attempts, t->n, t->reason ? "; it breaks: " : "", t->reason ? t->reason : "");
	for (i = 0; i < r->n; i++) {
		if (guards_number(r, i, "depth") && strcmp(function, guards_cell(r, i, "function")))
			buf_addf(out, "%*sin %s\n", 2 * (int)guards_number(r, i, "depth"), "",
				 guards_cell(r, i, "function"));
		function = guards_cell(r, i, "function");
		buf_addf(out, "%*s%4lld  line %-4lld %s %s  [", 2 * (int)guards_number(r, i, "depth"), "",
			 guards_number(r, i, "step"), guards_number(r, i, "line"), guards_cell(r, i, "opname"),
			 guards_cell(r, i, "arg"));
		host->rows.cut(out, guards_cell(r, i, "stack"), 120);
		nodes = guards_cell(r, i, "nodes");
		buf_addf(out, "]%s%s\n", *nodes ? "  makes " : "", nodes);
	}
}

static const struct view_col cols[] = {
	{ .name = "step", .help = "counted from the function's first instruction" },
	{ .name = "function", .help = "code that has the instruction: the function, or one inlined into it" },
	{ .name = "line", .help = "its line" },
	{ .name = "offset", .help = "in that function's code as Dynamo sees it" },
	{ .name = "opname", .help = "what Dynamo's translator did" },
	{ .name = "arg", .help = "the operands" },
	{ .name = "nodes", .help = "the graph nodes that it made" },
	{ .name = "stack", .help = "the symbolic stack before it, bottom first", .wide = true },
	{ .name = "depth", .help = "0: the function's own; how deep it is inlined", .machine_only = true },
	{ .name = "file", .help = "the function's file", .machine_only = true },
	{ .name = "entry", .help = "what was compiled", .machine_only = true },
	{ .name = "attempt", .help = "1, or more if Dynamo restarted", .machine_only = true },
	{ .name = NULL },
};

const struct view_ops view_trace = {
	.name = "trace",
	.args = "[FUNC|ENTRY]",
	.help = "Dynamo's symbolic run of the last compile, by instruction",
	.cols = cols,
	.fill = trace_fill,
	.text = trace_text,
	.none = "no symbolic run is recorded: 'set trace-compile on' before a function is compiled",
	.complete = select_complete,
};
