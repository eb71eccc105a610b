/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report says, as one data tree: see data.h. */
#include "code/line_marks.h"
#include "code/select.h"
#include "guards/unguarded.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/reads.h"
#include "model/stages.h"
#include "model/timing.h"
#include "model/wrapper_text.h"
#include "report/data.h"
#include "report/report.h"
#include "show/dynamo_show.h"
#include "show/view_guards.h"
#include "torch/attrs.h"
#include "torch/cdbg_host.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Why earlier entries did not fit the call for which one was compiled, and what to change.  Made from what was kept at
   the recompile. */

/* The columns of the view 'why' that a failing guard has. */
static const char *const columns[] = { "guard",	   "text", "expected", "live",	 "line",
				       "function", "file", "kind",     "source", "remedy" };

/* How many guards the entries with the fewest failing guards have; 0: none fails. */
static size_t fewest(const struct val *entries)
{
	size_t i, n, least = 0;

	for (i = 0; i < entries->u.list.n; i++) {
		n = (size_t)val_number(entries->u.list.item[i], "failed", 0);
		if (n && (!least || n < least))
			least = n;
	}
	return least;
}

static void put_known(struct val *row, const struct val *from, const char *key)
{
	const struct val *v = val_get(from, key);

	if (v && v->type != VAL_NULL)
		val_put(row, key, val_copy(v));
}

static struct val *why_row(struct val *list, const struct val *e)
{
	struct val *row = val_push(list, val_map());

	put_known(row, e, "entry");
	put_known(row, e, "reason");
	return row;
}

/* Writes why earlier entries did not fit, as rows of the view 'why': a failing guard each, or an entry without one.
   Nothing unless it was asked at the recompile (report-keep, catch recompile). */
static void data_why(struct val *map, const struct entry *of)
{
	const struct val *entries = data_list(of->made.missed, "entries"), *e, *failing;
	size_t least = fewest(entries), i, k, c;
	struct val *list, *row;

	if (!entries->u.list.n)
		return;
	list = val_put(map, "why", val_list());
	for (i = 0; i < entries->u.list.n; i++) {
		e = entries->u.list.item[i];
		failing = data_list(e, "failing");
		for (k = 0; k < failing->u.list.n; k++) {
			row = why_row(list, e);
			for (c = 0; c < sizeof(columns) / sizeof(*columns); c++)
				put_known(row, failing->u.list.item[k], columns[c]);
			put_known(row, e, "failed");
			val_put(row, "nearest", val_bool((size_t)val_number(e, "failed", 0) == least));
		}
		if (failing->u.list.n)
			continue;
		row = why_row(list, e);
		val_put(row, "text", val_str(val_text(e, "reason")));
		put_known(row, e, "remedy");
		val_put(row, "nearest", val_bool(false));
	}
}

/* Where the time of a compile went, as data of a report: its phases, and the lines that took it. */

enum { MOST_LINES = 300 };
#define LEAST 1e-4 /* seconds of a line */

static struct val *rounded(double s)
{
	return val_real((double)(long long)(s * 1e6 + 0.5) / 1e6);
}

static double taken(const struct line_cost *c)
{
	return c->trace + c->lowering;
}

static int slower(const void *a, const void *b)
{
	const double x = taken(*(const struct line_cost *const *)a), y = taken(*(const struct line_cost *const *)b);

	return (x < y) - (x > y);
}

static void put_lines(struct val *list, const struct timing *t)
{
	const struct line_cost **line = mem_alloc((t->lines.n + 1) * sizeof(*line));
	struct val *row;
	size_t i, n = 0;

	for (i = 0; i < t->lines.n; i++)
		if (taken(&t->lines.line[i]) >= LEAST)
			line[n++] = &t->lines.line[i];
	qsort(line, n, sizeof(*line), slower);
	for (i = 0; i < n && i < MOST_LINES; i++) {
		row = val_push(list, val_map());
		val_put(row, "file", val_str(line[i]->file));
		val_put(row, "line", val_int(line[i]->line));
		if (line[i]->module)
			val_put(row, "module", val_str(line[i]->module));
		val_put(row, "trace", rounded(line[i]->trace));
		val_put(row, "lowering", rounded(line[i]->lowering));
	}
	free(line);
}

