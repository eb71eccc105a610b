/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph, or the stage of one, that the arguments of a view or a command name.  Knows no view. */
#include "code/dynamo_code.h"
#include "code/running_stage.h"
#include "code/select.h"
#include "code/select_graph.h"
#include "model/compiling.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/stages.h"
#include <stdlib.h>
#include <string.h>

static bool graph_is_named(const struct graph *g, const char *name)
{
	const char *number = strrchr(g->name, '_'), *part = strchr(g->name, '.');

	if (part) { /* "1.submod_0" */
		for (number = part; number > g->name && number[-1] != '_'; number--)
			;
		return !strcmp(g->name, name) || !strcmp(g->full, name) || !strcmp(number, name);
	}
	return !strcmp(g->name, name) || !strcmp(g->full, name) || (number && !strcmp(number + 1, name));
}

/* A clone has the graphs of its entry: count them once. */
static bool is_copy(const struct entry *of, const struct graph *g)
{
	const struct entry *e;
	int i;

	for (e = model_entries; e != of; e = e->next)
		for (i = 0; i < e->made.ngraphs; i++)
			if (!strcmp(e->made.graph[i].full, g->full))
				return true;
	return false;
}

/* "0/0.submod_0": a part of a graph of the entry with this name. */
static bool is_part_of_entry(const struct entry *e, const struct graph *g, const char *name)
{
	const char *dot = strchr(g->name, '.');
	size_t n = strlen(e->id);

	return g->part && dot && !strncmp(name, e->id, n) && !strcmp(dot, name + n);
}

/* The graph with this name, or the first graph of the entry with this name. */
static struct graph *graph_named(const char *name, struct entry **of)
{
	struct graph *found = NULL;
	struct entry *e;
	int i;

	for (e = model_entries; e; e = e->next)
		for (i = 0; i < e->made.ngraphs; i++) {
			if (is_part_of_entry(e, &e->made.graph[i], name)) {
				*of = e;
				return &e->made.graph[i];
			}
			if (!graph_is_named(&e->made.graph[i], name) && strcmp(e->id, name))
				continue;
			if (!found || (graph_is_named(&e->made.graph[i], name) && !is_copy(e, &e->made.graph[i]))) {
				found = &e->made.graph[i];
				*of = e;
			}
		}
	return found;
}

/* The parts of that name, "submod_0", of entries that are meant: how many, their names in *all, the first in *found. */
static int parts_named(const char *name, bool invalid, struct graph **found, struct entry **of, struct buf *all)
{
	struct entry *e;
	struct graph *g;
	int i, n = 0;

	for (e = model_entries; e; e = e->next)
		for (i = 0; i < e->made.ngraphs; i++) {
			g = &e->made.graph[i];
			if (!g->part || strcmp(strchr(g->name, '.') + 1, name) || is_copy(e, g) ||
			    (!invalid && !strcmp(model_state(e), "invalidated")))
				continue;
			if (!n) {
				*found = g;
				*of = e;
			}
			buf_addf(all, "%s%s", n++ ? ", " : "", g->name);
		}
	return n;
}

/* The graph whose code the selected frame runs; a backward graph may be run by any function. */
static struct graph *graph_that_runs(struct entry **of)
{
	struct running_stage r = { 0 };
	struct graph *found = NULL;
	struct graph_lines *l = NULL;
	struct selected_frame at;
	struct entry *e = NULL;
	int i;

	if (selected_frame_get(&at, NULL) == 0 && at.code && at.code->kind == KIND_GRAPH && at.index >= 0)
		l = graph_codes_lines(at.code);
	if (l && running_stage_find(l, &r) && r.stage && strstr(r.stage->name, "backward"))
		e = r.entry;
	else if (l)
		e = running_stage_caller(at.frame);
	for (i = 0; e && i < e->made.ngraphs; i++)
		if (!found || (r.entry == e && strcspn(r.name, " ") == strlen(e->made.graph[i].name) &&
			       !strncmp(r.name, e->made.graph[i].name, strcspn(r.name, " "))))
			found = &e->made.graph[i];
	if (found)
		*of = e;
	free(r.name);
	selected_frame_release(&at);
	return found;
}

