/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps what a report needs of an entry's code, which may be freed before the report is written: see data.h. */
#include "code/dynamo_code.h"
#include "guards/guard_args.h"
#include "guards/guard_model.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "report/data.h"
#include "show/dynamo_show.h"
#include "show/view_guards.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_LINKS = 50000 };

struct kept {
	struct kept *next;
	const struct entry *entry;
	struct val *v; /* owned */
};

static struct kept *kept;

/* ---- values --------------------------------------------------------------------------------------------------- */

const struct val *data_list(const struct val *map, const char *key)
{
	static const struct val empty = { .type = VAL_LIST };
	const struct val *v = map ? val_get(map, key) : NULL;

	return v && v->type == VAL_LIST ? v : &empty;
}

double data_real(const struct val *map, const char *key)
{
	const struct val *v = val_get(map, key);

	return !v ? 0 : v->type == VAL_REAL ? v->u.r : v->type == VAL_INT ? (double)v->u.i : 0;
}

/* Columns without a meaning outside a stop, or that repeat others. */
static bool is_left_out(const struct view_col *c)
{
	return c->screen || !strcmp(c->name, "current") || !strcmp(c->name, "place");
}

struct val *data_rows(const struct view_ops *v, const char *words)
{
	struct reply reply = { .rows = NULL };
	struct val *list = val_list(), *row;
	const struct rows *r;
	const struct val *cell;
	struct err err;
	size_t i;
	int k;

	if (!v || host->rows.reply(v, words, &reply, &err) < 0)
		return list;
	r = reply.rows;
	for (i = 0; i < r->n; i++) {
		row = val_push(list, val_map());
		for (k = 0; k < r->ncols; k++) {
			cell = r->cell[i * (size_t)r->ncols + (size_t)k].v;
			if (!is_left_out(&v->cols[k]) && cell && cell->type != VAL_NULL)
				val_put(row, v->cols[k].name, val_copy(cell));
		}
	}
	host->rows.release(reply.rows);
	return list;
}

/* ---- what dies with the code ---------------------------------------------------------------------------------- */

static struct val *regions_data(struct entry *e)
{
	struct val *list = val_list(), *row;
	const struct region *r, *same;
	struct code *c = host->code.get((struct py_code *)e->co);
	int i, n = regions_of(e, &r);
	char *id, *other;

	host->code.decode(c);
	for (i = 0; i < n; i++) {
		row = val_push(list, val_map());
		same = regions_first(e, r[i].kind);
		id = mem_fmt("%s:%s", e->id, host->code.region_name(r[i].kind));
		if (same && same->start != r[i].start) { /* as views name it */
			other = mem_fmt("%s@%d", id, r[i].start);
			free(id);
			id = other;
		}
		val_put(row, "id", val_str(id));
		free(id);
		val_put(row, "region", val_str(host->code.region_name(r[i].kind)));
		val_put(row, "start", val_int(r[i].start));
		val_put(row, "end", val_int(r[i].end));
		if (r[i].text)
			val_put(row, "text", val_str(r[i].text));
		if (r[i].line)
			val_put(row, "line", val_int(r[i].line));
		if (r[i].last_line > r[i].line)
			val_put(row, "last_line", val_int(r[i].last_line));
		if (r[i].nodes >= 0)
			val_put(row, "nodes", val_int(r[i].nodes));
		if (r[i].inner)
			val_put(row, "inner", val_str(r[i].inner));
	}
	return list;
}

struct asked {
	struct val *list; /* borrowed */
	const char *self;
};

static void keep_link(void *arg, const char *what, const char *id, int line)
{
	struct asked *a = arg;
	char *key = mem_fmt("%s %s", what, id);

	(void)line;
	if (strcmp(key, a->self))
		val_push(a->list, val_str(key));
	free(key);
}

/* A list of the item and the items related to it.  node: NULL, or the name of a node of the entry's graph. */
static void ask_links(struct val *out, const char *what, const char *id, struct entry *e, const struct graph *g,
		      const char *node)
{
	char *self = mem_fmt("%s %s", what, id);
	struct asked a = { .list = val_list(), .self = self };
	int known;

	val_push(a.list, val_str(self));
	known = node ? related_of_node(e, g, node, keep_link, &a) : related_of(what, id, keep_link, &a);
	if (known && a.list->u.list.n > 1)
		val_push(out, a.list);
	else
		val_free(a.list);
	free(self);
}

/* Nodes of a clone's graph are those of the entry that it was made from. */
static void ask_node(struct val *out, struct entry *e, const struct graph *g, const char *node)
{
	char *id = mem_fmt("%s:%s", g->name, node);

	ask_links(out, "node", id, e, g, e->edit.clone ? NULL : node);
	free(id);
}