/* Where the time of a compile went; owned by the caller. */
static struct val *data_timing(const struct timing *t)
{
	struct val *map = val_map(), *list, *row;
	double phases[PHASE_COUNT];
	int p;

	val_put(map, "entry", val_str(t->id ? t->id : ""));
	val_put(map, "pass", val_str(t->backward ? "backward" : "forward"));
	val_put(map, "seconds", rounded(t->wall));
	timing_phases(t, phases);
	list = val_put(map, "phases", val_list());
	for (p = 0; p < PHASE_COUNT; p++) {
		if (phases[p] < 1e-6)
			continue;
		row = val_push(list, val_map());
		val_put(row, "phase", val_str(phase_info[p].key));
		val_put(row, "title", val_str(phase_info[p].title));
		val_put(row, "seconds", rounded(phases[p]));
	}
	put_lines(val_put(map, "lines", val_list()), t);
	return map;
}

/* The kernels that inductor's code defines and calls, as data for a report. */

struct wrapper_text;

static void put_piece(struct val *map, const char *key, struct piece p)
{
	char *text = mem_strn(p.s, p.n);

	val_put(map, key, val_str(text));
	free(text);
}

static struct val *kernel_add(struct val *list, struct piece name, const char *language, struct piece nodes)
{
	struct val *k = val_push(list, val_map()), *names = val_list();
	const char *s, *end = nodes.s + nodes.n;
	size_t n;

	for (s = nodes.s; s < end; s += n) {
		s += strspn(s, ", ");
		n = strcspn(s, ",]");
		if (n)
			val_pushf(names, "%.*s", (int)n, s);
	}
	put_piece(k, "kernel", name);
	val_put(k, "language", val_str(language));
	val_put(k, "nodes", names);
	return k;
}

/* A list of maps, "kernel", "nodes" (a list of names), "language", "source"; owned by the caller. */
static struct val *kernels_of(const struct wrapper_text *w)
{
	struct val *list = val_list(), *k;
	int i;

	for (i = 0; i < w->nkernels; i++) {
		k = kernel_add(list, w->kernel[i].name, w->kernel[i].language, w->kernel[i].nodes);
		if (w->kernel[i].source.n)
			put_piece(k, "source", w->kernel[i].source);
	}
	for (i = 0; i < w->nstatements; i++)
		if (w->statement[i].called.n > 15 && !strncmp(w->statement[i].called.s, "extern_kernels.", 15))
			kernel_add(list, w->statement[i].called, "library", w->statement[i].nodes);
	return list;
}

/* The selection, and all rows of the views that list everything, requested once. */
struct tables {
	const struct selection *meant;
	int nmeant;
	struct val *functions, *entries, *breaks, *resumes, *overrides, *effects; /* owned */
};

/* Move what a map holds into another one. */
static void merge(struct val *into, const struct val *from)
{
	size_t i;

	for (i = 0; from && i < from->u.list.n; i++)
		if (strcmp(from->u.list.key[i], "cost")) /* put_costs() has it */
			val_put(into, from->u.list.key[i], val_copy(from->u.list.item[i]));
}

/* Copies of the rows whose column has this text. */
static struct val *where(const struct val *rows, const char *column, const char *text)
{
	struct val *list = val_list();
	size_t i;

	for (i = 0; i < rows->u.list.n; i++)
		if (!strcmp(val_text(rows->u.list.item[i], column), text))
			val_push(list, val_copy(rows->u.list.item[i]));
	return list;
}

/* ---- graphs -------------------------------------------------------------------------------------------- */

