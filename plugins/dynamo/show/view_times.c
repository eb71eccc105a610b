/* SPDX-License-Identifier: BSD-3-Clause */
/* View: where the time of compiles went, by phase, or by line, module and operator. */
#include "code/select.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/qualname.h"
#include "model/source_line.h"
#include "model/timing.h"
#include "show/dynamo_show.h"
#include "show/view_guards.h"
#include "torch/attrs.h"
#include "torch/cdbg_host.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* Costs of compiles added up by line, by module and by operator, with the nodes of the graphs. */

struct timing;

struct line_sum {
	const char *name, *file; /* the model's texts: of a module or an operator its name, of a line its file */
	int line;
	double trace, lowering; /* seconds */
	long starts, nodes, lowered;
};

/* Owned arrays, the slowest first. */
struct line_sums {
	struct line_sum *line, *module, *op;
	size_t nlines, nmodules, nops, lines_cap, modules_cap, ops_cap;
};

/* The row with this name (a module, an operator) or this file and line; texts of the model have one address each. */
static struct line_sum *sum_of(struct line_sum **list, size_t *n, size_t *cap, const char *name, const char *file,
			       int line)
{
	struct line_sum *s;

	for (s = *list; s && s < *list + *n; s++)
		if (s->name == name && s->file == file && s->line == line)
			return s;
	*list = mem_grow(*list, cap, *n + 1, sizeof(**list));
	s = &(*list)[(*n)++];
	memset(s, 0, sizeof(*s));
	s->name = name;
	s->file = file;
	s->line = line;
	return s;
}

static struct line_sum *of_line(struct line_sums *s, const char *file, int line)
{
	return sum_of(&s->line, &s->nlines, &s->lines_cap, NULL, file, line);
}

static struct line_sum *of_module(struct line_sums *s, const char *name)
{
	return sum_of(&s->module, &s->nmodules, &s->modules_cap, name, NULL, 0);
}

static struct line_sum *of_operator(struct line_sums *s, const char *target)
{
	return sum_of(&s->op, &s->nops, &s->ops_cap, target, NULL, 0);
}

static void add_cost(struct line_sum *s, const struct line_cost *c)
{
	s->trace += c->trace;
	s->lowering += c->lowering;
	s->starts += c->starts;
	s->lowered += c->lowered;
}

static void add_nodes(struct line_sums *s, const struct nodes *g)
{
	const struct source_line *line;
	const struct node *n;

	for (n = g->node; n < g->node + g->n; n++) {
		if (!py_text_begins_with(n->op, "call_"))
			continue;
		line = graphs_line(g, n);
		if (line)
			of_line(s, line->file, line->line)->nodes++;
		if (n->module)
			of_module(s, n->module)->nodes++;
		of_operator(s, n->target)->nodes++;
	}
}

static void line_sums_add(struct line_sums *s, const struct timing *t)
{
	const struct entry *e = t->backward ? NULL : t->entry;
	struct line_sum *op;
	size_t i;
	int k;

	for (i = 0; i < t->lines.n; i++) {
		add_cost(of_line(s, t->lines.line[i].file, t->lines.line[i].line), &t->lines.line[i]);
		if (t->lines.line[i].module)
			add_cost(of_module(s, t->lines.line[i].module), &t->lines.line[i]);
	}
	for (i = 0; i < t->ops.n; i++) {
		op = of_operator(s, t->ops.op[i].target);
		op->trace += t->ops.op[i].fake;
		op->lowering += t->ops.op[i].lowering;
		op->lowered += t->ops.op[i].lowered;
	}
	for (k = 0; e && k < e->made.ngraphs; k++)
		if (e->made.graph[k].copy && !e->made.graph[k].part)
			add_nodes(s, e->made.graph[k].copy);
}

static int slower(const void *a, const void *b)
{
	const struct line_sum *x = a, *y = b;
	double of_x = x->trace + x->lowering, of_y = y->trace + y->lowering;

	return of_x < of_y ? 1 : of_x > of_y ? -1 : x->nodes < y->nodes ? 1 : x->nodes > y->nodes ? -1 : 0;
}

static void sort(struct line_sum *list, size_t n)
{
	if (n)
		qsort(list, n, sizeof(*list), slower);
}

