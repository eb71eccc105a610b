/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaf guards as plain data, numbered for the whole run, with the user's line that made each.  They outlive their
   entry, because nothing of Dynamo is kept.  Knows no values and no view. */
#include "code/dynamo_code.h"
#include "guards/guard_lines.h"
#include "guards/guard_model.h"
#include "guards/guard_recorded.h"
#include "guards/guard_tree.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "torch/attrs.h"
#include "torch/cdbg_host.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static struct {
	struct entry *entry;
	int at;
} * numbered; /* the entry of each guard and the guard's place in it, by number - 1 */
static size_t nnumbered, numbered_cap;

/* ---- an entry's ---------------------------------------------------------------------------------------------- */

void guards_compiled(struct compiling *c, PyObject *guarded_code)
{
	struct entry *e = c->entry;

	e->guard.leaves = mem_alloc(sizeof(*e->guard.leaves));
	e->guard.leaves->stacks = c->guard.stacks;
	stacks_noted(c->guard.stacks);
	c->guard.stacks = NULL;
	if (caller_spot(c))
		e->made.called = *caller_spot(c);
	e->made.why = c->parts.why;
	c->parts.why = NULL;
	val_free(e->made.missed);
	e->made.missed = c->parts.missed;
	c->parts.missed = NULL;
	if (e->made.fresh)
		e->guard.manager = attr(guarded_code, "guard_manager");
	if (e->guard.manager && host->stops.catching("compile"))
		e->made.guards = guards_count_leaves(e->guard.manager);
}

/* releases objects of Dynamo; the leaves stay */
static void guards_release(struct entry *e)
{
	Py_CLEAR(e->guard.manager);
	if (!e->guard.leaves)
		return;
	stacks_forget(e->guard.leaves->stacks);
	free(e->guard.leaves->recorded);
	e->guard.leaves->recorded = NULL;
	tree_forget(&e->guard.leaves->tree);
}

void guards_release_all(void)
{
	struct entry *e;

	for (e = model_entries; e; e = e->next)
		guards_release(e);
}

/* ---- one guard ---------------------------------------------------------------------------------------------- */

static const char *utf8(PyObject *v)
{
	const char *s = py_text_utf8(v);

	return s ? s : "";
}

/* "CODE    # LINE  # FILE:N in F": the code, and the line after it, owned by the caller, if it is not known yet. */
static void guard_part(PyObject *part, struct buf *text, char **made)
{
	const char *s = utf8(part), *end = strstr(s, "  #");
	size_t n = end ? (size_t)(end - s) : strlen(s);

	while (n && (s[n - 1] == ' ' || s[n - 1] == '\n'))
		n--;
	buf_add(text, s, n);
	if (end && made && !*made)
		*made = mem_str(end + 3 + strspn(end + 3, " "));
}

/* One leaf may have several parts. */
void guard_parts(PyObject *parts, struct buf *text, char **made)
{
	Py_ssize_t i;

	for (i = 0; i < PyList_GET_SIZE(parts); i++) {
		if (i)
			buf_adds(text, " and ");
		guard_part(PyList_GET_ITEM(parts, i), text, made);
	}
}

/* The conditions of a guard on symbolic shapes; each was made by another line. */
static void read_conditions(PyObject *parts, struct guard *g)
{
	struct buf text = { 0 };
	struct guard *part;
	int i;

	g->nparts = (int)PyList_GET_SIZE(parts);
	g->part = mem_alloc((size_t)g->nparts * sizeof(*g->part));
	for (i = 0; i < g->nparts; i++) {
		part = &g->part[i];
		*part = (struct guard){ .entry = g->entry,
					.kind = g->kind,
					.depth = g->depth,
					.epilogue = true,
					.python = g->python,
					.source = mem_str("") };
		text.len = 0;
		guard_part(PyList_GET_ITEM(parts, i), &text, &part->made);
		part->text = mem_str(text.len ? text.s : "");
	}
	buf_release(&text);
}

static void read_parts(PyObject *parts, struct guard *g)
{
	struct buf text = { 0 };

	if (parts && PyList_Check(parts))
		guard_parts(parts, &text, &g->made);
	g->text = buf_detach(&text);
	if (g->epilogue && parts && PyList_Check(parts) && PyList_GET_SIZE(parts) > 1)
		read_conditions(parts, g);
}

/* The source of a leaf.  A guard on several values has none of its own; it has that of the value checked first. */
static PyObject *leaf_source(const struct tree *t, const struct leaf *l)
{
	PyObject *source = NULL;

	if (!l->epilogue && l->branch && PyCallable_Check(l->guard))
		source = guards_call(t->branch[l->branch].manager, "get_source");
	if (source && (!PyUnicode_Check(source) || !PyUnicode_GET_LENGTH(source)))
		Py_CLEAR(source);
	return source;
}

