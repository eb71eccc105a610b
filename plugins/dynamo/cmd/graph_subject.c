/* SPDX-License-Identifier: BSD-3-Clause */
/* What the commands that run graphs share: see graph_subject.h.  Runs nothing. */
#include "cmd/dynamo_cmd.h"
#include "cmd/entry_values.h"
#include "cmd/graph_subject.h"
#include "cmd/result.h"
#include "code/graph_codes.h"
#include "code/select_graph.h"
#include "edit/dynamo_edit.h"
#include "model/entry.h"
#include "model/graph.h"
#include "observe/fx_graph.h"
#include "observe/graph_keep.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include "torch/tensor_numbers.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct graph_answered graph_answered;

/* Figures are taken in place where they can be.  False with an exception: interrupted. */
static bool numbers_used(void)
{
	static bool told;
	PyObject *numbers = told ? NULL : tensor_numbers_function();
	PyObject *row = numbers ? tensor_numbers_row_function() : NULL, *done = NULL;

	if (row)
		done = package_call("values", "use_numbers", PyTuple_Pack(2, numbers, row));
	told = told || !row || done;
	Py_XDECREF(done);
	Py_XDECREF(row);
	Py_XDECREF(numbers);
	return told;
}

/* how: of unseen.py, which calls a function with these values. */
static PyObject *call_unseen(const char *how, const char *module, const char *name, PyObject *given)
{
	PyObject *fn = given && numbers_used() ? package_function(module, name) : NULL, *r = NULL;

	if (fn) {
		graph_codes_quiet(true);
		r = package_call("unseen", how, PyTuple_Pack(2, fn, given));
		graph_codes_quiet(false);
	}
	Py_XDECREF(fn);
	return r;
}

PyObject *graph_call(const char *module, const char *name, PyObject *args)
{
	PyObject *r = call_unseen("unhooked", module, name, args);

	Py_XDECREF(args);
	return r;
}

PyObject *graph_call_named(const char *module, const char *name, PyObject *given)
{
	return call_unseen("unhooked_named", module, name, given);
}

/* ---- arguments --------------------------------------------------------------------------------------------- */

void graph_args_release(struct graph_args *a)
{
	free(a->name);
	free(a->with);
	a->name = a->with = NULL;
}

PyObject *graph_tolerance(const struct graph_args *a)
{
	return a->tolerance ? Py_BuildValue("(dd)", a->relative, a->absolute) : Py_NewRef(Py_None);
}

/* Where " with " begins, or the end. */
static const char *with_at(const char *args)
{
	const char *p;

	for (p = args; (p = strstr(p, "with")); p += 4)
		if ((p == args || isspace((unsigned char)p[-1])) && (!p[4] || isspace((unsigned char)p[4])))
			return p;
	return args + strlen(args);
}

static int take_times(char **rest, struct graph_args *a, struct err *err)
{
	char *word = strtok_r(NULL, " \t", rest), *end = NULL;

	a->times = word ? strtol(word, &end, 10) : 0;
	if (!word || *end || a->times < 1 || a->times > 100000)
		return err_set(err, "invalid count '%s': expected a number from 1 to 100000 after '-n'",
			       word ? word : "");
	return 0;
}

static int take_tolerance(char **rest, struct graph_args *a, struct err *err)
{
	double *into[] = { &a->relative, &a->absolute };
	char *word, *end;
	int i;

	for (i = 0; i < 2; i++) {
		word = strtok_r(NULL, " \t", rest);
		end = NULL;
		*into[i] = word ? strtod(word, &end) : 0;
		if (!word || *end || !(*into[i] >= 0) || isinf(*into[i]))
			return err_set(
				err,
				"invalid tolerance '%s': '-tol' expects two numbers, relative and absolute, as in "
				"'-tol 1e-3 1e-5'",
				word ? word : "");
	}
	a->tolerance = true;
	return 0;
}

int graph_args_read(const char *args, bool compares, struct graph_args *a, struct err *err)
{
	const char *with = with_at(args);
	char *words = mem_fmt("%.*s", (int)(with - args), args), *rest = NULL, *word;
	struct buf name = { 0 };
	int ret = 0;

	memset(a, 0, sizeof(*a));
	a->times = 1;
	for (word = strtok_r(words, " \t", &rest); ret == 0 && word; word = strtok_r(NULL, " \t", &rest)) {
		if (!compares && !strcmp(word, "-t")) {
			a->times_only = true;
		} else if (!strcmp(word, "-f")) {
			a->large = true;
		} else if (!compares && !strcmp(word, "-n")) {
			ret = take_times(&rest, a, err);
		} else if (!compares && !strcmp(word, "until")) {
			word = strtok_r(NULL, " \t", &rest);
			a->until_nan = true;
			if (!word || strcmp(word, "nan"))
				ret = err_set(err, "expected 'nan' after 'until'");
		} else if (compares && !strcmp(word, "-tol")) {
			ret = take_tolerance(&rest, a, err);
		} else if (compares && !strcmp(word, "-backward")) {
			a->backward = true;
		} else if (*word == '-' && strcmp(word, "-a")) {
			ret = err_set(err, "unknown flag '%s'; try: %s", word,
				      compares ? "-backward, -f, -tol RTOL ATOL" : "-n N, -t, -f");
		} else {
			buf_addf(&name, "%s%s", name.len ? " " : "", word);
		}
	}
	if (ret == 0 && a->until_nan && a->times_only)
		ret = err_set(err, "'-t' takes no figures, which 'until nan' needs: give one of them");
	a->name = mem_str(buf_str(&name));
	a->with = mem_str(*with ? with : "");
	buf_release(&name);
	free(words);
	if (ret < 0)
		graph_args_release(a);
	return ret;
}