static void line_sums_sort(struct line_sums *s)
{
	sort(s->line, s->nlines);
	sort(s->module, s->nmodules);
	sort(s->op, s->nops);
}

static void line_sums_release(struct line_sums *s)
{
	free(s->line);
	free(s->module);
	free(s->op);
	memset(s, 0, sizeof(*s));
}

enum { SLOWEST = 10 };

/* What the words ask for. */
struct asked {
	bool lines, all; /* -lines; -a: not only the slowest */
	const char *words;
	struct selection meant;
};

static int asked_parse(const char *words, struct asked *out, struct err *err)
{
	const struct timing *t;

	memset(out, 0, sizeof(*out));
	while (select_option(&words, "-lines") ? (out->lines = true) :
	       select_option_all(&words)       ? (out->all = true) :
						 false)
		;
	out->words = words;
	for (t = model_timings; t && *words; t = t->next)
		if (!t->entry && t->id && !strcmp(t->id, words)) /* of compiled autograd, or what gave no entry */
			return 0;
	return select_find(words, &out->meant, err);
}

static bool is_asked(const struct asked *a, const struct timing *t)
{
	if (*a->words && t->id && !strcmp(t->id, a->words))
		return true;
	if (!*a->words)
		return true;
	if (t->entry)
		return select_has_entry(&a->meant, t->entry);
	return t->func && !a->meant.id && a->meant.nfuncs && select_has_func(&a->meant, t->func);
}

static const char *function_of(const struct timing *t)
{
	return t->entry		      ? qualname_entry(t->entry) :
	       t->func		      ? qualname_func(t->func) :
	       t->id && *t->id == '!' ? "(compiled autograd)" :
					NULL;
}

static struct val *seconds(double s)
{
	return val_real((double)(long long)(s * 1e6 + 0.5) / 1e6);
}

static double total_of(const struct span *s)
{
	const struct span *in;
	double sum = 0;

	for (in = s->first; in; in = in->next)
		sum += in->total;
	return sum;
}

static void tell_cache(struct buf *out, const char *name, const struct cache_use *use)
{
	const long n[] = { use->hits, use->misses, use->bypasses };
	static const char *const one[] = { "hit", "miss", "bypass" }, *const many[] = { "hits", "misses", "bypasses" };
	bool first = true;
	int i;

	for (i = 0; i < 3; i++) {
		if (!n[i])
			continue;
		buf_addf(out, "%s%ld %s", !first ? ", " : "", n[i], n[i] == 1 ? one[i] : many[i]);
		if (first)
			buf_addf(out, " of %s's", name);
		first = false;
	}
}

static void tell_caches(const struct timing *t, struct buf *out)
{
	tell_cache(out, "AOTAutograd", &t->cache[CACHE_AOT]);
	if (out->len &&
	    (t->cache[CACHE_INDUCTOR].hits || t->cache[CACHE_INDUCTOR].misses || t->cache[CACHE_INDUCTOR].bypasses))
		buf_adds(out, "; ");
	tell_cache(out, "inductor", &t->cache[CACHE_INDUCTOR]);
}

static const char *pass_of(const struct timing *t)
{
	return t->backward ? "backward" : "forward";
}

static void add_timing(struct rows *out, const struct timing *t)
{
	double phases[PHASE_COUNT], beside = total_of(&t->beside);
	struct buf caches = { 0 };
	int i;

	host->rows.add(out, t->entry || !t->func ? 0 : MARK_DIM);
	host->rows.str(out, "kind", ROLE_DIM, "phases");
	host->rows.str(out, "entry", ROLE_NAME, t->id);
	host->rows.str(out, "function", ROLE_NAME, function_of(t));
	host->rows.str(out, "pass", ROLE_TEXT, pass_of(t));
	host->rows.flag(out, "made", t->entry != NULL);
	host->rows.flag(out, "running", t->threads.running);
	host->rows.val(out, "seconds", ROLE_NUMBER, seconds(t->wall));
	timing_phases(t, phases);
	for (i = 0; i < PHASE_COUNT; i++)
		host->rows.val(out, phase_info[i].key, ROLE_NUMBER, seconds(phases[i]));
	if (t->threads.n) {
		host->rows.val(out, "beside", ROLE_NUMBER, seconds(beside));
		host->rows.num(out, "threads", t->threads.n);
	}
	tell_caches(t, &caches);
	host->rows.str(out, "caches", ROLE_TEXT, caches.len ? caches.s : NULL);
	host->rows.str(out, "restarts", ROLE_TEXT, t->attempts.restarts);
	host->rows.str(out, "misses", ROLE_TEXT, t->attempts.misses);
	buf_release(&caches);
}