/* What the tree, or the record of the calls that built it, has about a guard. */
static void read_guard(struct entry *e, const struct recorded_leaf *l, struct guard *g)
{
	int i;

	memset(g, 0, sizeof(*g));
	g->entry = e;
	g->source = mem_str(utf8(l->source));
	g->kind = l->kind;
	g->depth = l->depth;
	g->epilogue = l->epilogue;
	g->python = !strcmp(g->kind, "LAMBDA_GUARD");
	read_parts(l->parts, g);
	for (i = 0; i < g->nparts; i++)
		guard_find_line(&g->part[i], NULL, e->guard.leaves->stacks);
	guard_find_line(g, l->source, e->guard.leaves->stacks);
}

static void read_leaf(struct entry *e, const struct tree *t, const struct leaf *l, struct guard *g)
{
	PyObject *source = leaf_source(t, l), *parts = guards_call(l->guard, "verbose_code_parts");
	struct recorded_leaf facts = {
		.kind = py_text_keep(_PyType_Name(Py_TYPE(l->guard))),
		.source = source,
		.parts = parts,
		.depth = t->branch[l->branch].depth,
		.epilogue = l->epilogue,
	};

	read_guard(e, &facts, g);
	Py_XDECREF(parts);
	Py_XDECREF(source);
}

static void free_guard(struct guard *g)
{
	int i;

	for (i = 0; i < g->nparts; i++)
		free_guard(&g->part[i]);
	free(g->part);
	free(g->source);
	free(g->text);
	free(g->made);
}

/* ---- those of an entry -------------------------------------------------------------------------------------- */

static void number_guard(struct entry *e, struct guard *g)
{
	numbered = mem_grow(numbered, &numbered_cap, nnumbered + 1, sizeof(*numbered));
	numbered[nnumbered].entry = e;
	g->number = (int)++nnumbered;
}

/* Finds guards by source and kind, each once and in order: a dict with a queue for each. */
static PyObject *queues_of(const struct guard *g, int n)
{
	PyObject *queues = PyDict_New(), *key, *list, *index;
	int i;

	for (i = n; queues && i-- > 0;) { /* the last of a list is the first in order */
		key = PyUnicode_FromFormat("%s\n%s", g[i].source, g[i].kind);
		list = key ? PyDict_GetItemWithError(queues, key) : NULL;
		Py_XINCREF(list);
		if (key && !list && (list = PyList_New(0)))
			PyDict_SetItem(queues, key, list);
		index = PyLong_FromLong(i);
		if (list && index)
			PyList_Append(list, index);
		Py_XDECREF(index);
		Py_XDECREF(list);
		Py_XDECREF(key);
	}
	PyErr_Clear();
	return queues;
}

static int next_of(PyObject *queues, const char *source, const char *kind)
{
	PyObject *key = PyUnicode_FromFormat("%s\n%s", source, kind), *list;
	Py_ssize_t n;
	int i = -1;

	list = key && queues ? PyDict_GetItemWithError(queues, key) : NULL;
	n = list ? PyList_GET_SIZE(list) : 0;
	if (n) {
		i = (int)PyLong_AsLong(PyList_GET_ITEM(list, n - 1));
		PyList_SetSlice(list, n - 1, n, NULL);
	}
	PyErr_Clear();
	Py_XDECREF(key);
	return i;
}

/* The tree has changed since it was read (a guard was added): equal guards keep their numbers. */
static void keep_numbers(const struct guards *old, struct guard *now, int n)
{
	PyObject *queues = old->n ? queues_of(old->guard, old->n) : NULL;
	int i, k;

	for (i = 0; queues && i < n; i++) {
		k = next_of(queues, now[i].source, now[i].kind);
		if (k >= 0)
			now[i].number = old->guard[k].number;
	}
	Py_XDECREF(queues);
}

/* Dynamo moves guards that fail often to the front: puts the leaves into the order in which they were first read.
   False: they are other leaves. */
static bool reorder(const struct guards *all, struct tree *t)
{
	PyObject *queues = NULL;
	struct leaf *sorted;
	char **source = mem_alloc((size_t)t->nleaves * sizeof(*source) + 1);
	PyObject *text;
	bool same = true;
	int i, k;

	for (i = 0; i < t->nleaves; i++) {
		text = leaf_source(t, &t->leaf[i]);
		source[i] = mem_str(utf8(text));
		Py_XDECREF(text);
		same = same && !strcmp(source[i], all->guard[i].source) &&
		       !strcmp(_PyType_Name(Py_TYPE(t->leaf[i].guard)), all->guard[i].kind);
	}
	if (!same) {
		queues = queues_of(all->guard, all->n);
		sorted = mem_alloc((size_t)t->nleaves * sizeof(*sorted));
		same = true;
		for (i = 0; same && i < t->nleaves; i++) {
			k = next_of(queues, source[i], _PyType_Name(Py_TYPE(t->leaf[i].guard)));
			same = k >= 0;
			if (same)
				sorted[k] = t->leaf[i];
		}
		if (same)
			memcpy(t->leaf, sorted, (size_t)t->nleaves * sizeof(*sorted));
		free(sorted);
		Py_XDECREF(queues);
	}
	for (i = 0; i < t->nleaves; i++)
		free(source[i]);
	free(source);
	return same;
}