static struct val *stage_data(const struct entry *e, const struct graph *g, const char *name, const struct nodes *nodes,
			      const struct stage *s)
{
	struct val *map = val_map();
	struct buf code = { 0 };
	char *words = mem_fmt("%s%s%s", g->name, strcmp(name, "captured") ? " " : "",
			      strcmp(name, "captured") ? name : ""),
	     *title;

	(void)e;
	val_put(map, "stage", val_str(name));
	if (nodes) {
		title = mem_fmt("%s%s%s", g->name, strchr(words, ' ') ? "_" : "", strchr(words, ' ') ? name : "");
		draw_code(nodes, title, &code);
		val_put(map, "nodes", data_rows(&view_graph, words));
		val_put(map, "code", val_str(buf_str(&code)));
		free(title);
		buf_release(&code);
	} else if (s && s->text) {
		val_put(map, "code", val_str(s->text));
		val_put(map, "kernels", kernels_of(stages_wrapper(s)));
	}
	free(words);
	return map;
}

static struct val *graphs(const struct entry *e)
{
	struct val *list = val_list(), *map, *stages;
	const struct stage *s;
	int i;

	for (i = 0; i < e->made.ngraphs; i++) {
		map = val_push(list, val_map());
		val_put(map, "graph", val_str(e->made.graph[i].name));
		if (e->made.graph[i].nodes >= 0)
			val_put(map, "operations", val_int(e->made.graph[i].nodes));
		stages = val_put(map, "stages", val_list());
		if (e->made.graph[i].copy)
			val_push(stages, stage_data(e, &e->made.graph[i], "captured", e->made.graph[i].copy, NULL));
		for (s = stages_of(e); s; s = s->next)
			if (!strcmp(s->graph, e->made.graph[i].full))
				val_push(stages, stage_data(e, &e->made.graph[i], s->name, s->copy, s));
	}
	return list;
}

/* ---- entries ------------------------------------------------------------------------------------------- */

/* Adds the costs to the rows of guards, and that of the whole check to the entry. */
static void put_costs(struct val *entry, const struct val *cost)
{
	const struct val *guards = data_list(entry, "guards"), *list = data_list(cost, "guards"), *ns;
	size_t i, k = 0;

	if (cost && val_get(cost, "ns"))
		val_put(entry, "check_ns", val_copy(val_get(cost, "ns")));
	for (i = 0; i < guards->u.list.n; i++) {
		while (k < list->u.list.n &&
		       val_number(list->u.list.item[k], "guard", 0) < val_number(guards->u.list.item[i], "guard", 0))
			k++;
		ns = k < list->u.list.n && val_number(list->u.list.item[k], "guard", 0) ==
						   val_number(guards->u.list.item[i], "guard", 0) ?
			     val_get(list->u.list.item[k], "ns") :
			     NULL;
		if (ns && ns->type != VAL_NULL)
			val_put(guards->u.list.item[i], "ns", val_copy(ns));
	}
}

/* Values that changed and that no guard covers. */
static void put_changes(struct val *map, struct entry *e)
{
	struct unguarded *u = NULL;
	struct err err = { "" };
	int i, n = model_listed(e) && e->made.reads ? unguarded_of(e, NULL, &u, &err) : 0;
	struct val *list = n > 0 && u[0].changed ? val_put(map, "unguarded", val_list()) : NULL, *row;

	for (i = 0; i < n && u[i].changed; i++) {
		row = val_push(list, val_map());
		val_put(row, "source", val_str(u[i].source));
		val_put(row, "was", val_str(u[i].was));
		val_put(row, "is", val_str(u[i].is));
		val_put(row, "why", val_str(u[i].why));
		val_put(row, "remedy", val_str(u[i].remedy));
		if (u[i].read->line) {
			val_put(row, "line", val_int(u[i].read->line));
			val_put(row, "file", val_str(u[i].read->file));
		}
	}
	unguarded_free(u, n);
}

