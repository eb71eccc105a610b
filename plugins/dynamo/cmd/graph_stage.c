/* SPDX-License-Identifier: BSD-3-Clause */
/* The stage of a graph that a command is to run: see graph_stage.h.  stages.py compiles it. */
#include "cmd/graph_stage.h"
#include "cmd/result.h"
#include "cmd/graph_subject.h"
#include "code/select_graph.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/graph.h"
#include "model/stages.h"
#include "observe/backend_stages.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* A kernel is code, not a graph. */
static bool is_runnable(const char *stage)
{
	return select_graph_is_stage(stage) && strncmp(stage, "kernel", 6);
}

char *graph_stage_take(struct graph_args *a)
{
	char *space = strrchr(a->name, ' '), *word = space ? space + 1 : a->name, *stage;

	if (!space && !is_runnable(word) && strcmp(word, "captured") && strncmp(word, "kernel", 6))
		return NULL;
	stage = strcmp(word, "captured") ? mem_str(word) : NULL;
	*(space ? space : word) = '\0';
	return stage;
}

PyObject *graph_backend(const struct graph_subject *s, struct err *err)
{
	PyObject *backend = model_backend(s->entry);

	if (!backend && entry_not_fresh(s->entry, err) == 0)
		err_set(err, "the backend of entry '%s' is not known, so its graph cannot be compiled again",
			s->entry->id);
	return backend;
}

void graph_put_stages(const struct graph_subject *s, PyObject *list, struct buf *out)
{
	const char *name;
	PyObject *row;
	Py_ssize_t i;

	for (i = 0; i < result_length(list); i++) {
		row = PyList_GET_ITEM(list, i);
		name = result_text(row, "name");
		stages_put(s->entry, s->graph->full, name, result_get(row, "graph"), result_get(row, "buffers"));
		if (out)
			buf_addf(out, "%s%s", i ? ", " : "", name ? name : "?");
	}
}

/* Only nodes can be run, and only of a stage that exists. */
static int check_stage(const struct graph_subject *s, const char *stage, struct err *err)
{
	const struct stage *each;
	struct buf all = { 0 };

	if (graphs_next_part(s->entry, s->graph, NULL)) {
		select_graph_tell_parts(s->entry, s->graph, stage, &all);
		err_set(err, "no stage '%s' of '%s'%s", stage, s->graph->name, all.s);
		buf_release(&all);
		return -1;
	}
	if (is_runnable(stage))
		return 0;
	for (each = stages_of(s->entry); each; each = each->next)
		if (!strcmp(each->graph, s->graph->full) && is_runnable(each->name))
			buf_addf(&all, ", %s", each->name);
	if (!strncmp(stage, "kernel", 6))
		err_set(err,
			"cannot run stage '%s', which is code and has no nodes: 'stepg' steps it, 'graph compare %s' "
			"judges its values; the stages that can be run are captured%s",
			stage, s->graph->name, buf_str(&all));
	else
		err_set(err, "no stage '%s' of '%s': there %s captured%s", stage, s->graph->name,
			all.len ? "are" : "is", buf_str(&all));
	buf_release(&all);
	return -1;
}

int graph_stage_find(struct graph_subject *s, const char *stage, struct err *err)
{
	const struct stage *each;
	PyObject *backend, *r;
	bool trained = false;

	if (!stage)
		return 0;
	for (each = stages_of(s->entry); each; each = each->next)
		trained |= !strcmp(each->graph, s->graph->full) && !strcmp(each->name, "forward");
	backend = check_stage(s, stage, err) == 0 ? graph_backend(s, err) : NULL;
	if (!backend)
		return -1;
	r = graph_call("stages", "graph_stage",
		       Py_BuildValue("(OOOsO)", s->kept, backend, s->inputs, stage, trained ? Py_True : Py_False));
	Py_DECREF(backend);
	if (!r)
		return graph_raised("the stage cannot be run", err);
	graph_put_stages(s, result_get(r, "stages"), NULL);
	graph_subject_take(s, r);
	Py_DECREF(r);
	for (each = stages_of(s->entry); each; each = each->next)
		if (!strcmp(each->graph, s->graph->full) && !strcmp(each->name, stage))
			s->nodes = each->copy;
	return 0;
}
