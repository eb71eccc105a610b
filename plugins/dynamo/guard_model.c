/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaf guards as plain data, numbered for the whole run, with the user's line that made each.  They outlive their
   entry: nothing of Dynamo's is kept.  Knows no values and no view. */
#include "edit.h"
#include "guards.h"
#include <stdlib.h>
#include <string.h>

static struct { struct entry *entry; } *numbered;      /* whose guard it is, by number less 1 */
static size_t nnumbered, numbered_cap;

/* ---- noted while Dynamo compiles: the stacks of the program's code that guards come from ---------------------- */

/* ((file, line), ...), outermost first; one object for all stacks that are alike. */
static PyObject *plain(PyObject *stack, PyObject *known)
{
	Py_ssize_t i, n = PyList_GET_SIZE(stack);
	PyObject *rows = PyTuple_New(n), *file, *line, *row, *same;

	for (i = 0; rows && i < n; i++) {
		file = attr(PyList_GET_ITEM(stack, i), "filename");
		line = attr(PyList_GET_ITEM(stack, i), "lineno");
		row = PyTuple_Pack(2, file ? file : Py_None, line ? line : Py_None);
		Py_XDECREF(line);
		Py_XDECREF(file);
		if (row)
			PyTuple_SET_ITEM(rows, i, row);
		else
			Py_CLEAR(rows);
	}
	same = rows ? PyDict_SetDefault(known, rows, rows) : NULL;
	Py_XINCREF(same);
	Py_XDECREF(rows);
	PyErr_Clear();
	return same;
}

/* GuardsSet.add(self, guard, ...): torch 2.6 notes the stack only where guards are logged, so it is noted here, by the
   address of the guard, which is held. */
static void guard_added(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *guard = call_arg(call, 1, "guard");          /* borrowed; what follows is owned */
	PyObject *own = attr(guard, "user_stack");
	PyObject *get = c && own == Py_None ? names_get(NAME_USER_STACK) : NULL;
	PyObject *stack = get ? PyObject_CallNoArgs(get) : NULL;
	PyObject *key = stack ? PyLong_FromVoidPtr(guard) : NULL, *row = key ? PyTuple_Pack(2, guard, stack) : NULL;

	if (row && !c->added)
		c->added = PyDict_New();
	if (row && c->added)
		PyDict_SetDefault(c->added, key, row);
	PyErr_Clear();
	Py_XDECREF(row);
	Py_XDECREF(key);
	Py_XDECREF(stack);
	Py_XDECREF(get);
	Py_XDECREF(own);
}

const struct watcher watch_add_guard = { .before = guard_added };

/* The stack of the program's code where Dynamo added a guard: a new reference or NULL. */
static PyObject *stack_of(PyObject *guard, PyObject *added)
{
	PyObject *stack = attr(guard, "user_stack"), *key = NULL, *row;

	if (stack == Py_None && added) {
		key = PyLong_FromVoidPtr(guard);
		row = key ? PyDict_GetItemWithError(added, key) : NULL;
		if (row)
			Py_SETREF(stack, Py_NewRef(PyTuple_GET_ITEM(row, 1)));
	}
	PyErr_Clear();
	Py_XDECREF(key);
	return stack;
}

static void note(PyObject *stacks, PyObject *known, PyObject *guard, PyObject *added)
{
	PyObject *name = attr(guard, "name"), *stack = stack_of(guard, added), *list, *rows = NULL;
	bool text = name && PyUnicode_Check(name);

	if (text && stack && PyList_Check(stack) && PyList_GET_SIZE(stack))
		rows = plain(stack, known);
	list = rows ? PyDict_GetItemWithError(stacks, name) : NULL;
	if (list && PyList_GET_ITEM(list, PyList_GET_SIZE(list) - 1) != rows) {
		PyList_Append(list, rows);
	} else if (rows && !list && (list = PyList_New(0))) {
		PyList_Append(list, rows);
		PyDict_SetItem(stacks, name, list);
		Py_DECREF(list);
	}
	PyErr_Clear();
	Py_XDECREF(rows);
	Py_XDECREF(stack);
	Py_XDECREF(name);
}

/* CheckFunctionManager.__init__(self, ..., what has the guards, ...) */
static void guards_given(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *guards = NULL, *it, *guard, *known = NULL;
	Py_ssize_t i;

	for (i = 1; c && c->began > 0 && i < call->n && !guards; i++)
		guards = attr(call->arg[i], "guards");
	it = guards ? PyObject_GetIter(guards) : NULL;
	if (it) {
		Py_XSETREF(c->stacks, PyDict_New());
		known = PyDict_New();
		while (c->stacks && known && (guard = PyIter_Next(it))) {
			note(c->stacks, known, guard, c->added);
			Py_DECREF(guard);
		}
		Py_XDECREF(known);
		Py_CLEAR(c->added);
	}
	PyErr_Clear();
	Py_XDECREF(it);
	Py_XDECREF(guards);
}

const struct watcher watch_guards = { .before = guards_given };

