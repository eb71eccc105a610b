/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the time to check guards, for a whole entry and for each leaf, measured in this process. */
#include "code/select.h"
#include "edit/dynamo_edit.h"
#include "edit/rebuild.h"
#include "guards/guard_args.h"
#include "guards/guard_eval.h"
#include "guards/guard_model.h"
#include "guards/guard_tree.h"
#include "model/entry.h"
#include "show/dynamo_show.h"
#include "torch/attrs.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, CALLS = 10, ROUND_NS = 200000 };

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The mean of this many calls. */
static double time_round(PyObject *callable, PyObject *arg, int calls)
{
	double began = now_ns();
	PyObject *r;
	int i;

	for (i = 0; i < calls; i++) {
		r = PyObject_CallOneArg(callable, arg);
		if (!r)
			PyErr_Clear();
		Py_XDECREF(r);
	}
	return (now_ns() - began) / calls;
}

/* The best of several rounds: other work of the machine only adds time.  The rounds are short, since programs with
   thousands of guards wait for them at each compile; ten times as many calls give the same figures. */
static double time_call(PyObject *callable, PyObject *arg)
{
	double first = time_round(callable, arg, 1), best = -1, ns;
	int calls = first * CALLS > ROUND_NS ? 1 + (int)(ROUND_NS / first) : CALLS, i;

	for (i = 0; i < ROUNDS; i++) {
		ns = time_round(callable, arg, calls);
		if (best < 0 || ns < best)
			best = ns;
	}
	return best;
}

struct cost {
	const struct guard *guard;
	double ns; /* -1: cannot be measured by itself */
};