/* These are the guards of the entry from now on; takes them. */
static const struct guards *replace_guards(struct entry *e, struct guard *now, int n)
{
	struct guards *all = e->guard.leaves;
	int i, k;

	keep_numbers(all, now, n);
	for (i = 0; i < n; i++)
		if (!now[i].number)
			number_guard(e, &now[i]);
	for (i = 0; i < n; i++)
		for (k = 0; k < now[i].nparts; k++)
			now[i].part[k].number = now[i].number;
	for (i = 0; i < all->n; i++)
		free_guard(&all->guard[i]);
	free(all->guard);
	free(all->sorted);
	free(all->recorded);
	all->sorted = NULL;
	all->recorded = NULL;
	all->guard = now;
	all->n = n;
	for (i = 0; i < n; i++)
		numbered[now[i].number - 1].at = i;
	return all;
}

static const struct guards *read_guards(struct entry *e, struct tree *t)
{
	struct guards *all = e->guard.leaves;
	struct guard *now;
	int i;

	if (all && all->guard && all->n == t->nleaves && reorder(all, t))
		return all;
	if (!all)
		e->guard.leaves = mem_alloc(sizeof(*all));
	now = mem_alloc((size_t)t->nleaves * sizeof(*now) + 1);
	for (i = 0; i < t->nleaves; i++)
		read_leaf(e, t, &t->leaf[i], &now[i]);
	return replace_guards(e, now, t->nleaves);
}

void guards_note_record(struct entry *e)
{
	struct guards *all = e->guard.leaves;

	if (all && e->edit.record && !all->guard)
		all->nrecorded = guards_recorded(e->edit.record, &all->recorded, &all->recorded_root);
}

/* Reads them from the record of the calls that built them.  NULL: they are not recorded, or the tree is gone, or has
   guards that were added later. */
static const struct guards *read_recorded(struct entry *e)
{
	PyObject *own = entry_original(e), *manager = own ? own : model_manager(e);
	struct guards *all = e->guard.leaves;
	struct guard *now = NULL;
	int i;

	if (manager && e->edit.record && all && all->recorded && tree_root_leaves(manager) == all->recorded_root)
		now = mem_alloc((size_t)all->nrecorded * sizeof(*now) + 1);
	for (i = 0; now && i < all->nrecorded; i++)
		read_guard(e, &all->recorded[i], &now[i]);
	Py_XDECREF(manager);
	return now ? replace_guards(e, now, all->nrecorded) : NULL;
}

const struct guards *guards_tree(struct entry *e, struct tree **t)
{
	PyObject *own = entry_original(e), *manager = own ? own : model_manager(e);
	const struct guards *all = NULL;

	if (manager && e->guard.leaves && tree_use(&e->guard.leaves->tree, manager)) {
		*t = e->guard.leaves->tree;
		all = e->guard.leaves;
	} else if (manager) {
		*t = mem_alloc(sizeof(**t));
		if (tree_read(manager, *t) == 0) {
			(*t)->users = 1;
			all = read_guards(e, *t);
			tree_keep(*t, &e->guard.leaves->tree);
		} else {
			free(*t);
		}
	}
	Py_XDECREF(manager);
	return all;
}

const struct guards *guards_of(struct entry *e)
{
	const struct guards *all;
	struct tree *t;

	if (e->guard.leaves && e->guard.leaves->guard)
		return e->guard.leaves;
	all = read_recorded(e);
	if (!all) {
		all = guards_tree(e, &t);
		if (all)
			tree_done(t);
	}
	return all;
}

const struct guard *guards_numbered(long n)
{
	const struct guards *all;
	int at;

	if (n < 1 || (size_t)n > nnumbered)
		return NULL;
	all = numbered[n - 1].entry->guard.leaves;
	at = numbered[n - 1].at;
	return all && at < all->n && all->guard[at].number == n ? &all->guard[at] : NULL;
}

/* How many leaf guards an entry has, according to Dynamo. */

int guards_count_leaves(PyObject *guard_manager)
{
	struct tree t;
	int n;

	if (tree_read(guard_manager, &t) < 0)
		return -1;
	n = t.nleaves;
	tree_release(&t);
	return n;
}

int guards_count(struct entry *e)
{
	PyObject *own = entry_original(e), *manager = own ? own : model_manager(e);
	int n = manager ? guards_count_leaves(manager) + entry_more_guards(e) : e->end ? e->made.guards : -1;

	Py_XDECREF(manager);
	if (n >= 0)
		e->made.guards = n;
	return n;
}