/* ---- what is to be run ------------------------------------------------------------------------------------- */

void graph_subject_release(struct graph_subject *s)
{
	Py_CLEAR(s->inputs);
	Py_CLEAR(s->kept);
}

static PyObject *node_sources(const struct nodes *g)
{
	PyObject *list = PyList_New(0), *s;
	int i;

	for (i = 0; list && i < g->n; i++) {
		if (strcmp(g->node[i].op, "placeholder"))
			continue;
		s = g->node[i].source ? PyUnicode_FromString(g->node[i].source) : Py_NewRef(Py_None);
		if (!s || PyList_Append(list, s) < 0)
			Py_CLEAR(list);
		Py_XDECREF(s);
	}
	return list;
}

static int not_kept(const struct graph_subject *s, struct err *err)
{
	if (!s->graph->copy)
		return err_set(err,
			       "graph '%s' cannot be run: it was compiled before cdbg was loaded, and nothing "
			       "holds its module any more",
			       s->graph->name);
	if (!s->entry->co)
		return err_set(err,
			       "graph '%s' cannot be run: its entry '%s' is gone, after torch._dynamo.reset() for "
			       "example; the next call of the function makes another one, which 'info graphs' lists",
			       s->graph->name, s->entry->id);
	return err_set(err,
		       "graph '%s' cannot be run: it was compiled while 'keep-graphs' was off%s; 'set keep-graphs "
		       "on' keeps those that are compiled from now on, and finds this one as long as its module exists",
		       s->graph->name,
		       host->talk.option_number("keep-graphs") ? ", and its module is gone or changed" : "");
}

/* A refusal by cdbg is complete; another exception gets what failed as its prefix. */
int graph_raised(const char *what, struct err *err)
{
	PyObject *type, *value, *tb, *text;

	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	text = value && package_refused(type) ? PyObject_Str(value) : NULL;
	if (!text || !py_text_utf8(text)) {
		PyErr_Clear();
		Py_XDECREF(text);
		PyErr_Restore(type, value, tb);
		return edit_raised(err, what);
	}
	err_set(err, "%s", py_text_utf8(text));
	Py_DECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(tb);
	return -1;
}

/* For a graph that was not kept: the module that was passed to the backend, if it still exists and the backend has not
   changed it. */
static void find_again(struct graph *g)
{
	PyObject *module = graph_call("run", "graph_find", Py_BuildValue("(s)", g->full));
	PyObject *graph = module && module != Py_None ? PyObject_GetAttrString(module, "graph") : NULL;
	struct nodes *now = graph ? graphs_read(graph) : NULL;

	if (now && !g->copy) {
		g->copy = now;
		now = NULL;
	} else if (now && !graphs_equal(g->copy, now, true)) {
		Py_CLEAR(graph);
	}
	if (graph && g->copy) {
		g->nodes = g->copy->n;
		g->copy->kept = graph_keep(module);
		graph_keep_open(&g->copy->kept);
	}
	if (now)
		graphs_free(now);
	PyErr_Clear();
	Py_XDECREF(graph);
	Py_XDECREF(module);
}

static bool is_input(const char *name, const void *arg)
{
	const struct nodes *g = arg;
	char *local = mem_fmt("L['%s']", name), *global = mem_fmt("G['%s']", name);
	bool found = false;
	int i;

	for (i = 0; !found && i < g->n; i++)
		found = !strcmp(g->node[i].op, "placeholder") &&
			(!g->node[i].source || strstr(g->node[i].source, local) || strstr(g->node[i].source, global));
	free(global);
	free(local);
	return found;
}

/* A value that is given for what the graph does not read: Dynamo made it a constant of the graph. */
static void tell_constants(const struct nodes *g, const char *with)
{
	char *name, *text;

	with = entry_given_begin(with);
	while ((name = entry_given_name(&with))) {
		if (!is_input(name, g)) {
			text = mem_fmt("the graph has no input from '%s': the value that it was compiled for is a part "
				       "of it, and the one after 'with' is not used",
				       name);
			host->talk.say(text);
			free(text);
		}
		free(name);
	}
}

void graph_subject_take(struct graph_subject *s, PyObject *r)
{
	Py_XSETREF(s->kept, Py_NewRef(result_get(r, "kept")));
	Py_XSETREF(s->inputs, Py_NewRef(result_get(r, "inputs")));
}