void guards_compiled(struct compiling *c, PyObject *guarded_code)
{
	struct entry *e = c->entry;

	e->leaves = host->mem_alloc(sizeof(*e->leaves));
	e->leaves->stacks = c->stacks;
	c->stacks = NULL;
	e->why = c->why;
	c->why = NULL;
	if (e->fresh)
		e->manager = attr(guarded_code, "guard_manager");
	if (e->manager && host->catching("compile"))
		e->guards = model_leaf_guards(e->manager);
}

void guards_release(struct entry *e)
{
	Py_CLEAR(e->manager);
	if (!e->leaves)
		return;
	Py_CLEAR(e->leaves->stacks);
	tree_forget(&e->leaves->tree);
}

/* ---- the user's line ---------------------------------------------------------------------------------------- */

/* "return F.linear(x)  # nn/modules/linear.py:134 in forward (HINT: ...)": the tail of the file, and the line. */
static int made_at(const char *made, const char **file, size_t *len)
{
	const char *p = made, *in = NULL, *start;
	int line;

	while (p && (p = strstr(p, " in "))) {
		for (start = p; start > made && start[-1] >= '0' && start[-1] <= '9'; start--)
			;
		if (start < p && start > made && start[-1] == ':')
			in = p;
		p++;
	}
	if (!in)
		return 0;
	for (start = in; start[-1] != ':'; start--)
		;
	line = atoi(start);
	*len = 0;
	for (start--; start > made && start[-1] != ' '; start--)
		++*len;
	*file = start;
	return line;
}

static bool ends_with(const char *path, const char *tail, size_t len)
{
	size_t n = strlen(path);

	return n >= len && !strncmp(path + n - len, tail, len);
}

/* The innermost line of this stack in one of the program's own files; shown: the stack is the one that Dynamo shows
   behind the guard. */
struct place_of { PyObject *stack; int shown_line; const char *file; int line; bool shown; };

static void read_stack(PyObject *stack, const char *tail, size_t len, int line, struct place_of *out)
{
	Py_ssize_t i;
	PyObject *row;
	const char *file;
	int at;

	out->file = NULL;
	out->line = 0;
	out->shown = false;
	for (i = PyTuple_GET_SIZE(stack); i-- > 0;) {
		row = PyTuple_GET_ITEM(stack, i);
		file = PyUnicode_Check(PyTuple_GET_ITEM(row, 0)) ? PyUnicode_AsUTF8(PyTuple_GET_ITEM(row, 0)) : NULL;
		at = PyLong_Check(PyTuple_GET_ITEM(row, 1)) ? (int)PyLong_AsLong(PyTuple_GET_ITEM(row, 1)) : 0;
		if (!file)
			continue;
		out->shown = out->shown || (line && at == line && ends_with(file, tail, len));
		if (!out->file && host->user_file(file)) {
			out->file = model_text(file);
			out->line = at;
		}
	}
	PyErr_Clear();
}

static void find_line(struct guard *g, PyObject *stacks, struct place_of *was)
{
	const char *tail = "", *own;
	PyObject *list = stacks && *g->source ? PyDict_GetItemString(stacks, g->source) : NULL;
	size_t len = 0;
	int line = g->made ? made_at(g->made, &tail, &len) : 0;
	Py_ssize_t i;

	for (i = 0; list && i < PyList_GET_SIZE(list); i++) {
		/* Guards of one line come one after another. */
		if (was->stack != PyList_GET_ITEM(list, i) || was->shown_line != line) {
			was->stack = PyList_GET_ITEM(list, i);
			was->shown_line = line;
			read_stack(was->stack, tail, len, line, was);
		}
		if (was->file && (was->shown || !g->file)) {
			g->file = was->file;
			g->line = was->line;
		}
		if (was->file && was->shown)
			return;
	}
	PyErr_Clear();
	own = model_root(g->entry->func)->file;
	if (!g->file && line && len && own && ends_with(own, tail, len)) {
		g->file = own;
		g->line = line;
	}
}

/* ---- one guard ---------------------------------------------------------------------------------------------- */

static const char *utf8(PyObject *v)
{
	const char *s = v && PyUnicode_Check(v) ? PyUnicode_AsUTF8(v) : NULL;

	PyErr_Clear();
	return s ? s : "";
}

/* One leaf may have several parts, each with the line behind it: "CODE    # LINE  # FILE:N in F". */
void guard_parts(PyObject *parts, struct buf *text, char **made)
{
	const char *s, *end;
	Py_ssize_t i;
	size_t n;

	for (i = 0; i < PyList_GET_SIZE(parts); i++) {
		s = utf8(PyList_GET_ITEM(parts, i));
		end = strstr(s, "  #");
		n = end ? (size_t)(end - s) : strlen(s);
		while (n && (s[n - 1] == ' ' || s[n - 1] == '\n'))
			n--;
		if (i)
			host->buf_addf(text, " and ");
		host->buf_add(text, s, n);
		if (end && made && !*made)
			*made = host->mem_str(end + 3 + strspn(end + 3, " "));
	}
}