static void add_spans(struct rows *out, const struct timing *t, const struct span *of, int depth, bool beside,
		      bool discarded)
{
	const struct span *s;

	for (s = of->first; s; s = s->next) {
		host->rows.add(out, 0);
		host->rows.str(out, "kind", ROLE_DIM, "event");
		host->rows.str(out, "entry", ROLE_NAME, t->id);
		host->rows.str(out, "pass", ROLE_TEXT, pass_of(t));
		host->rows.str(out, "name", ROLE_NAME, s->name);
		host->rows.num(out, "depth", depth);
		host->rows.val(out, "seconds", ROLE_NUMBER, seconds(s->total));
		host->rows.val(out, "self", ROLE_NUMBER, seconds(s->self));
		host->rows.num(out, "calls", s->calls);
		host->rows.str(out, "phase", ROLE_TEXT,
			       phase_info[discarded || s->discarded ? PHASE_DISCARDED : phase_of(s->name)].key);
		host->rows.flag(out, "other_thread", beside);
		add_spans(out, t, s, depth + 1, beside, discarded || s->discarded);
	}
}

static void add_sums(struct rows *out, const char *kind, const struct line_sum *list, size_t n, bool all)
{
	const struct line_sum *s;

	for (s = list; n && s < list + n && (all || s < list + SLOWEST); s++) {
		host->rows.add(out, 0);
		host->rows.str(out, "kind", ROLE_DIM, kind);
		host->rows.str(out, "name", ROLE_NAME, s->name);
		host->rows.str(out, "file", ROLE_TEXT, s->file);
		if (s->file)
			host->rows.num(out, "line", s->line);
		host->rows.val(out, "seconds", ROLE_NUMBER, seconds(s->trace + s->lowering));
		host->rows.val(out, "trace", ROLE_NUMBER, seconds(s->trace));
		host->rows.val(out, "lowering", ROLE_NUMBER, seconds(s->lowering));
		host->rows.num(out, "starts", s->starts);
		host->rows.num(out, "nodes", s->nodes);
		host->rows.num(out, "lowered", s->lowered);
	}
}

static int times_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	const struct timing *t;
	struct line_sums sums = { 0 };
	struct asked a;

	(void)s;
	if (asked_parse(req->words, &a, err) < 0)
		return -1;
	for (t = model_timings; t; t = t->next) {
		if (!is_asked(&a, t))
			continue;
		if (a.lines) {
			line_sums_add(&sums, t);
			continue;
		}
		add_timing(out, t);
		if (*a.words) {
			add_spans(out, t, &t->root, 0, false, false);
			add_spans(out, t, &t->beside, 0, true, false);
		}
	}
	line_sums_sort(&sums);
	add_sums(out, "line", sums.line, sums.nlines, a.all);
	add_sums(out, "module", sums.module, sums.nmodules, a.all);
	add_sums(out, "operator", sums.op, sums.nops, a.all);
	line_sums_release(&sums);
	select_release(&a.meant);
	return 0;
}

/* ---- as people read it ------------------------------------------------------------------------------------- */

static double number(const struct rows *r, size_t row, const char *col)
{
	const struct val *v = host->rows.cell(r, row, col);

	return v && v->type == VAL_REAL ? v->u.r : v && v->type == VAL_INT ? (double)v->u.i : 0;
}

static bool is_kind(const struct rows *r, size_t row, const char *kind)
{
	return !strcmp(guards_cell(r, row, "kind"), kind);
}

/* Phases that took time in some row. */
static void phases_seen(const struct rows *r, bool seen[PHASE_COUNT])
{
	size_t i;
	int p;

	for (p = 0; p < PHASE_COUNT; p++) {
		seen[p] = false;
		for (i = 0; i < r->n && !seen[p]; i++)
			seen[p] = is_kind(r, i, "phases") && number(r, i, phase_info[p].key) >= 0.0005;
	}
}