/* What catch wrong found of its calls, without what is not known. */
static void put_verdict(struct val *map, const struct entry *e)
{
	const struct val *from = e->made.verdict;
	struct val *to = from ? val_put(map, "verdict", val_map()) : NULL;
	size_t i;

	for (i = 0; from && i < from->u.list.n; i++)
		if (from->u.list.item[i]->type != VAL_NULL)
			val_put(to, from->u.list.key[i], val_copy(from->u.list.item[i]));
}

static struct val *entry_data(struct entry *e, const struct tables *t)
{
	struct val *map = val_map(), *own = where(t->entries, "entry", e->id), *fresh = NULL;
	const struct val *parts = data_kept(e), *cost = parts ? val_get(parts, "cost") : NULL;

	merge(map, own->u.list.n ? own->u.list.item[0] : NULL);
	val_free(own);
	val_put(map, "entry", val_str(e->id));
	if (e->made.why)
		val_put(map, "recompiled_because", val_str(e->made.why));
	data_why(map, e);
	data_resume(map, e);
	if (e->co && !e->end) { /* its guards may have been edited */
		fresh = data_code(e);
		parts = fresh;
	}
	if (parts)
		merge(map, parts);
	if (!parts)
		val_put(map, "guards", data_rows(&view_guards, e->id));
	put_costs(map, cost);
	val_put(map, "graphs", graphs(e));
	val_put(map, "effects", where(t->effects, "entry", e->id));
	val_put(map, "resumes", where(t->resumes, "from", e->id));
	val_put(map, "breaks", where(t->breaks, "entry", e->id));
	put_changes(map, e);
	put_verdict(map, e);
	data_shown(map);
	val_free(fresh);
	return map;
}

static bool entry_meant(const struct tables *t, const struct entry *e)
{
	int i;

	for (i = 0; i < t->nmeant; i++)
		if (select_has_entry(&t->meant[i], e))
			return true;
	return false;
}

