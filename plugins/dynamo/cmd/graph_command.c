/* SPDX-License-Identifier: BSD-3-Clause */
/* What the commands that run a captured graph do: find the graph and its inputs, call a function of the package,
   report what it returns.  Runs nothing itself. */
#include "cmd/graph_command.h"
#include "cmd/graph_subject.h"
#include "cmd/result.h"
#include "code/select_graph.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/graph.h"
#include "model/stages.h"
#include "observe/backend_stages.h"
#include "torch/cdbg_host.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* The stage of a graph that a command is to run; stages.py compiles it. */

/* A kernel is code, not a graph. */
static bool is_runnable(const char *stage)
{
	return select_graph_is_stage(stage) && strncmp(stage, "kernel", 6);
}

/* Takes the stage from the end of a->name, "0/0 joint": owned by the caller, NULL for the captured graph. */
static char *graph_stage_take(struct graph_args *a)
{
	char *space = strrchr(a->name, ' '), *word = space ? space + 1 : a->name, *stage;

	if (!space && !is_runnable(word) && strcmp(word, "captured") && strncmp(word, "kernel", 6))
		return NULL;
	stage = strcmp(word, "captured") ? mem_str(word) : NULL;
	*(space ? space : word) = '\0';
	return stage;
}

/* The backend of its entry, a new reference; NULL with err. */
static PyObject *graph_backend(const struct graph_subject *s, struct err *err)
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

/* Makes the stage of s the one that is run, with its inputs; it is compiled again.  -1 with err. */
static int graph_stage_find(struct graph_subject *s, const char *stage, struct err *err)
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

char *graph_file_take(const char **args)
{
	struct buf name = { 0 };
	const char *p = *args, *home = getenv("HOME");
	bool in_home = home && !strncmp(p, "~/", 2);
	char *file;

	if (*p == '"' && strchr(p + 1, '"')) {
		for (p++; *p && *p != '"'; p++)
			buf_addc(&name, *p == '\\' && (p[1] == '"' || p[1] == '\\') ? *++p : *p);
		p += *p == '"';
	} else {
		buf_add(&name, p, strcspn(p, " \t"));
		p += name.len;
	}
	*args = p + strspn(p, " \t");
	file = in_home ? mem_fmt("%s%s", home, buf_str(&name) + 1) : mem_str(buf_str(&name));
	buf_release(&name);
	return file;
}

/* The graph, or stage of it, that the arguments name, and its inputs.  -1 with err. */
static int work_find(struct graph_work *w, const char *args, struct err *err)
{
	const struct graph_command *c = w->command;
	char *stage;
	int ret;

	w->path = c->usage ? graph_file_take(&args) : NULL;
	if (c->usage && !*w->path)
		return err_set(err, "missing file name; usage: %s", c->usage);
	if (graph_args_read(args, c->compares, &w->args, err) < 0)
		return -1;
	stage = c->compares ? NULL : graph_stage_take(&w->args);
	ret = graph_subject_find(&w->args, &w->subject, err);
	if (ret == 0)
		ret = graph_stage_find(&w->subject, stage, err);
	free(stage);
	if (ret == 0 && c->backend == BACKEND_NEEDED)
		w->backend = graph_backend(&w->subject, err);
	else if (ret == 0 && c->backend == BACKEND_IF_KNOWN)
		w->backend = model_backend(w->subject.entry);
	return ret == 0 && (w->backend || c->backend != BACKEND_NEEDED) ? 0 : -1;
}

static PyObject *truth(bool yes)
{
	return yes ? Py_True : Py_False;
}

PyObject *graph_work_call(const struct graph_work *w, const struct graph_subject *s, PyObject *more)
{
	const struct graph_args *a = &w->args;
	const struct graph_command *c = w->command;
	PyObject *given = NULL, *r = NULL, *allowed = graph_tolerance(a), *writer = graph_save_writer(); /* owned */
	char *title = mem_fmt("graph %s of %s", s->graph->name, s->entry->title ? s->entry->title : s->entry->id);
	int collects = c->uncollected && PyGC_Disable();

	if (allowed && writer)
		given = Py_BuildValue("{s:O,s:O,s:O,s:O,s:O,s:O,s:O,s:l,s:O,s:z,s:s,s:O}", "kept", s->kept, "inputs",
				      s->inputs, "backend", w->backend ? w->backend : Py_None, "backward",
				      truth(a->backward), "large", truth(a->large), "allowed", allowed, "until_nan",
				      truth(a->until_nan), "times", a->times, "statistics", truth(!a->times_only),
				      "path", w->path, "title", title, "write_beside", writer);
	if (given && (!more || PyDict_Update(given, more) == 0))
		r = graph_call_named(c->module, c->function, given);
	if (collects)
		PyGC_Enable();
	free(title);
	Py_XDECREF(given);
	Py_XDECREF(writer);
	Py_XDECREF(allowed);
	return r;
}

int graph_work_parts(struct graph_work *w,
		     int (*take)(struct graph_work *w, const struct graph_subject *s, void *to, struct err *err),
		     void *to, struct err *err)
{
	const struct graph_subject *s = &w->subject;
	struct graph *g = graphs_next_part(s->entry, s->graph, NULL);
	struct graph_subject part;
	int ret = g ? 0 : take(w, s, to, err);

	for (; ret == 0 && g; g = graphs_next_part(s->entry, s->graph, g)) {
		ret = graph_subject_part(s, g, &part, err);
		if (ret == 0) {
			ret = take(w, &part, to, err);
			graph_subject_release(&part);
		}
	}
	return ret;
}

static int call_function(struct graph_work *w, struct reply *out, struct err *err)
{
	PyObject *r = graph_work_call(w, &w->subject, NULL);
	int ret = r ? w->command->tell(w, r, out, err) : graph_raised(w->command->failed, err);

	Py_XDECREF(r);
	return ret;
}

int graph_command(const struct graph_command *c, const char *args, struct reply *out, struct err *err)
{
	struct graph_work w = { .command = c };
	int ret = work_find(&w, args, err);

	if (ret == 0)
		ret = c->run ? c->run(&w, out, err) : call_function(&w, out, err);
	PyErr_Clear();
	Py_XDECREF(w.backend);
	graph_subject_release(&w.subject);
	graph_args_release(&w.args);
	free(w.path);
	return ret;
}