static void add_table_row(const struct rows *r, size_t i, const bool seen[PHASE_COUNT], int name, struct buf *out)
{
	const char *entry = guards_cell(r, i, "entry");
	size_t from = out->len;
	double s;
	int p;

	buf_addf(out, "%-6s ", *entry ? entry : "-");
	host->rows.cut(out, guards_cell(r, i, "function"), (size_t)name);
	buf_pad(out, (size_t)name + 9, from);
	buf_addf(out, "%-8s %8.3f", guards_cell(r, i, "pass"), number(r, i, "seconds"));
	for (p = 0; p < PHASE_COUNT; p++) {
		if (!seen[p])
			continue;
		s = number(r, i, phase_info[p].key);
		if (s >= 0.0005)
			buf_addf(out, "  %*.3f",
				 (int)strlen(phase_info[p].title) > 6 ? (int)strlen(phase_info[p].title) : 6, s);
		else
			buf_addf(out, "  %*s",
				 (int)strlen(phase_info[p].title) > 6 ? (int)strlen(phase_info[p].title) : 6, "");
	}
	while (out->len > from && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
	buf_addc(out, '\n');
}

/* "2 restarts: reason; other reason": each reason once. */
static void tell_restarts(const char *text, struct buf *out)
{
	const char *p, *q, *end;
	size_t from;
	long n = 1;

	for (p = text; (p = strchr(p, '\n')); p++)
		n++;
	buf_addf(out, "%ld restart%s: ", n, n == 1 ? "" : "s");
	from = out->len;
	for (p = text; *p; p = *end ? end + 1 : end) {
		end = p + strcspn(p, "\n");
		for (q = text; q < p && strncmp(q, p, (size_t)(end - p)); q += strcspn(q, "\n") + 1)
			;
		if (q >= p)
			buf_addf(out, "%s%.*s", out->len > from ? "; " : "", (int)(end - p), p);
	}
}

static void add_notes(const struct rows *r, size_t i, struct buf *out)
{
	const char *entry = guards_cell(r, i, "entry"), *restarts = guards_cell(r, i, "restarts"),
		   *caches = guards_cell(r, i, "caches"), *misses = guards_cell(r, i, "misses");

	if (*restarts) {
		buf_addf(out, "%s %s: ", entry, guards_cell(r, i, "pass"));
		tell_restarts(restarts, out);
		buf_adds(out, "\n");
	}
	for (; *misses; misses += strcspn(misses, "\n") + (misses[strcspn(misses, "\n")] == '\n'))
		buf_addf(out, "%s: compiled autograd: %.*s\n", entry, (int)strcspn(misses, "\n"), misses);
	if (*caches)
		buf_addf(out, "%s %s: caches: %s\n", entry, guards_cell(r, i, "pass"), caches);
	if (number(r, i, "threads") > 0)
		buf_addf(out, "%s %s: in %.0f other thread%s meanwhile: %.3f s, in no total\n", entry,
			 guards_cell(r, i, "pass"), number(r, i, "threads"), number(r, i, "threads") > 1 ? "s" : "",
			 number(r, i, "beside"));
	if (guards_is(r, i, "made", false) && *entry != '!' && *guards_cell(r, i, "function"))
		buf_addf(out, "%s: this compile %s\n", entry,
			 guards_is(r, i, "running", true) ? "goes on" : "gave no entry");
}

/* What this version of torch does not tell. */
static void add_missing(struct buf *out)
{
	const struct timing *t;
	bool own = false;

	for (t = model_timings; t; t = t->next)
		own = own || t->attempts.timed;
	if (!attrs_have(ATTR_EVENT_START))
		buf_adds(out, "not on this torch: its phases; cdbg times trace and guards itself\n");
	else if (own)
		buf_adds(out,
			 "not on this torch: events of trace and guards, which cdbg times itself; the joint graph, "
			 "which is part of AOT\n");
}

static void add_table(const struct rows *r, struct buf *out)
{
	bool seen[PHASE_COUNT];
	size_t i, n = 0, from = out->len;
	double sum = 0;
	int p, name = 8;

	phases_seen(r, seen);
	for (i = 0; i < r->n; i++)
		if ((int)text_width(guards_cell(r, i, "function")) > name)
			name = (int)text_width(guards_cell(r, i, "function"));
	name = name > 30 ? 30 : name;
	buf_adds(out, "entry  function");
	buf_pad(out, (size_t)name + 9, from);
	buf_addf(out, "%-8s %8s", "pass", "seconds");
	for (p = 0; p < PHASE_COUNT; p++)
		if (seen[p])
			buf_addf(out, "  %6s", phase_info[p].title);
	buf_addc(out, '\n');
	for (i = 0; i < r->n; i++) {
		if (!is_kind(r, i, "phases"))
			continue;
		add_table_row(r, i, seen, name, out);
		sum += number(r, i, "seconds");
		n++;
	}
	from = out->len;
	if (n > 1) {
		buf_adds(out, "all");
		buf_pad(out, (size_t)name + 18, from);
		buf_addf(out, "%8.3f\n", sum);
	}
}

/* One entry: its phases, each with its events. */
static void add_phase_list(const struct rows *r, size_t i, struct buf *out)
{
	double all = number(r, i, "seconds"), s;
	int p;

	buf_addf(out, "%s %s, %s: %.3f s\n", guards_cell(r, i, "entry"), guards_cell(r, i, "function"),
		 guards_cell(r, i, "pass"), all);
	for (p = 0; p < PHASE_COUNT; p++) {
		s = number(r, i, phase_info[p].key);
		if (s >= 0.0005)
			buf_addf(out, "  %-11s %8.3f  %3.0f%%  %s\n", phase_info[p].title, s,
				 all > 0 ? 100 * s / all : 0, phase_info[p].help);
	}
}

static void add_event(const struct rows *r, size_t i, struct buf *out)
{
	int depth = (int)number(r, i, "depth");

	buf_addf(out, "  %8.3f %8.3f %6.0f  %*s%s%s\n", number(r, i, "seconds"), number(r, i, "self"),
		 number(r, i, "calls"), 2 * (depth < 20 ? depth : 20), "", guards_cell(r, i, "name"),
		 guards_is(r, i, "other_thread", true) ? " (other threads)" : "");
}

static void add_entries(const struct rows *r, struct buf *out)
{
	bool head = false;
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (is_kind(r, i, "phases")) {
			add_phase_list(r, i, out);
			add_notes(r, i, out);
			head = true;
		} else if (number(r, i, "seconds") >= 0.0005) {
			if (head)
				buf_addf(out, "  %8s %8s %6s  %s\n", "seconds", "self", "calls", "torch's event");
			head = false;
			add_event(r, i, out);
		}
	}
}