/* The graphs of entries that are meant: how many, their names in *all, the first or the newest one in *found. */
static int among(const struct selection *m, bool resumes, bool invalid, bool newest, struct graph **found,
		 struct entry **of, struct buf *all)
{
	struct entry *e;
	int i, n = 0;

	*found = NULL;
	for (e = model_entries; e; e = e->next) {
		if (!select_has_entry(m, e) || !e->made.ngraphs || (e->func->root && !resumes) ||
		    (!invalid && e != m->id && !strcmp(model_state(e), "invalidated")))
			continue;
		if (!*found || newest) {
			*found = &e->made.graph[0];
			*of = e;
		}
		for (i = 0; i < e->made.ngraphs; i++)
			if (!e->made.graph[i].part && !is_copy(e, &e->made.graph[i]))
				buf_addf(all, "%s%s", n++ ? ", " : "", e->made.graph[i].name);
	}
	return n;
}

/* "no graph 'x': there are ..." */
static struct graph *none(const char *name, struct err *err)
{
	const struct selection every = { .all = true };
	struct buf all = { 0 };
	struct graph *g;
	struct entry *of;

	if (!among(&every, true, true, false, &g, &of, &all))
		err_set(err, "no graph was captured");
	else
		err_set(err, "no graph '%s': there are %s", name, all.s);
	buf_release(&all);
	return NULL;
}

/* gone: there are graphs of this name, of entries that are not valid any more. */
static void not_found(const char *name, bool invalid, bool gone, struct err *err)
{
	const struct selection every = { .all = true };
	struct buf all = { 0 };
	struct graph *g;
	struct entry *of;

	if (*name && gone)
		err_set(err,
			"no entry of '%s' that has a graph is valid any more: '-a' takes the others too, and the "
			"next call compiles the function again",
			name);
	else if (*name)
		err_set(err, "no graph of '%s' was captured: 'explain %s' tells why", name, name);
	else if (!invalid && among(&every, true, true, false, &g, &of, &all))
		err_set(err, "no graph of a valid entry was captured: '-a' shows those of others, 'explain' tells why");
	else
		err_set(err, "no graph was captured: 'explain' tells why, 'catch compile' stops at the next");
	buf_release(&all);
}

struct graph *select_graph(const char *name, struct entry **of, struct err *err)
{
	const struct compiling *top = compiling_top();
	bool invalid = select_option_all(&name), gone = false, elsewhere = false, several = false, newest;
	struct graph *found = *name ? graph_named(name, of) : NULL;
	struct buf all = { 0 };
	struct selected_frame at;
	struct selection meant;
	struct err unknown;
	int n;

	if (!found && !*name)
		found = graph_that_runs(of);
	else if (!found && parts_named(name, invalid, &found, of, &all) > 1) {
		err_set(err, "there are several parts '%s': name one of %s", name, all.s);
		found = NULL;
		several = true;
	}
	buf_release(&all);
	if (found || several)
		return found;
	if (!*name)
		select_default(&meant);
	else if (select_find(name, &meant, &unknown) < 0)
		return none(name, err);
	newest = meant.id || (!*name && top && select_has_func(&meant, top->func) && !meant.all);
	n = *name ? among(&meant, false, invalid, newest, &found, of, &all) : 0; /* its resume functions aside */
	if (!n)
		n = among(&meant, true, invalid, newest, &found, of, &all);
	if (!n && !*name && !meant.all) { /* the current function has none */
		select_release(&meant);
		meant.all = true;
		newest = false;
		n = among(&meant, true, invalid, false, &found, of, &all);
	}
	if (!n && *name && !invalid) {
		gone = among(&meant, true, true, false, &found, of, &all) > 0;
		found = NULL;
	}
	elsewhere = !*name && !invalid && meant.all && selected_frame_get(&at, NULL) == 0;
	if (elsewhere)
		selected_frame_release(&at);
	select_release(&meant);
	if (!found)
		not_found(name, invalid, gone, err);
	else if (n > 1 && !newest)
		err_set(err, "%s: name one of %s",
			elsewhere ? "the function of the selected frame has no graph" : "there are several graphs",
			all.s);
	buf_release(&all);
	return n <= 1 || newest ? found : NULL;
}