/* The items related to each region, guard and node. For a large entry that takes seconds, so only for regions and
   lines. */
static struct val *links(struct entry *e, const struct val *areas, int instructions)
{
	const struct guards *all = guards_of(e);
	struct val *out = val_list();
	const struct nodes *g;
	long nodes = 1;
	char *id;
	size_t k;
	int i, n;

	for (i = 0; i < e->made.ngraphs; i++)
		nodes += e->made.graph[i].copy ? e->made.graph[i].copy->n : 0;
	for (k = 0; k < areas->u.list.n; k++)
		ask_links(out, "region", val_text(areas->u.list.item[k], "id"), NULL, NULL, NULL);
	for (i = 0; all && i < all->n && nodes * all->n < MOST_LINKS; i++) {
		id = mem_fmt("%d", all->guard[i].number);
		ask_links(out, "guard", id, NULL, NULL, NULL);
		free(id);
	}
	for (i = 0; i < e->made.ngraphs && nodes * instructions < MOST_LINKS; i++) {
		g = e->made.graph[i].copy;
		for (n = 0; g != NULL && n < g->n; n++)
			ask_node(out, e, &e->made.graph[i], g->node[n].name);
	}
	return out;
}

/* ---- resume functions ------------------------------------------------------------------------------------ */

static bool is_first_of_code(const struct entry *e)
{
	const struct entry *i;

	for (i = model_entries; i && i != e; i = i->next)
		if (i->func == e->func)
			return false;
	return true;
}

void data_resume(struct val *map, const struct entry *e)
{
	const struct entry *i;
	int number = 1;

	if (!e->func->root)
		return;
	for (i = model_entries; i && i->func != e->func; i = i->next)
		number += i->func->root == e->func->root && is_first_of_code(i);
	val_put(map, "resume_function", val_str(e->func->name));
	val_put(map, "resume_number", val_int(number));
	if (e->func->resume_line)
		val_put(map, "resume_line", val_int(e->func->resume_line));
}

/* Variables of functions around it that the code uses. */
static void free_variables(struct val *map, PyCodeObject *co)
{
	PyObject *names = PyCode_GetFreevars(co); /* owned, released at the end */
	struct val *list;
	const char *name;
	Py_ssize_t i;

	if (names && PyTuple_GET_SIZE(names)) {
		list = val_put(map, "free_variables", val_list());
		for (i = 0; i < PyTuple_GET_SIZE(names); i++) {
			name = py_text_utf8(PyTuple_GET_ITEM(names, i));
			if (name)
				val_push(list, val_str(name));
		}
	}
	PyErr_Clear();
	Py_XDECREF(names);
}

struct val *data_code(struct entry *e)
{
	struct val *map = val_map(), *areas, *code;

	areas = val_put(map, "regions", regions_data(e));
	code = val_put(map, "code", data_rows(host->rows.view("code"), e->id));
	val_put(map, "python", data_rows(host->rows.view("python"), e->id));
	free_variables(map, e->co);
	val_put(map, "last_line", val_int(resume_last_line(model_root(e->func))));
	val_put(map, "guards", data_rows(&view_guards, e->id));
	val_put(map, "links", links(e, areas, (int)code->u.list.n));
	return map;
}

/* ---- kept at the compile ------------------------------------------------------------------------------- */

const struct val *data_kept(const struct entry *e)
{
	const struct kept *k;

	for (k = kept; k && k->entry != e; k = k->next)
		;
	return k ? k->v : NULL;
}

static void measure_guards(struct compiling *c, struct val *map)
{
	const struct guards *all = guards_of(c->entry);
	struct scene scene;
	struct val *cost;

	scene_compiling(c->frame, &scene);
	cost = all && scene.locals ? view_cost_measured(c->entry, &scene) : NULL;
	if (cost)
		val_put(map, "cost", cost);
	scene_release(&scene);
	PyErr_Clear();
}

void data_compiled(struct compiling *c)
{
	PyObject *type, *value, *tb;
	struct kept *k;

	if (!c->entry || !c->entry->co || !host->talk.option_number("report-keep"))
		return;
	PyErr_Fetch(&type, &value, &tb);
	k = mem_alloc(sizeof(*k));
	k->entry = c->entry;
	k->v = data_code(c->entry);
	measure_guards(c, k->v);
	k->next = kept;
	kept = k;
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
}

void data_release(void)
{
	struct kept *k;

	while ((k = kept)) {
		kept = k->next;
		val_free(k->v);
		free(k);
	}
}