static int dearer(const void *a, const void *b)
{
	double x = ((const struct cost *)a)->ns, y = ((const struct cost *)b)->ns;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* An entry's whole check. */
struct check {
	double ns;		  /* -1: it cannot be measured with these values */
	const struct guard *ends; /* the guard that fails for them and ends the check; NULL: all pass */
	double until;		  /* ... after as long */
};

static double time_check(PyObject *root, PyObject *locals, double call)
{
	PyObject *check = attr(root, "check");
	double ns = check ? time_call(check, locals) - call : 0;

	PyErr_Clear();
	Py_XDECREF(check);
	return ns > 0 ? ns : 0;
}

static bool holds(PyObject *root, PyObject *locals)
{
	PyObject *r = PyObject_CallMethod(root, "check", "O", locals);
	bool yes = r == Py_True;

	PyErr_Clear();
	Py_XDECREF(r);
	return yes;
}

/* The guards that fail, beginning with the one where Dynamo's check ends: returns their number; the caller owns the
   array. */
static int failing(struct look *k, const struct guard ***out)
{
	const struct guard **list = mem_alloc((size_t)k->guards->n * sizeof(*list) + 1), *first;
	char *reason = look_reason(k);
	int i, n = 0;

	for (i = 0; i < k->guards->n; i++)
		if (look_check(k, i) == VERDICT_FAILS)
			list[n++] = &k->guards->guard[i];
	for (i = 0; reason && i < n; i++)
		if (!strncmp(reason, list[i]->text, strlen(list[i]->text))) {
			first = list[i];
			list[i] = list[0];
			list[0] = first;
			break;
		}
	free(reason);
	*out = list;
	return n;
}

/* Adds the time of guards that were left out. */
static double own_cost(const struct cost *cost, int n, const struct guard *g)
{
	int i;

	for (i = 0; i < n; i++)
		if (cost[i].guard == g)
			return cost[i].ns > 0 ? cost[i].ns : 0;
	return 0;
}

/* Measured in separate trees: a check moves failing guards to the front of Dynamo's tree.  If guards fail, in a tree
   without them. */
static void measure_all(struct look *k, const struct cost *cost, double call, struct check *out)
{
	PyObject *root = edit_clone(k->tree->wrapper), *rest = NULL;
	const struct guard **list = NULL;
	struct err err;
	int i, n = 0;

	PyErr_Clear();
	memset(out, 0, sizeof(*out));
	out->ns = -1;
	if (root && holds(root, k->scene.locals)) {
		out->ns = time_check(root, k->scene.locals, call);
	} else if (root) {
		n = failing(k, &list);
		out->ends = n ? list[0] : NULL;
		out->until = time_check(root, k->scene.locals, call);
		rest = n ? rebuild_without(list[0]->entry, list, n, &err) : NULL;
		if (rest && holds(rest, k->scene.locals))
			out->ns = time_check(rest, k->scene.locals, call);
	}
	for (i = 0; out->ns >= 0 && i < n; i++)
		out->ns += own_cost(cost, k->guards->n, list[i]);
	free(list);
	Py_XDECREF(rest);
	Py_XDECREF(root);
}

/* Calling a leaf from outside costs more than most of them do inside: the cheapest call is that cost. */
static void measure_entry(struct look *k, struct cost *cost, struct check *all)
{
	double least = -1;
	PyObject *v;
	int i;

	for (i = 0; i < k->guards->n; i++) {
		cost[i].guard = &k->guards->guard[i];
		cost[i].ns = -1;
		if (!PyCallable_Check(k->tree->leaf[i].guard) ||
		    look_value(k, k->tree->leaf[i].branch, &v) != HAVE_VALUE)
			continue;
		cost[i].ns = time_call(k->tree->leaf[i].guard, v);
		if (least < 0 || cost[i].ns < least)
			least = cost[i].ns;
	}
	for (i = 0; i < k->guards->n; i++)
		if (cost[i].ns >= 0)
			cost[i].ns -= least;
	measure_all(k, cost, least > 0 ? least : 0, all);
}

static struct val *tenth(double ns)
{
	return val_real((double)(long long)(ns * 10 + 0.5) / 10);
}

struct val *view_cost_measured(struct entry *e, const struct scene *scene)
{
	struct val *map, *list, *one;
	struct cost *cost;
	struct check all;
	struct look k;
	int i;

	if (!look_start(&k, e, scene))
		return NULL;
	cost = mem_alloc((size_t)k.guards->n * sizeof(*cost) + 1);
	measure_entry(&k, cost, &all);
	map = val_map();
	if (all.ns >= 0)
		val_put(map, "ns", tenth(all.ns));
	list = val_put(map, "guards", val_list());
	for (i = 0; i < k.guards->n; i++) {
		one = val_push(list, val_map());
		val_put(one, "guard", val_int(cost[i].guard->number));
		val_put(one, "ns", cost[i].ns >= 0 ? tenth(cost[i].ns) : val_null());
	}
	free(cost);
	look_end(&k);
	return map;
}

static void add_check(struct rows *out, const char *id, const struct check *all)
{
	char *text;

	if (!all->ends)
		text = mem_str(all->ns >= 0 ? "the whole check" :
					      "the check, which ends early for these values: no single guard fails");
	else
		text = mem_fmt("the whole check; for these values it ends at guard %d, after %.1f ns%s",
			       all->ends->number, all->until, all->ns >= 0 ? "" : ", and cannot be measured further");
	host->rows.add(out, MARK_HEAD);
	host->rows.str(out, "entry", ROLE_NAME, id);
	if (all->ns >= 0)
		host->rows.val(out, "ns", ROLE_NUMBER, tenth(all->ns));
	if (all->ends) {
		host->rows.num(out, "ends", all->ends->number);
		host->rows.val(out, "until", ROLE_NUMBER, tenth(all->until));
	}
	host->rows.str(out, "text", ROLE_TEXT, text);
	free(text);
}

static void cost_add_entry(struct rows *out, const struct view_req *req, struct look *k)
{
	struct cost *cost = mem_alloc((size_t)k->guards->n * sizeof(*cost) + 1);
	struct check all;
	int i;

	measure_entry(k, cost, &all);
	qsort(cost, (size_t)k->guards->n, sizeof(*cost), dearer);
	if (k->guards->n && host->rows.want(out, req))
		add_check(out, k->guards->guard[0].entry->id, &all);
	for (i = 0; i < k->guards->n; i++) {
		if (!host->rows.want(out, req))
			continue;
		host->rows.add(out, 0);
		host->rows.str(out, "entry", ROLE_NAME, cost[i].guard->entry->id);
		host->rows.num(out, "guard", cost[i].guard->number);
		if (cost[i].ns >= 0)
			host->rows.val(out, "ns", ROLE_NUMBER, tenth(cost[i].ns));
		host->rows.flag(out, "python", cost[i].guard->python);
		host->rows.str(out, "kind", ROLE_TYPE, cost[i].guard->kind);
		host->rows.str(out, "text", ROLE_TEXT, cost[i].guard->text);
	}
	free(cost);
}

static int cost_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct selected_entries picked;
	struct scene scene;
	struct look k;
	int i, measured = 0, n;

	(void)s;
	if (select_entries(req->words, &picked, err) < 0)
		return -1;
	if (picked.n == 1 && *req->words && edit_lives(picked.entry[0], err) < 0) {
		free(picked.entry);
		return -1;
	}
	for (i = 0; i < picked.n; i++) {
		scene_selected(picked.entry[i]->func, &scene);
		if (scene.locals && scene.whole && look_start(&k, picked.entry[i], &scene)) {
			cost_add_entry(out, req, &k);
			look_end(&k);
			measured++;
		}
		scene_release(&scene);
	}
	n = picked.n;
	free(picked.entry);
	return n && !measured ? err_set(err, "no arguments to measure with: stop where the function still has them, "
					     "as 'break FUNC' and 'catch recompile' do") :
				0;
}

static const struct view_col cols[] = {
	{ .name = "entry", .help = "entry that has it" },
	{ .name = "guard",
	  .local = true,
	  .help = "its number; null: the whole check of the entry, with the access to the values" },
	{ .name = "ns", .local = true, .help = "nanoseconds; of a guard: alone; null: it cannot be checked alone" },
	{ .name = "ends",
	  .help = "of a whole check: the guard at which it ends for these values; null: all pass",
	  .machine_only = true },
	{ .name = "until", .help = "nanoseconds until that guard", .machine_only = true },
	{ .name = "python", .help = "it calls a Python function" },
	{ .name = "kind", .help = "as Dynamo names it" },
	{ .name = "text", .help = "the guard", .wide = true },
	{ .name = NULL },
};

static const char *const more[] = { "guard eval {guard}", "guard drop {guard}", "guard list {entry}", NULL };

const struct view_ops view_cost = {
	.name = "cost",
	.args = "[ENTRY|FUNC]",
	.help = "what checking the guards of entries costs",
	.cols = cols,
	.fill = cost_fill,
	.more = more,
	.none = "no guards: nothing is compiled, or its entries were removed",
	.needs_stop = true,
	.complete = select_complete,
};