static void read_parts(PyObject *leaf, struct guard *g)
{
	PyObject *parts = guards_call(leaf, "verbose_code_parts");
	struct buf text = { 0 };

	if (parts && PyList_Check(parts))
		guard_parts(parts, &text, &g->made);
	g->text = host->mem_str(text.s ? text.s : "");
	host->buf_release(&text);
	Py_XDECREF(parts);
}

/* A guard on several values hangs on one of them, by chance the first that is asked: it has no source of its own. */
static char *source_of(const struct tree *t, const struct leaf *l)
{
	PyObject *source = NULL;
	char *text;

	if (!l->epilogue && l->branch && PyCallable_Check(l->guard))
		source = guards_call(t->branch[l->branch].manager, "get_source");
	text = host->mem_str(utf8(source));
	Py_XDECREF(source);
	return text;
}

static void read_guard(struct entry *e, const struct tree *t, const struct leaf *l, struct place_of *was,
		       struct guard *g)
{
	memset(g, 0, sizeof(*g));
	g->entry = e;
	g->source = source_of(t, l);
	g->kind = model_text(_PyType_Name(Py_TYPE(l->guard)));
	g->depth = t->branch[l->branch].depth;
	g->epilogue = l->epilogue;
	g->python = !strcmp(g->kind, "LAMBDA_GUARD");
	read_parts(l->guard, g);
	find_line(g, e->leaves->stacks, was);
}

static void free_guard(struct guard *g)
{
	free(g->source);
	free(g->text);
	free(g->made);
}

/* ---- those of an entry -------------------------------------------------------------------------------------- */

static void number(struct entry *e, struct guard *g)
{
	numbered = host->mem_grow(numbered, &numbered_cap, nnumbered + 1, sizeof(*numbered));
	numbered[nnumbered].entry = e;
	g->number = (int)++nnumbered;
}

/* Which of these guards has this source and kind, each once and in their order: a queue for each, in a dict. */
static PyObject *queues_of(const struct guard *g, int n)
{
	PyObject *queues = PyDict_New(), *key, *list, *index;
	int i;

	for (i = n; queues && i-- > 0;) {    /* the last of a list is the first in order */
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

/* The tree changed since it was read (a guard was added): those that are the same keep their numbers. */
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

/* Dynamo moves what fails often to the front: put the leaves into the order in which they were read first.  False:
   they are other leaves. */
static bool reorder(const struct guards *all, struct tree *t)
{
	PyObject *queues = NULL;
	struct leaf *sorted;
	char **source = host->mem_alloc((size_t)t->nleaves * sizeof(*source) + 1);
	bool same = true;
	int i, k;

	for (i = 0; i < t->nleaves; i++) {
		source[i] = source_of(t, &t->leaf[i]);
		same = same && !strcmp(source[i], all->guard[i].source) &&
		       !strcmp(_PyType_Name(Py_TYPE(t->leaf[i].guard)), all->guard[i].kind);
	}
	if (!same) {
		queues = queues_of(all->guard, all->n);
		sorted = host->mem_alloc((size_t)t->nleaves * sizeof(*sorted));
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

static const struct guards *read_all(struct entry *e, struct tree *t)
{
	struct guards *all = e->leaves;
	struct place_of was = { 0 };
	struct guard *now;
	int i;

	if (all && all->guard && all->n == t->nleaves && reorder(all, t))
		return all;
	if (!all)
		all = e->leaves = host->mem_alloc(sizeof(*all));
	now = host->mem_alloc((size_t)t->nleaves * sizeof(*now) + 1);
	for (i = 0; i < t->nleaves; i++)
		read_guard(e, t, &t->leaf[i], &was, &now[i]);
	keep_numbers(all, now, t->nleaves);
	for (i = 0; i < t->nleaves; i++)
		if (!now[i].number)
			number(e, &now[i]);
	for (i = 0; i < all->n; i++)
		free_guard(&all->guard[i]);
	free(all->guard);
	all->guard = now;
	all->n = t->nleaves;
	return all;
}

const struct guards *guards_tree(struct entry *e, struct tree **t)
{
	PyObject *own = ledger_original(e), *manager = own ? own : model_manager(e);
	const struct guards *all = NULL;

	if (manager && e->leaves && tree_use(&e->leaves->tree, manager)) {
		*t = e->leaves->tree;
		all = e->leaves;
	} else if (manager) {
		*t = host->mem_alloc(sizeof(**t));
		if (tree_read(manager, *t) == 0) {
			(*t)->users = 1;
			all = read_all(e, *t);
			tree_keep(*t, &e->leaves->tree);
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

	if (e->leaves && e->leaves->guard)
		return e->leaves;
	all = guards_tree(e, &t);
	if (all)
		tree_done(t);
	return all;
}

const struct guard *guards_numbered(long n)
{
	const struct guards *all;
	int i;

	if (n < 1 || (size_t)n > nnumbered)
		return NULL;
	all = numbered[n - 1].entry->leaves;
	for (i = 0; all && i < all->n; i++)
		if (all->guard[i].number == n)
			return &all->guard[i];
	return NULL;
}
