/* SPDX-License-Identifier: BSD-3-Clause */
/* What the nodes of running graphs computed: see node_values.h. */
#include "code/node_values.h"
#include "torch/dynamo_torch.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	RUNS_MOST = 16, /* runs that are remembered: of other threads, forward and backward */
	MUCH = 1000,	/* elements of a tensor, which are looked at in a microsecond */
};

/* One run of a graph. */
struct run {
	struct py_frame *f; /* addresses, never followed */
	const struct graph_lines *l;
	int n;
	struct line_value *at;	  /* for each line of l */
	struct node_value *value; /* room for what all lines write */
	int values;		  /* of them that have been given to lines */
	int before;		  /* the line that runs, -1: none */
	double since;		  /* when it began */
};

static struct run runs[RUNS_MOST];
static int newest;

static double node_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run_release(struct run *r)
{
	int i;

	for (i = 0; i < r->values; i++)
		free(r->value[i].text);
	free(r->value);
	free(r->at);
	memset(r, 0, sizeof(*r));
}

void node_values_release(void)
{
	int i;

	for (i = 0; i < RUNS_MOST; i++)
		run_release(&runs[i]);
}

void node_values_forget(const struct graph_lines *l)
{
	int i;

	for (i = 0; i < RUNS_MOST; i++)
		if (runs[i].l == l)
			run_release(&runs[i]);
}

static struct run *run_find(struct py_frame *f, const struct graph_lines *l)
{
	int i;

	for (i = 0; i < RUNS_MOST; i++)
		if (runs[i].f == f && runs[i].l == l && runs[i].n)
			return &runs[i];
	return NULL;
}

static struct run *run_new(struct py_frame *f, const struct graph_lines *l)
{
	struct run *r = run_find(f, l);
	size_t values = 1;
	int i;

	if (!r) {
		newest = (newest + 1) % RUNS_MOST;
		r = &runs[newest];
	}
	run_release(r);
	r->f = f;
	r->l = l;
	r->n = l->n;
	r->at = mem_alloc((size_t)l->n * sizeof(*r->at) + 1);
	for (i = 0; i < l->n; i++) {
		r->at[i] = (struct line_value){ .seconds = -1 };
		values += (size_t)l->at[i].nwrites;
	}
	r->value = mem_alloc(values * sizeof(*r->value));
	r->before = -1;
	return r;
}

void node_value_now(PyObject *v, struct node_value *out)
{
	struct buf text = { 0 };
	int tensors;

	memset(out, 0, sizeof(*out));
	out->known = true;
	tensor_numbers_of(v, &out->n);
	if (out->n.dtype || tensor_numbers_shape(v, &out->n))
		return;
	tensors = tensor_numbers_of_list(v, &out->n);
	if (tensors) {
		out->text = mem_fmt("%s of %d tensor%s", PyTuple_Check(v) ? "tuple" : "list", tensors,
				    tensors > 1 ? "s" : "");
		return;
	}
	host->values.show((struct py_obj *)v, &text, 60);
	out->text = mem_str(buf_str(&text));
	buf_release(&text);
}

/* The line has run until now: note what it wrote.  True: it is so much that looking at it took time. */
static bool note_written(struct run *r, int line, double now)
{
	const struct graph_line *row = &r->l->at[line];
	struct line_value *at = &r->at[line];
	bool much = false;
	PyObject *v;
	int k;

	at->done = true;
	if (r->since > 0)
		at->seconds = now - r->since;
	if (row->memory || !row->node || !row->nwrites || at->of)
		return false;
	at->of = &r->value[r->values];
	r->values += row->nwrites;
	for (k = 0; k < row->nwrites; k++) {
		v = (PyObject *)host->frames.local(r->f, row->writes[k]);
		if (row->unused && (!v || v == Py_None) && row->changed >= 0) /* what it returned is that */
			v = (PyObject *)host->frames.local(r->f, row->changed);
		if (v)
			node_value_now(v, &at->of[k]);
		much |= at->of[k].n.count > MUCH || at->of[k].text;
	}
	return much;
}

void node_values_line(struct py_frame *f, const struct graph_lines *l, const struct graph_line *row)
{
	struct run *r = run_find(f, l);
	int line = (int)(row - l->at);
	double now;

	if (r && r->before == line)
		return;
	now = node_clock();
	if (!r || line <= r->before) /* a new call may have an old frame's address */
		r = run_new(f, l);
	r->since = r->before >= 0 && note_written(r, r->before, now) ? node_clock() : now;
	r->before = line;
}

void node_values_resumed(void)
{
	double now = 0;
	int i;

	for (i = 0; i < RUNS_MOST; i++)
		if (runs[i].n)
			runs[i].since = now = now > 0 ? now : node_clock();
}

const struct line_value *node_values_of(struct py_frame *f, const struct graph_lines *l, const struct graph_line *row)
{
	struct run *r = run_find(f, l);

	return r ? &r->at[row - l->at] : NULL;
}
