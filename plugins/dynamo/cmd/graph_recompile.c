/* SPDX-License-Identifier: BSD-3-Clause */
/* graph recompile: makes the stages of a graph again.  stages.py compiles it. */
#include "cmd/graph_command.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/stages.h"
#include <string.h>
#include <time.h>

/* Names of the graph's stages: a new list. */
static PyObject *stage_names(const struct graph_subject *s)
{
	PyObject *list = PyList_New(0), *name;
	const struct stage *each;

	for (each = stages_of(s->entry); list && each; each = each->next) {
		name = strcmp(each->graph, s->graph->full) ? NULL : PyUnicode_FromString(each->name);
		if (name)
			PyList_Append(list, name);
		Py_XDECREF(name);
	}
	PyErr_Clear();
	return list;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Code of the program's that came from torch's cache is known now, if the same code was made again. */
static void tell_other_code(const struct graph_subject *s, struct buf *out)
{
	const struct stage *each;

	for (each = stages_of(s->entry); each; each = each->next)
		if (each->text && each->ran && each->ran->cached && each->ran->text &&
		    !strcmp(each->graph, s->graph->full) &&
		    strcmp(stages_plain_code(each->text), stages_plain_code(each->ran->text)))
			buf_addf(out,
				 "inductor made other code now than the %s that runs, which came from its cache: nodes "
				 "and lines of that are not known\n",
				 each->name);
}

/* Makes the stages of one graph again, and reports which. */
static int recompile(struct graph_work *w, const struct graph_subject *s, void *to, struct err *err)
{
	struct reply *out = to;
	struct buf stages = { 0 };
	PyObject *more = Py_BuildValue("{s:N}", "stages", stage_names(s)), *r;
	double began = seconds_now();

	r = more ? graph_work_call(w, s, more) : NULL;
	Py_XDECREF(more);
	if (!r)
		return graph_raised(w->command->failed, err);
	graph_put_stages(s, r, &stages);
	Py_DECREF(r);
	if (stages.len) {
		buf_addf(&out->text, "stages of %s made again: %s (%.1f s)\n", s->graph->name, stages.s,
			 seconds_now() - began);
		tell_other_code(s, &out->text);
	} else
		buf_addf(&out->text, "torch reports no stages of this backend\n");
	buf_release(&stages);
	return 0;
}

static int recompile_all(struct graph_work *w, struct reply *out, struct err *err)
{
	return graph_work_parts(w, recompile, out, err);
}

const struct graph_command graph_command_recompile = {
	.compares = true,
	.backend = BACKEND_NEEDED,
	.module = "stages",
	.function = "graph_recompile",
	.failed = "the graph cannot be compiled again",
	.run = recompile_all,
};