static const char *const stages_known[] = {
	"backend", "joint",	     "forward", "backward", "inference", "post-grad", "post-grad-backward",
	"kernel",  "kernel-backward"
};

bool select_graph_is_stage(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(stages_known) / sizeof(*stages_known); i++)
		if (!strcmp(stages_known[i], name))
			return true;
	return false;
}

/* Which backend makes this stage, or what makes it now. */
static void add_stage_remedy(const struct entry *e, const struct graph *g, const char *name, struct buf *out)
{
	bool lowered = !strncmp(name, "post-grad", 9) || !strncmp(name, "kernel", 6), any = false;
	bool trained = strstr(name, "backward") || !strcmp(name, "joint") || !strcmp(name, "forward");
	char *backend = model_backend_name((struct entry *)e);
	const struct stage *s;

	for (s = stages_of(e); s; s = s->next)
		any = any || !strcmp(s->graph, g->full);
	if (!select_graph_is_stage(name))
		; /* no backend makes it */
	else if (!strcmp(name, "backend"))
		buf_adds(out, "; it is there if a backend of the program's changes the graph");
	else if (backend && !strcmp(backend, "eager"))
		buf_adds(out, "; backend 'eager' makes no others");
	else if (lowered && backend && any && strcmp(backend, "inductor"))
		buf_addf(out, "; backend '%s' makes no such stage, 'inductor' does", backend);
	else if (e->end && (trained || !any || lowered))
		buf_adds(out, "; the program has ended, so none is made again");
	else if (trained)
		buf_addf(out, "; 'graph recompile -backward %s' makes it where an input requires a gradient", g->name);
	else if (any && !lowered)
		buf_adds(out, "; a graph that is trained has no such stage");
	else
		buf_addf(out, "; 'graph recompile %s' makes the stages again", g->name);
	free(backend);
}

void select_graph_tell_parts(const struct entry *e, const struct graph *g, const char *stage, struct buf *out)
{
	const struct graph *first = graphs_next_part(e, g, NULL);
	struct buf parts = { 0 };

	if (!first)
		return;
	graphs_tell_parts(e, g, &parts);
	buf_addf(out, "; it is compiled in parts, which have the stages: %s, as in '%s %s'", parts.s + 2, first->name,
		 stage);
	buf_release(&parts);
}

static const struct stage *stage_named(const struct entry *e, const struct graph *g, const char *name, struct err *err)
{
	const struct stage *s;
	struct buf all = { 0 };

	for (s = stages_of(e); s; s = s->next) {
		if (strcmp(s->graph, g->full))
			continue;
		if (!strcmp(s->name, name))
			break;
		buf_addf(&all, ", %s", s->name);
	}
	if (!s) {
		if (graphs_next_part(e, g, NULL))
			select_graph_tell_parts(e, g, name, &all);
		else
			add_stage_remedy(e, g, name, &all);
		err_set(err, "no stage '%s' of '%s': there %s captured%s", name, g->name,
			*buf_str(&all) == ',' ? "are" : "is", buf_str(&all));
	}
	buf_release(&all);
	return s;
}

/* Some graph has such a stage. */
static bool is_stage(const char *word)
{
	const struct entry *e;
	const struct stage *s;

	for (e = model_entries; e; e = e->next)
		for (s = stages_of(e); s; s = s->next)
			if (!strcmp(s->name, word))
				return true;
	return !strcmp(word, "captured");
}

/* The sub-graph of that path, "cond_true_0" or "cond_true_0.body"; NULL: there is none. */
static const struct nodes *sub_at(const struct nodes *g, const char *path)
{
	size_t n;
	int i;

	for (i = 0; g && i < g->nsub; i++) {
		n = strlen(g->sub[i].name);
		if (!strncmp(g->sub[i].name, path, n) && (!path[n] || path[n] == '.'))
			return path[n] ? sub_at(g->sub[i].nodes, path + n + 1) : g->sub[i].nodes;
	}
	return NULL;
}