static void add_lines(const struct rows *r, struct buf *out)
{
	static const char *const title[][2] = { { "line", "line" },
						{ "module", "module" },
						{ "operator", "operator" } };
	const char *kind = "", *name;
	size_t i, k;

	for (i = 0; i < r->n; i++) {
		if (strcmp(kind, guards_cell(r, i, "kind"))) {
			kind = guards_cell(r, i, "kind");
			for (k = 0; k < 3 && strcmp(title[k][0], kind); k++)
				;
			buf_addf(out, "%8s %8s %8s %6s %7s  %s\n", "seconds", "trace", "lowering", "nodes", "lowered",
				 kind);
		}
		buf_addf(out, "%8.3f %8.3f %8.3f %6.0f %7.0f  ", number(r, i, "seconds"), number(r, i, "trace"),
			 number(r, i, "lowering"), number(r, i, "nodes"), number(r, i, "lowered"));
		name = guards_cell(r, i, "name");
		if (*name)
			buf_addf(out, "%s\n", name);
		else
			buf_addf(out, "%s:%.0f\n", py_text_file_name(guards_cell(r, i, "file")), number(r, i, "line"));
	}
}

static void times_text(struct session *s, const struct rows *r, struct buf *out)
{
	bool events = false, phases = false;
	size_t i;

	(void)s;
	for (i = 0; i < r->n; i++) {
		events = events || is_kind(r, i, "event");
		phases = phases || is_kind(r, i, "phases");
	}
	if (events) {
		add_entries(r, out);
	} else if (phases) {
		add_table(r, out);
		for (i = 0; i < r->n; i++)
			add_notes(r, i, out);
	} else if (r->n) {
		add_lines(r, out);
	}
	if (phases)
		add_missing(out);
}