/* The function itself, or an entry of it or of one of its resume functions. */
static bool func_meant(const struct tables *t, struct func *f)
{
	struct entry *e;
	int i;

	for (i = 0; i < t->nmeant; i++)
		if (select_has_func(&t->meant[i], f))
			return true;
	for (e = model_entries; e; e = e->next)
		if (model_root(e->func) == f && entry_meant(t, e))
			return true;
	return false;
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static const struct val *func_row(const struct func *f, const struct tables *t)
{
	const struct val *r;
	size_t i;

	for (i = 0; i < t->functions->u.list.n; i++) {
		r = t->functions->u.list.item[i];
		if (val_number(r, "line", 0) == f->line && !strcmp(val_text(r, "function"), f->name) &&
		    !strcmp(val_text(r, "file"), f->file))
			return r;
	}
	return NULL;
}

static struct val *source(const struct func *f, long last)
{
	struct val *list = val_list(), *row;
	const char *text;
	long i;

	for (i = f->line; i && i <= last && i < f->line + 20000L; i++) {
		text = host->files.line(f->file, (int)i);
		if (!text)
			break;
		row = val_push(list, val_map());
		val_put(row, "line", val_int(i));
		val_put(row, "text", val_str(text));
	}
	return list;
}

/* Is the break in the function or in one of its resume functions? */
static bool is_break_of(const struct val *b, const struct val *function, long last)
{
	long long line = val_number(b, "own_line", 0);

	return !strcmp(val_text(b, "own_file"), val_text(function, "file")) &&
	       line >= val_number(function, "line", 0) && (!last || line <= last) &&
	       (!strcmp(val_text(b, "function"), val_text(function, "function")) ||
		!strcmp(val_text(b, "qualname"), val_text(function, "qualname")));
}

/* The row of a line, found or made: lines of a node are near the last one. */
static struct val *line_row(struct val *list, const char *file, int line)
{
	struct val *row;
	size_t i;

	for (i = list->u.list.n; i-- > 0;) {
		row = list->u.list.item[i];
		if (val_number(row, "line", 0) == line && !strcmp(val_text(row, "file"), file))
			return row;
	}
	row = val_push(list, val_map());
	val_put(row, "file", val_str(file));
	val_put(row, "line", val_int(line));
	return row;
}

struct lines_of {
	struct val *list;
	const char *file; /* of the function */
};

/* Of what is inlined, only lines that left something: Dynamo goes over much of torch's own code. */
static void count_line(void *arg, const char *file, int line, enum line_what what)
{
	static const char *const key[] = {
		[LINE_NODE] = "nodes",	 [LINE_EVALUATED] = "evaluated", [LINE_MISSED] = "missed",
		[LINE_BREAK] = "breaks", [LINE_RESUME] = "resumes",
	};
	const struct lines_of *of = arg;
	struct val *row;

	if (what == LINE_EVALUATED && strcmp(file, of->file))
		return;
	row = line_row(of->list, file, line);
	val_put(row, key[what], val_int(val_number(row, key[what], 0) + 1));
}

/* What compiling made of each line. */
static struct val *line_list(const struct func *f)
{
	struct lines_of of = { .list = val_list(), .file = f->file };

	line_marks_func(f, &(struct line_asked){ .each = count_line, .arg = &of, .first = 1, .last = INT_MAX });
	return of.list;
}

static struct val *times_list(const struct func *f, const struct tables *t)
{
	struct val *list = val_list();
	const struct timing *timing;

	for (timing = model_timings; timing; timing = timing->next)
		if (timing->func && model_root(timing->func) == f && (!timing->entry || entry_meant(t, timing->entry)))
			val_push(list, data_timing(timing));
	return list;
}

static struct val *function_data(struct func *f, const struct tables *t)
{
	struct val *map = val_map(), *entries = val_list(), *one, *breaks = val_list();
	long last = resume_last_line(f), n;
	struct entry *e;
	const struct val *b;
	size_t i;

	merge(map, func_row(f, t));
	if (!val_get(map, "function"))
		val_put(map, "function", val_str(f->name));
	if (!*val_text(map, "qualname"))
		val_put(map, "qualname", val_str(f->name));
	val_put(map, "file", val_str(f->file));
	val_put(map, "line", val_int(f->line));
	for (e = model_entries; e; e = e->next) {
		if (model_root(e->func) != f || !entry_meant(t, e))
			continue;
		one = val_push(entries, entry_data(e, t));
		n = val_number(one, "last_line", 0);
		last = n > last ? n : last;
		for (i = 0; i < data_list(one, "breaks")->u.list.n; i++) {
			b = data_list(one, "breaks")->u.list.item[i];
			val_push(breaks, val_copy(b));
		}
	}
	for (i = 0; i < t->breaks->u.list.n; i++) { /* those that made no entry */
		b = t->breaks->u.list.item[i];
		if (!model_entry_named(val_text(b, "entry")) && is_break_of(b, map, last))
			val_push(breaks, val_copy(b));
	}
	val_put(map, "source", source(f, last));
	val_put(map, "lines", line_list(f));
	val_put(map, "times", times_list(f, t));
	val_put(map, "breaks", breaks);
	val_put(map, "entry", entries);
	return map;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static struct val *object_text(PyObject *v)
{
	PyObject *s = v ? PyObject_Str(v) : NULL;
	const char *text = s ? PyUnicode_AsUTF8(s) : NULL;
	struct val *out = val_str(text);

	PyErr_Clear();
	Py_XDECREF(s);
	Py_XDECREF(v);
	return out;
}

/* Its name and arguments as in the shell, without quotes. */
static struct val *program(void)
{
	PyObject *argv = PySys_GetObject("argv"), *space = PyUnicode_FromString(" "), *text = NULL; /* borrowed,
	     2 owned */

	if (argv && space && PyList_Check(argv))
		text = PyUnicode_Join(space, argv);
	PyErr_Clear();
	Py_XDECREF(space);
	return object_text(text);
}

static void add_count(struct val *summary, const char *key, long long more)
{
	val_put(summary, key, val_int(val_number(summary, key, 0) + more));
}

static void sum_entry(struct val *summary, const struct val *e)
{
	double seconds = data_real(summary, "seconds") + data_real(e, "seconds");
	double ns = data_real(summary, "check_ns") + data_real(e, "check_ns");

	add_count(summary, "entries", 1);
	add_count(summary, "live", !strcmp(val_text(e, "state"), "live"));
	add_count(summary, "graphs", (long long)data_list(e, "graphs")->u.list.n);
	add_count(summary, "guards", val_number(e, "guards_made", 0));
	add_count(summary, "recompiles", *val_text(e, "recompiled_because") != '\0');
	val_put(summary, "seconds", val_real(seconds));
	if (ns > 0)
		val_put(summary, "check_ns", val_real(ns));
}

static struct val *data_summary(const struct val *functions)
{
	static const char *const counts[] = {
		"functions", "entries", "live", "graphs", "guards", "recompiles", "breaks"
	};
	struct val *map = val_map();
	const struct val *f, *list;
	size_t i, k;

	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		val_put(map, counts[i], val_int(0));
	val_put(map, "seconds", val_real(0));
	for (i = 0; i < functions->u.list.n; i++) {
		f = functions->u.list.item[i];
		add_count(map, "functions", 1);
		add_count(map, "breaks", (long long)data_list(f, "breaks")->u.list.n);
		list = data_list(f, "entry");
		for (k = 0; k < list->u.list.n; k++)
			sum_entry(map, list->u.list.item[k]);
	}
	return map;
}

static void each_function(const struct tables *t, struct val *list)
{
	struct func **all = NULL, *f;
	size_t n = 0, cap = 0, i;

	for (f = model_funcs; f; f = f->next) /* the newest first */
		if (!f->root && f->seen.looked && func_meant(t, f)) {
			all = mem_grow(all, &cap, n + 1, sizeof(*all));
			all[n++] = f;
		}
	for (i = n; i-- > 0;)
		val_push(list, function_data(all[i], t));
	free(all);
}

/* Functions that a rule excludes from Dynamo have rows in the view, but no page. */
static struct val *excluded_functions(const struct val *rows)
{
	struct val *list = val_list();
	size_t i;

	for (i = 0; i < rows->u.list.n; i++)
		if (!val_get(rows->u.list.item[i], "qualname"))
			val_push(list, val_copy(rows->u.list.item[i]));
	return list;
}

struct val *data_report(const struct selection *meant, int n)
{
	struct tables t = {
		.meant = meant,
		.nmeant = n,
		.functions = data_rows(&view_compiled, ""),
		.entries = data_rows(&view_entries, ""),
		.breaks = data_rows(&view_breaks, ""),
		.resumes = data_rows(&view_resume, ""),
		.overrides = data_rows(&view_overrides, ""),
		.effects = data_rows(&view_effects, ""),
	};
	struct val *root = val_map(), *functions = val_list();
	size_t i;

	/* "guards" of an entry's row is their number: the list has that name here */
	for (i = 0; i < t.entries->u.list.n; i++)
		val_put(t.entries->u.list.item[i], "guards_made",
			val_int(val_number(t.entries->u.list.item[i], "guards", 0)));
	each_function(&t, functions);
	val_put(root, "format", val_str(REPORT_FORMAT));
	val_put(root, "version", val_int(REPORT_VERSION));
	val_put(root, "cdbg", val_str(host->talk.version()));
	val_put(root, "python", val_str(PY_VERSION));
	val_put(root, "torch", object_text(attrs_get(ATTR_VERSION)));
	val_put(root, "program", program());
	val_put(root, "summary", data_summary(functions));
	val_put(root, "functions", functions);
	val_put(root, "sources", data_sources(functions));
	val_put(root, "excluded", excluded_functions(t.functions));
	val_put(root, "overrides", t.overrides);
	val_free(t.functions);
	val_free(t.entries);
	val_free(t.breaks);
	val_free(t.resumes);
	val_free(t.effects);
	PyErr_Clear();
	return root;
}