int graph_subject_part(const struct graph_subject *whole, struct graph *part, struct graph_subject *out,
		       struct err *err)
{
	PyObject *r; /* owned */

	memset(out, 0, sizeof(*out));
	out->entry = whole->entry;
	out->graph = part;
	out->nodes = part->copy;
	graph_keep_open(&whole->graph->copy->split.kept);
	if (!part->copy || !whole->graph->copy->split.kept)
		return not_kept(out, err);
	r = graph_call("parts", "graph_part",
		       Py_BuildValue("(OOOs)", whole->kept, whole->graph->copy->split.kept, whole->inputs,
				     strrchr(part->name, '.') + 1));
	if (!r)
		return graph_raised("the graph that it is a part of cannot be run", err);
	graph_subject_take(out, r);
	Py_DECREF(r);
	return 0;
}

void graph_subject_tell_whole(const struct graph_subject *s, struct buf *out)
{
	struct buf parts = { 0 };

	graphs_tell_parts(s->entry, s->graph, &parts);
	if (parts.len)
		buf_addf(out,
			 "note: the program compiles the graph whole; DDPOptimizer splits it into %s, and the name of "
			 "one of these writes that part\n",
			 parts.s + 2);
	buf_release(&parts);
}

/* s becomes that part of its graph. */
static int become_part(struct graph_subject *s, struct graph *part, struct err *err)
{
	struct graph_subject whole = *s;
	int ret = graph_subject_part(&whole, part, s, err);

	graph_subject_release(&whole);
	return ret;
}

/* Is it there?  It then is what graph_keep_open() makes, or a Kept. */
static bool open_kept(struct entry *e, struct graph *g)
{
	if (g->copy)
		graph_keep_open(&g->copy->kept);
	if ((e->made.before || host->talk.option_number("keep-graphs")) && !(g->copy && g->copy->kept))
		find_again(g);
	return g->copy && g->copy->kept;
}

PyObject *graph_subject_kept(struct entry *e, struct graph *g, struct err *err)
{
	struct graph_subject s = { .entry = e, .graph = g };
	PyObject *kept;

	if (!open_kept(e, g)) {
		not_kept(&s, err);
		return NULL;
	}
	kept = graph_call("rows", "graph_kept", PyTuple_Pack(1, g->copy->kept));
	if (!kept) {
		graph_raised("the graph cannot be run", err);
		return NULL;
	}
	if (g->copy->kept) /* prepared once */
		Py_SETREF(g->copy->kept, Py_NewRef(kept));
	return kept;
}

int graph_subject_find(const struct graph_args *a, struct graph_subject *s, struct err *err)
{
	struct graph *chosen;
	PyObject *values = NULL, *globals = NULL, *sources = NULL, *names, *modes;

	memset(s, 0, sizeof(*s));
	s->graph = select_graph(a->name, &s->entry, err);
	if (!s->graph)
		return -1;
	chosen = s->graph;
	s->graph = graphs_whole(s->entry, chosen);
	if (s->entry->end) /* the values that it would run on are gone, and no expression gives others */
		return edit_lives(s->entry, err);
	if (!open_kept(s->entry, s->graph))
		return not_kept(s, err);
	s->nodes = s->graph->copy;
	globals = entry_globals(s->entry, err); /* before values are asked for: the entry may be gone */
	values = globals ? entry_values(s->entry, a->with, is_input, s->nodes, err) : NULL;
	sources = values ? node_sources(s->graph->copy) : NULL;
	if (values && !sources)
		graph_raised("the graph cannot be run", err);
	if (sources) {
		s->kept = graph_subject_kept(s->entry, s->graph, err);
		if (s->kept) {
			names = entry_names(s->entry);
			modes = s->graph->copy->modes ? s->graph->copy->modes : Py_None;
			if (names)
				s->inputs = graph_call(
					"inputs", "graph_inputs",
					PyTuple_Pack(6, s->kept, sources, values, globals, names, modes));
			Py_XDECREF(names);
		}
		if (s->kept && !s->inputs)
			graph_raised("the graph cannot be run", err);
	}
	PyErr_Clear();
	Py_XDECREF(sources);
	Py_XDECREF(globals);
	Py_XDECREF(values);
	if (s->inputs)
		tell_constants(s->nodes, a->with);
	if (!s->inputs || (chosen != s->graph && become_part(s, chosen, err) < 0)) {
		graph_subject_release(s);
		return -1;
	}
	return 0;
}

const struct node *graph_subject_node(const struct graph_subject *s, const char *name, const struct nodes **g)
{
	*g = s->nodes;
	return graphs_node(g, name);
}

/* Rows of a result, then the text of the table. */
int graph_answer(const struct view_ops *v, const struct graph_subject *of, PyObject *r, struct reply *out,
		 struct err *err)
{
	int ret;

	graph_answered = (struct graph_answered){ r, of };
	ret = host->rows.reply(v, "", out, err);
	if (ret == 0)
		host->rows.reply_text(out);
	graph_answered = (struct graph_answered){ 0 };
	return ret;
}