static const struct view_col cols[] = {
	{ .name = "entry", .help = "the entry, or torch's id of a compile that gave none" },
	{ .name = "function", .help = "the function that was compiled" },
	{ .name = "pass", .help = "forward: the compile itself; backward: of the gradient's graph, later" },
	{ .name = "kind",
	  .help = "phases: of one compile; event: one of torch's within it; line, module, operator",
	  .machine_only = true },
	{ .name = "name", .help = "of an event, a module or an operator" },
	{ .name = "file", .help = "of a line", .machine_only = true },
	{ .name = "line", .help = "its number" },
	{ .name = "seconds", .help = "all of it, without time in stops" },
	{ .name = "trace",
	  .help = "Dynamo's symbolic run, and the code that it generates; of an operator: its fake tensors" },
	{ .name = "discarded", .help = "attempts whose results a restart threw away" },
	{ .name = "guards", .help = "guards are built" },
	{ .name = "backend", .help = "in the backend, outside of the phases that torch times" },
	{ .name = "aot", .help = "AOTAutograd, without the joint graph" },
	{ .name = "joint", .help = "the joint graph is traced, changed by passes and partitioned" },
	{ .name = "lowering", .help = "inductor's passes, and lowering" },
	{ .name = "scheduling", .help = "inductor's scheduler fuses kernels" },
	{ .name = "code", .help = "inductor writes kernels and the code that calls them" },
	{ .name = "compile", .help = "kernels are compiled, or waited for" },
	{ .name = "autotune", .help = "kernels are measured, also at run time" },
	{ .name = "load", .help = "compiled code is loaded" },
	{ .name = "cache", .help = "keys of torch's caches are computed" },
	{ .name = "import", .help = "the backend is imported" },
	{ .name = "gc", .help = "torch collects garbage after a compile" },
	{ .name = "other", .help = "the rest" },
	{ .name = "beside", .help = "seconds in other threads meanwhile, in no total", .machine_only = true },
	{ .name = "threads", .help = "how many such threads", .machine_only = true },
	{ .name = "caches", .help = "hits and misses of torch's caches", .machine_only = true },
	{ .name = "restarts",
	  .help = "torch's reasons for attempts that were thrown away, a line each",
	  .machine_only = true },
	{ .name = "misses",
	  .help = "why compiled autograd captured again, in torch's words, a line each",
	  .machine_only = true },
	{ .name = "made", .help = "the compile gave an entry", .machine_only = true },
	{ .name = "running", .help = "it goes on now", .machine_only = true },
	{ .name = "phase", .help = "of an event", .machine_only = true },
	{ .name = "depth", .help = "of an event: how many are around it", .machine_only = true },
	{ .name = "self", .help = "its seconds without those of events within it", .machine_only = true },
	{ .name = "calls", .help = "how often it came", .machine_only = true },
	{ .name = "other_thread", .help = "the event was in another thread", .machine_only = true },
	{ .name = "starts", .help = "how often Dynamo began the line", .machine_only = true },
	{ .name = "nodes", .help = "nodes of the captured graphs" },
	{ .name = "lowered", .help = "nodes that inductor lowered" },
	{ .name = NULL },
};

static void times_complete(struct session *s, const char *words, const char *word, struct val *list)
{
	if (*word == '-') {
		val_push(list, val_str("-lines\tby line, module and operator"));
		val_push(list, val_str("-a\twith -lines: all, not only the ten slowest"));
	}
	while (select_option(&words, "-lines") || select_option_all(&words))
		;
	select_complete(s, words, word, list);
}

static const char *const more[] = { "info compile-time {entry}", "info compile-time -lines {entry}",
				    "break {file}:{line}", NULL };

const struct view_ops view_times = {
	.name = "compile-time",
	.args = "[-lines [-a]] [ENTRY|FUNC]",
	.help = "where the time of compiles went: phases, or lines, modules and operators",
	.cols = cols,
	.fill = times_fill,
	.text = times_text,
	.none = "nothing was compiled since cdbg was loaded",
	.more = more,
	.complete = times_complete,
};