/* A sub-graph, "cond_true_0" of the captured graph or else of a stage, "forward.true_graph_0" of this one. */
static const struct nodes *find_sub(const struct entry *e, const struct graph *g, const char *word,
				    const struct stage **of, const char **path)
{
	const char *dot = strchr(word, '.');
	size_t n = dot ? (size_t)(dot - word) : 0;
	const struct nodes *found = sub_at(g->copy, *path = word);
	const struct stage *s;

	*of = NULL;
	if (!found && n == 8 && !strncmp(word, "captured", n))
		found = sub_at(g->copy, *path = dot + 1);
	for (s = stages_of(e); s && !found; s = s->next) {
		if (strcmp(s->graph, g->full) || !s->copy)
			continue;
		*of = s;
		found = sub_at(s->copy, *path = word);
		if (!found && dot && strlen(s->name) == n && !strncmp(word, s->name, n))
			found = sub_at(s->copy, *path = dot + 1);
	}
	return found;
}

/* Some graph has such a sub-graph. */
static bool is_sub(const char *word)
{
	const struct entry *e;
	const struct stage *of;
	const char *path;
	int i;

	for (e = model_entries; e; e = e->next)
		for (i = 0; i < e->made.ngraphs; i++)
			if (find_sub(e, &e->made.graph[i], word, &of, &path))
				return true;
	return false;
}

/* "NAME STAGE", "NAME", "STAGE", ""; a sub-graph instead of a stage. */
int select_graph_stage(const char *words, struct staged *out, struct err *err)
{
	const char *space = strrchr(words, ' '), *stage = space				   ? space + 1 :
							  is_stage(words) || is_sub(words) ? words :
											     "";
	const char *end = space ? space : *stage ? words : words + strlen(words);
	char *name = mem_fmt("%.*s", (int)(end - words), words);
	const struct stage *s = NULL;
	const char *path;
	struct graph *g;

	memset(out, 0, sizeof(*out));
	g = select_graph(name, &out->entry, err);
	if (!g && !space && select_graph_is_stage(name)) { /* nothing has this name: it is a stage that is not there */
		stage = words;
		g = select_graph("", &out->entry, err);
	}
	free(name);
	out->nodes = g && *stage ? find_sub(out->entry, g, stage, &s, &path) : NULL;
	if (out->nodes) {
		out->name = mem_fmt("%s%s%s %s", g->name, s ? " " : "", s ? s->name : "", path);
		out->stage = s;
		return 0;
	}
	s = NULL;
	if (g && *stage && strcmp(stage, "captured"))
		s = stage_named(out->entry, g, stage, err);
	if (!g || (*stage && strcmp(stage, "captured") && !s))
		return -1;
	if (!s && !g->copy)
		return err_set(err, "the nodes of '%s' are not recorded: it was compiled before cdbg was loaded",
			       g->name);
	out->nodes = s ? s->copy : g->copy;
	out->text = s ? s->text : NULL;
	out->stage = s;
	out->name = s ? mem_fmt("%s %s", g->name, s->name) : mem_str(g->name);
	return 0;
}

void select_graph_stage_complete(struct session *s, const char *words, const char *word, struct val *list)
{
	const struct entry *e;
	const struct stage *stage;
	int i;

	(void)s;
	(void)word;
	val_pushf(list, "captured\tthe graph as Dynamo captured it");
	for (e = model_entries; e; e = e->next) {
		for (stage = stages_of(e); stage; stage = stage->next)
			val_pushf(list, "%s\ta stage of the backend", stage->name);
		if (strchr(words, ' ') || !e->made.ngraphs)
			continue;
		select_complete_entry(e, list);
		for (i = 0; i < e->made.ngraphs; i++)
			val_pushf(list, "%s\tgraph of entry %s", e->made.graph[i].name, e->id);
	}
}
