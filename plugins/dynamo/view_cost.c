/* SPDX-License-Identifier: BSD-3-Clause */
/* View: what checking guards costs, an entry whole and each leaf by itself, measured in place. */
#include "edit.h"
#include "guards.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, CALLS = 40 };

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The best of some rounds: what else the machine does only adds. */
static double time_call(PyObject *callable, PyObject *arg)
{
	double best = -1, began;
	PyObject *r;
	int i, k;

	for (i = 0; i < ROUNDS; i++) {
		began = now_ns();
		for (k = 0; k < CALLS; k++) {
			r = PyObject_CallOneArg(callable, arg);
			if (!r)
				PyErr_Clear();
			Py_XDECREF(r);
		}
		began = (now_ns() - began) / CALLS;
		if (best < 0 || began < best)
			best = began;
	}
	return best;
}

struct cost {
	const struct guard *guard;
	double ns;                           /* -1: cannot be measured by itself */
};

static int dearer(const void *a, const void *b)
{
	double x = ((const struct cost *)a)->ns, y = ((const struct cost *)b)->ns;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* Calling a leaf from outside costs more than most of them do inside: the cheapest call is that cost. */
static double measure(struct look *k, struct cost *cost)
{
	double least = -1, all;
	PyObject *v, *check = attr(k->tree->root, "check");
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
	all = check && k->scene.locals ? time_call(check, k->scene.locals) - (least > 0 ? least : 0) : -1;
	Py_XDECREF(check);
	return all > 0 ? all : 0;
}

static struct val *tenth(double ns)
{
	return host->val_real((double)(long long)(ns * 10 + 0.5) / 10);
}

static void add_entry(struct rows *out, const struct view_req *req, struct look *k)
{
	struct cost *cost = host->mem_alloc((size_t)k->guards->n * sizeof(*cost) + 1);
	double all = measure(k, cost);
	int i;

	qsort(cost, (size_t)k->guards->n, sizeof(*cost), dearer);
	if (k->guards->n && host->rows_want(out, req)) {
		host->rows_add(out, MARK_HEAD);
		host->rows_str(out, "entry", ROLE_NAME, k->guards->guard[0].entry->id);
		host->rows_val(out, "ns", ROLE_NUMBER, tenth(all));
		host->rows_str(out, "text", ROLE_TEXT, "the whole check");
	}
	for (i = 0; i < k->guards->n; i++) {
		if (!host->rows_want(out, req))
			continue;
		host->rows_add(out, 0);
		host->rows_str(out, "entry", ROLE_NAME, cost[i].guard->entry->id);
		host->rows_int(out, "guard", cost[i].guard->number);
		if (cost[i].ns >= 0)
			host->rows_val(out, "ns", ROLE_NUMBER, tenth(cost[i].ns));
		host->rows_bool(out, "python", cost[i].guard->python);
		host->rows_str(out, "kind", ROLE_TYPE, cost[i].guard->kind);
		host->rows_str(out, "text", ROLE_TEXT, cost[i].guard->text);
	}
	free(cost);
}

static int fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct picked picked;
	struct scene scene;
	struct look k;
	int i, measured = 0, n;

	(void)s;
	if (pick_entries(req->words, &picked, err) < 0)
		return -1;
	if (picked.n == 1 && *req->words && edit_lives(picked.entry[0], err) < 0) {
		free(picked.entry);
		return -1;
	}
	for (i = 0; i < picked.n; i++) {
		scene_selected(picked.entry[i]->func, &scene);
		if (scene.locals && scene.whole && look_start(&k, picked.entry[i], &scene)) {
			add_entry(out, req, &k);
			look_end(&k);
			measured++;
		}
		scene_release(&scene);
	}
	n = picked.n;
	free(picked.entry);
	return n && !measured ? host->err_set(err, "nothing to measure with: stop where the function still has its "
					      "arguments, as 'break FUNC' and 'catch recompile' do") : 0;
}

static const struct view_col cols[] = {
	{ .name = "entry", .help = "whose it is" },
	{ .name = "guard", .help = "its number; null: the entry's whole check, with the way to the values" },
	{ .name = "ns", .help = "nanoseconds; of a guard: by itself; null: it cannot be checked by itself" },
	{ .name = "python", .help = "a Python function is called for it" },
	{ .name = "kind", .help = "as Dynamo names it" },
	{ .name = "text", .help = "the guard", .wide = true },
	{ .name = NULL }
};

const struct view_ops view_cost = {
	.name = "cost", .args = "[ENTRY|FUNC]", .help = "what checking the guards of entries costs",
	.cols = cols, .fill = fill, .none = "no guards: nothing is compiled, or its entries are gone",
	.needs_stop = true,
	.complete = pick_complete,
};
