/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds related items: from an instruction, region, line of the user, graph node, guard or entry to the others. A
   graph is one call: its nodes are related to the code by its inputs, the call, its outputs, and their lines. */
#include "code/dynamo_code.h"
#include "code/locate.h"
#include "code/select_graph.h"
#include "guards/guard_model.h"
#include "model/effects.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/source_line.h"
#include "show/dynamo_show.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Which side effect an instruction of generated code replays. */

/* Is it what an instruction names by "history", or by the constant 'history'?  The target is "self.history". */
static bool target_ends(const char *target, const char *named)
{
	size_t n = strcspn(target, "["), k = strlen(named), from = n;

	if (k > 1 && *named == '\'' && named[k - 1] == '\'') {
		named++;
		k -= 2;
	}
	while (from && target[from - 1] != '.')
		from--;
	return k && n - from == k && !strncmp(target + from, named, k);
}

/* Can an instruction like this name what an effect changes? */
static bool names_target(const char *op)
{
	static const char *const all[] = { "LOAD_ATTR",	  "LOAD_METHOD",   "LOAD_CONST", "LOAD_FAST",	 "LOAD_DEREF",
					   "LOAD_GLOBAL", "LOAD_NAME",	   "STORE_ATTR", "STORE_GLOBAL", "STORE_DEREF",
					   "DELETE_ATTR", "DELETE_GLOBAL", NULL };
	int i;

	for (i = 0; all[i]; i++)
		if (!strncmp(op, all[i], strlen(all[i])))
			return true;
	return false;
}

/* The target of the entry's effect that this instruction names, such as "self.history" where it loads the attribute;
   NULL: none, or several could be meant.  Several effects may have this target, one for each line.  Borrowed. */
static const char *effect_at(const struct entry *e, struct code *c, int index)
{
	const char *found = NULL;
	struct buf name = { 0 };
	const struct effect *f;

	if (!e->made.effects || index < 0 || index >= c->n || !names_target(host->code.op_name(c->instr[index].op)))
		return NULL;
	host->code.arg_text(c, index, &name);
	for (f = e->made.effects; f; f = f->next) {
		if (!target_ends(f->target, buf_str(&name)))
			continue;
		if (found && strcmp(found, f->target)) {
			found = NULL;
			break;
		}
		found = f->target;
	}
	buf_release(&name);
	return found;
}

/* The related items that were found: each item once, in the order in which it was found. */

static char **link_place(const struct link_set *l, const char *key)
{
	size_t h = 14695981039346656037u, i;
	const char *s;

	for (s = key; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	for (i = h & (l->cap - 1); l->seen[i] && strcmp(l->seen[i], key); i = (i + 1) & (l->cap - 1))
		;
	return &l->seen[i];
}

static void grow_table(struct link_set *l)
{
	struct link_set old = *l;
	size_t i;

	l->cap = old.cap ? 2 * old.cap : 64;
	l->seen = mem_alloc(l->cap * sizeof(*l->seen));
	for (i = 0; i < old.cap; i++)
		if (old.seen[i])
			*link_place(l, old.seen[i]) = old.seen[i];
	free(old.seen);
}

void link_set_put(struct link_set *l, const char *what, int line, char *id)
{
	char *key = mem_fmt("%s %s", what, id), **at;

	if (2 * l->n >= l->cap)
		grow_table(l);
	at = link_place(l, key);
	if (*at) {
		free(key);
	} else {
		*at = key;
		if (l->n++) /* the first is the item of the question */
			l->add(l->arg, what, id, line);
	}
	free(id);
}

static void link_entry(struct link_set *l, const struct entry *e)
{
	link_set_put(l, "entry", e->func->line, mem_str(e->id));
}

static void link_region(struct link_set *l, const struct entry *e, const struct region *r)
{
	const struct region *same = r ? regions_first((struct entry *)e, r->kind) : NULL;

	if (same && same->start != r->start)
		link_set_put(l, "region", r->line,
			     mem_fmt("%s:%s@%d", e->id, host->code.region_name(r->kind), r->start));
	else if (same)
		link_set_put(l, "region", r->line, mem_fmt("%s:%s", e->id, host->code.region_name(r->kind)));
}

static void link_line(struct link_set *l, const char *file, int line)
{
	if (file && line)
		link_set_put(l, "line", line, mem_fmt("%s:%d", file, line));
}

static void link_node(struct link_set *l, const struct graph *g, int i)
{
	const struct source_line *s = graphs_line(g->copy, &g->copy->node[i]);

	link_set_put(l, "node", s ? s->line : 0, mem_fmt("%s:%s", g->name, g->copy->node[i].name));
}

static void link_instruction(struct link_set *l, const struct entry *e, int index, int line)
{
	link_set_put(l, "instruction", line, mem_fmt("%s:%d", e->id, index));
}

static void link_guard(struct link_set *l, const struct guard *g)
{
	link_set_put(l, "guard", g->line, mem_fmt("%d", g->number));
}

/* True if the guard checks the value of this source, or a part of it. A guard without a source names its values in
   its text. */
static bool about(const struct guard *g, const char *source)
{
	size_t n = strlen(source);

	if (!*g->source)
		return strstr(g->text, source) != NULL;
	return !strncmp(g->source, source, n) && !isalnum((unsigned char)g->source[n]) && g->source[n] != '_';
}

/* The guards of an entry about this source, or NULL: all of them. */
static void link_guards(struct link_set *l, struct entry *e, const char *source)
{
	const struct guards *all = guards_of(e);
	int i;

	for (i = 0; all && i < all->n; i++)
		if (!source || about(&all->guard[i], source))
			link_guard(l, &all->guard[i]);
}

/* ---- generated code and its graph ----------------------------------------------------------------------------- */

static const char *opcode_name(const struct code *c, int i)
{
	return i >= 0 && i < c->n ? host->code.op_name(c->instr[i].op) : "";
}

static const char *instr_name(struct code *c, int i)
{
	PyObject *v = (PyObject *)host->code.arg_object(c, i);
	const char *s = v && PyUnicode_Check(v) ? PyUnicode_AsUTF8(v) : NULL;

	PyErr_Clear();
	return s ? s : "";
}

static char *arg_text(struct code *c, int i)
{
	struct buf b = { 0 };
	char *s;

	host->code.arg_text(c, i, &b);
	s = mem_str(buf_str(&b));
	buf_release(&b);
	return s;
}

/* The graph whose function this region calls. */
static struct graph *region_graph(struct entry *e, const struct region *r)
{
	struct code *c = host->code.get((struct py_code *)e->co);
	int i, k;

	for (i = r->start; i < r->end; i++)
		for (k = 0; k < e->made.ngraphs; k++)
			if (py_text_begins_with(opcode_name(c, i), "LOAD_GLOBAL") &&
			    !strcmp(instr_name(c, i), e->made.graph[k].full))
				return e->made.graph[k].copy ? &e->made.graph[k] : NULL;
	return NULL;
}

/* The placeholder that the value loaded here becomes, -1: none.  Only plain locals are followed. */
static int input_at(const struct graph *g, struct code *c, int i)
{
	char *local, *source;
	int k, found = -1;

	if (!py_text_begins_with(opcode_name(c, i), "LOAD_FAST") && strcmp(opcode_name(c, i), "LOAD_DEREF"))
		return -1;
	local = arg_text(c, i);
	source = mem_fmt("L['%s']", local);
	for (k = 0; k < g->copy->n && found < 0; k++)
		if (g->copy->node[k].source && !strcmp(g->copy->node[k].source, source))
			found = k;
	free(source);
	free(local);
	return found;
}

/* The index of the graph's output that the three instructions around this one load, -1: none. */
static int picked(struct code *c, int i)
{
	int start = i, k;
	char *name, *at;

	while (start > i - 2 && strcmp(opcode_name(c, start), "LOAD_FAST"))
		start--;
	if (strcmp(opcode_name(c, start), "LOAD_FAST") || strcmp(opcode_name(c, start + 1), "LOAD_CONST") ||
	    !py_text_begins_with(opcode_name(c, start + 2), "BINARY_"))
		return -1;
	name = arg_text(c, start);
	at = arg_text(c, start + 1);
	k = py_text_begins_with(name, "graph_out_") ? atoi(at) : -1;
	free(at);
	free(name);
	return k;
}

/* Which output this instruction stores where the call's last instruction unpacked them: stores take them in order. */
static int unpacked_output(struct code *c, const struct region *call, int i)
{
	int at = call->end - 1, k;

	if (i <= at || strcmp(opcode_name(c, at), "UNPACK_SEQUENCE") || i - at > c->instr[at].arg)
		return -1;
	for (k = at + 1; k <= i; k++)
		if (strcmp(opcode_name(c, k), "STORE_FAST"))
			return -1;
	return i - at - 1;
}

/* The node whose value is taken out of the graph's output here, -1: none. */
static int output_at(const struct graph *g, struct code *c, const struct region *call, int i)
{
	const struct node *out = g->copy->n ? &g->copy->node[g->copy->n - 1] : NULL;
	int k = unpacked_output(c, call, i);

	if (k < 0)
		k = picked(c, i);
	return out && k >= 0 && k < out->nin ? out->in[k] : -1;
}

static bool is_at(const struct graph *g, const struct node *n, const char *file, int line)
{
	const struct source_line *s;
	int k;

	for (k = 0; k < n->nspots; k++) {
		s = &g->copy->spot[n->spot + k];
		if (s->line == line && host->files.fits(file, s->file))
			return true;
	}
	return false;
}

static void line_nodes(struct link_set *l, const struct entry *e, const char *file, int line)
{
	int i, k;

	for (k = 0; k < e->made.ngraphs; k++)
		for (i = 0; e->made.graph[k].copy && i < e->made.graph[k].copy->n; i++)
			if (is_at(&e->made.graph[k], &e->made.graph[k].copy->node[i], file, line)) {
				link_node(l, &e->made.graph[k], i);
				stage_links_node(l, e, &e->made.graph[k], e->made.graph[k].copy->node[i].name);
			}
}

static void all_nodes(struct link_set *l, const struct graph *g)
{
	int i;

	for (i = 0; g && i < g->copy->n; i++)
		link_node(l, g, i);
}

/* The lines that change this object. */
static void link_effects(struct link_set *l, const struct entry *e, const char *target)
{
	const struct effect *f;

	for (f = target ? e->made.effects : NULL; f; f = f->next)
		if (!strcmp(f->target, target))
			link_line(l, f->file, f->line);
}

/* ---- from each kind ------------------------------------------------------------------------------------------- */

static int from_instruction(struct link_set *l, struct entry *e, int index)
{
	struct code *c = host->code.get((struct py_code *)e->co);
	const struct region *r, *call = regions_first(e, REGION_GRAPH_CALL);
	struct graph *g = call ? region_graph(e, call) : NULL;
	int k = -1, line;

	host->code.decode(c);
	if (index < 0 || index >= c->n)
		return 0;
	r = regions_at(e, index);
	line = !r ? 0 : r->kind == REGION_ORIGINAL ? c->instr[index].line : r->line;
	link_instruction(l, e, index, line);
	link_region(l, e, r);
	link_entry(l, e);
	if (g && r == call) {
		k = input_at(g, c, index);
		if (k < 0)
			all_nodes(l, g);
	} else if (g && r && r->kind == REGION_OUTPUTS) {
		k = output_at(g, c, call, index);
	}
	if (r && r->kind == REGION_SIDE_EFFECTS)
		link_effects(l, e, effect_at(e, c, index));
	if (k >= 0) {
		link_node(l, g, k);
		if (g->copy->node[k].source)
			link_guards(l, e, g->copy->node[k].source);
		if (graphs_line(g->copy, &g->copy->node[k]))
			link_line(l, graphs_line(g->copy, &g->copy->node[k])->file,
				  graphs_line(g->copy, &g->copy->node[k])->line);
		return 1;
	}
	link_line(l, e->func->file, line);
	if (line && r != call)
		line_nodes(l, e, e->func->file, line);
	return 1;
}

/* `resume call@194` is the one that begins there, `resume call` the first of its kind. */
static const struct region *region_meant(struct entry *e, const char *text)
{
	const char *at = strchr(text, '@');
	const struct region *r;
	int i, n = regions_of(e, &r);

	if (at)
		return regions_at(e, atoi(at + 1));
	for (i = 0; i < n; i++)
		if (!strcmp(host->code.region_name(r[i].kind), text))
			return &r[i];
	return NULL;
}

static int from_region(struct link_set *l, struct entry *e, const char *name)
{
	const struct region *r = region_meant(e, name);
	int line;

	if (!r || strncmp(host->code.region_name(r->kind), name, strlen(host->code.region_name(r->kind))))
		return 0;
	link_region(l, e, r);
	link_entry(l, e);
	link_instruction(l, e, r->start, r->line);
	for (line = r->line; line && line <= (r->last_line > r->line ? r->last_line : r->line); line++)
		link_line(l, e->func->file, line);
	if (r->kind == REGION_GRAPH_CALL)
		all_nodes(l, region_graph(e, r));
	else if (r->line)
		line_nodes(l, e, e->func->file, r->line);
	return 1;
}

/* Instructions that load this placeholder, or take this output apart. */
static void node_instructions(struct link_set *l, struct entry *e, const struct graph *g, int node)
{
	const struct region *r, *call = regions_first(e, REGION_GRAPH_CALL);
	struct code *c = e->co ? host->code.get((struct py_code *)e->co) : NULL;
	int i;

	for (i = call && c ? call->start : 0; call && c && i < c->n; i++) {
		r = regions_at(e, i);
		if (r == call ? input_at(g, c, i) == node :
				r && r->kind == REGION_OUTPUTS && !py_text_begins_with(opcode_name(c, i), "LOAD_") &&
					output_at(g, c, call, i) == node)
			link_instruction(l, e, i, r->line);
	}
}

static int related_to_node(struct link_set *l, struct entry *e, const struct graph *g, const char *name)
{
	const struct node *n = graphs_own_node(g->copy, name, strlen(name));
	int i = n ? (int)(n - g->copy->node) : -1;

	if (!n)
		return 0;
	link_node(l, g, i);
	link_entry(l, e);
	if (e->co)
		link_region(l, e, regions_first(e, REGION_GRAPH_CALL));
	if (graphs_line(g->copy, n))
		link_line(l, graphs_line(g->copy, n)->file, graphs_line(g->copy, n)->line);
	if (e->co)
		node_instructions(l, e, g, i);
	if (n->source)
		link_guards(l, e, n->source);
	stage_links_node(l, e, g, n->name);
	return 1;
}

static int from_guard(struct link_set *l, const struct guard *guard)
{
	struct entry *e = guard->entry;
	const struct graph *g;
	int i, k;

	link_guard(l, guard);
	link_entry(l, e);
	for (i = 0; i < guard->nparts; i++)
		link_line(l, guard->part[i].file, guard->part[i].line);
	link_line(l, guard->file, guard->line);
	for (k = 0; k < e->made.ngraphs; k++) {
		g = &e->made.graph[k];
		for (i = 0; g->copy && i < g->copy->n; i++) {
			if (!g->copy->node[i].source || !about(guard, g->copy->node[i].source))
				continue;
			link_node(l, g, i);
			if (e->co)
				node_instructions(l, e, g, i);
		}
	}
	return 1;
}

/* True if it was made at this line, or in a call by this line. */
static bool made_at(const struct guard *g, const char *file, int line)
{
	bool yes = g->line == line && g->file && host->files.fits(file, g->file);
	int i;

	for (i = 0; g->stack && i < g->at && !yes; i++)
		yes = g->stack[i].line == line && host->files.fits(file, g->stack[i].file);
	for (i = 0; i < g->nparts && !yes; i++)
		yes = made_at(&g->part[i], file, line);
	return yes;
}

static void line_guards(struct link_set *l, struct entry *e, const char *file, int line)
{
	const struct guards *all = guards_of(e);
	int i;

	for (i = 0; all && i < all->n; i++)
		if (made_at(&all->guard[i], file, line))
			link_guard(l, &all->guard[i]);
}

static int from_line(struct link_set *l, const char *file, int line)
{
	const struct region *r;
	struct entry *e;
	size_t before;
	int i, n;

	link_line(l, file, line);
	before = l->n;
	for (e = model_entries; e; e = e->next) {
		n = e->co ? regions_of(e, &r) : 0;
		for (i = 0; i < n; i++)
			if (host->files.fits(file, e->func->file) && r[i].line && r[i].line <= line &&
			    line <= (r[i].last_line > r[i].line ? r[i].last_line : r[i].line)) {
				link_entry(l, e);
				link_region(l, e, &r[i]);
			}
		line_nodes(l, e, file, line);
		line_guards(l, e, file, line);
	}
	return l->n > before;
}

static int from_entry(struct link_set *l, struct entry *e)
{
	const struct region *r;
	int i, n = e->co ? regions_of(e, &r) : 0;

	link_entry(l, e);
	link_line(l, e->func->file, e->func->line);
	for (i = 0; i < n; i++)
		link_region(l, e, &r[i]);
	for (i = 0; i < e->made.ngraphs; i++)
		if (e->made.graph[i].copy)
			all_nodes(l, &e->made.graph[i]);
	link_guards(l, e, NULL);
	return 1;
}

/* "0/0:42": the entry before the last colon, and the text after it. */
static struct entry *split_id(const char *id, const char **rest)
{
	const char *colon = strrchr(id, ':');
	char *name = colon ? mem_fmt("%.*s", (int)(colon - id), id) : NULL;
	struct entry *e = name ? model_entry_named(name) : NULL;

	free(name);
	*rest = colon ? colon + 1 : "";
	return e;
}

static int from(struct link_set *l, const char *what, const char *id)
{
	const char *rest;
	struct entry *e = split_id(id, &rest), *of = NULL;
	struct graph *g;
	struct err err;
	char *name;
	int ret = 0;

	if (!strcmp(what, "entry"))
		return (e = model_entry_named(id)) ? from_entry(l, e) : 0;
	if (!strcmp(what, "guard") && *id && !id[strspn(id, "0123456789")])
		return guards_numbered(atol(id)) ? from_guard(l, guards_numbered(atol(id))) : 0;
	if (!strcmp(what, "instruction"))
		return e && e->co && isdigit((unsigned char)*rest) ? from_instruction(l, e, atoi(rest)) : 0;
	if (!strcmp(what, "region"))
		return e && e->co ? from_region(l, e, rest) : 0;
	if (!*rest)
		return 0;
	name = mem_fmt("%.*s", (int)(rest - 1 - id), id);
	if (!strcmp(what, "node") && py_text_ends_with(name, ":captured")) /* the graph itself */
		*strrchr(name, ':') = '\0';
	if (!strcmp(what, "line"))
		ret = from_line(l, py_text_keep(name), atoi(rest));
	else if (!strcmp(what, "buffer") || !strcmp(what, "kernel") || (!strcmp(what, "node") && strchr(name, ':')))
		ret = stage_links_from(l, what, name, rest);
	else if (!strcmp(what, "node") && (g = select_graph(name, &of, &err)))
		ret = related_to_node(l, of, g, rest);
	free(name);
	return ret;
}

static int links_end(struct link_set *l, int found)
{
	while (l->cap)
		free(l->seen[--l->cap]);
	free(l->seen);
	return found;
}

int related_of(const char *what, const char *id, related_add *add, void *arg)
{
	struct link_set l = { .add = add, .arg = arg };

	return links_end(&l, from(&l, what, id));
}

int related_of_node(struct entry *e, const struct graph *g, const char *node, related_add *add, void *arg)
{
	struct link_set l = { .add = add, .arg = arg };

	return links_end(&l, related_to_node(&l, e, g, node));
}
