/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the line that made a guard: records Dynamo's stacks of the traced code while it compiles, and looks up in
   them the line that Dynamo shows after a guard.  Knows no tree and no view. */
#include "guards/guard_lines.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/wrapper.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/source_line.h"
#include "guards/guard_model.h"
#include <stdlib.h>
#include <string.h>

struct stack {
	struct source_line *spot; /* outermost first */
	int n;
	int inner; /* source_line_inner()'s */
};

/* The stacks of a compile, each once. */
struct stacks {
	PyObject *known; /* owned dict: ((file, line, name), ...) -> index */
	PyObject *of;	 /* owned dict: a guard's source -> its index, or a list where there are several */
	struct stack *stack;
	int n;
	size_t cap;
};

void stacks_free(struct stacks *s)
{
	int i;

	for (i = 0; s && i < s->n; i++)
		free(s->stack[i].spot);
	if (s) {
		Py_XDECREF(s->known);
		Py_XDECREF(s->of);
		free(s->stack);
	}
	free(s);
}

void stacks_noted(struct stacks *s)
{
	if (s)
		Py_CLEAR(s->known);
}

void stacks_forget(struct stacks *s)
{
	if (s) {
		Py_CLEAR(s->known);
		Py_CLEAR(s->of);
	}
}

/* ---- noted while Dynamo compiles: the stacks of the program's code that guards come from ---------------------- */

static void keep_stacks(struct stacks *all, PyObject *rows)
{
	struct stack s = { .n = (int)PyTuple_GET_SIZE(rows) };
	PyObject *row, *line;
	int i;

	s.spot = mem_alloc((size_t)s.n * sizeof(*s.spot) + 1);
	for (i = 0; i < s.n; i++) {
		row = PyTuple_GET_ITEM(rows, i);
		s.spot[i].file = py_text_utf8_kept(PyTuple_GET_ITEM(row, 0));
		line = PyTuple_GET_ITEM(row, 1);
		s.spot[i].line = PyLong_Check(line) ? (int)PyLong_AsLong(line) : 0;
		s.spot[i].function = py_text_utf8_kept(PyTuple_GET_ITEM(row, 2));
		s.spot[i].own = i == 0;
	}
	PyErr_Clear();
	s.inner = source_line_inner(s.spot, s.n);
	all->stack = mem_grow(all->stack, &all->cap, (size_t)all->n + 1, sizeof(*all->stack));
	all->stack[all->n++] = s;
}

/* The index of this stack, a new reference; NULL: it cannot be read. */
static PyObject *index_of(struct stacks *all, PyObject *stack)
{
	static const char *const names[] = { "filename", "lineno", "name" };
	Py_ssize_t i, n = PyList_GET_SIZE(stack);
	PyObject *rows = PyTuple_New(n), *row, *cell, *index;
	int k;

	for (i = 0; rows && i < n; i++) {
		row = PyTuple_New(3);
		for (k = 0; row && k < 3; k++) {
			cell = attr(PyList_GET_ITEM(stack, i), names[k]);
			PyTuple_SET_ITEM(row, k, cell ? cell : Py_NewRef(Py_None));
		}
		if (row)
			PyTuple_SET_ITEM(rows, i, row);
		else
			Py_CLEAR(rows);
	}
	index = rows ? Py_XNewRef(PyDict_GetItemWithError(all->known, rows)) : NULL;
	if (rows && !index && !PyErr_Occurred() && (index = PyLong_FromLong(all->n))) {
		if (PyDict_SetItem(all->known, rows, index) == 0)
			keep_stacks(all, rows);
		else
			Py_CLEAR(index);
	}
	PyErr_Clear();
	Py_XDECREF(rows);
	return index;
}

/* GuardsSet.add(self, guard, ...): torch 2.6 records the stack only if guards are logged, so it is recorded here,
   by the address of the guard, which is kept alive. */
static void guard_added(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *guard = call_arg(call, 1, "guard"); /* borrowed; what follows is owned */
	PyObject *own = attr(guard, "user_stack");
	PyObject *get = c && own == Py_None ? attrs_get(ATTR_USER_STACK) : NULL;
	PyObject *stack = get ? PyObject_CallNoArgs(get) : NULL;
	PyObject *key = stack ? PyLong_FromVoidPtr(guard) : NULL, *row = key ? PyTuple_Pack(2, guard, stack) : NULL;

	if (row && !c->guard.added)
		c->guard.added = PyDict_New();
	if (row && c->guard.added)
		PyDict_SetDefault(c->guard.added, key, row);
	PyErr_Clear();
	Py_XDECREF(row);
	Py_XDECREF(key);
	Py_XDECREF(stack);
	Py_XDECREF(get);
	Py_XDECREF(own);
}

const struct watcher watch_add_guard = { .before = guard_added };

/* The stack of the program's code where Dynamo added a guard: a new reference or NULL. */
static PyObject *user_stack_of(PyObject *guard, PyObject *added)
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

/* Adds an index to those of a source.  Nearly all have one, and a list for each would keep the collector busy. */
static void add_stack_index(PyObject *of, PyObject *name, PyObject *index)
{
	PyObject *old = PyDict_GetItemWithError(of, name), *list;

	if (!old) {
		PyDict_SetItem(of, name, index);
	} else if (!PyList_Check(old)) {
		list = old != index ? Py_BuildValue("[OO]", old, index) : NULL;
		if (list)
			PyDict_SetItem(of, name, list);
		Py_XDECREF(list);
	} else if (PyList_GET_ITEM(old, PyList_GET_SIZE(old) - 1) != index) {
		PyList_Append(old, index);
	}
}

static void note_stack(struct stacks *all, PyObject *guard, PyObject *added)
{
	PyObject *name = attr(guard, "name"), *stack = user_stack_of(guard, added), *index = NULL;
	bool text = name && PyUnicode_Check(name);

	if (text && stack && PyList_Check(stack) && PyList_GET_SIZE(stack))
		index = index_of(all, stack);
	if (index)
		add_stack_index(all->of, name, index);
	PyErr_Clear();
	Py_XDECREF(index);
	Py_XDECREF(stack);
	Py_XDECREF(name);
}

static struct stacks *stacks_of(struct compiling *c)
{
	if (!c->guard.stacks) {
		c->guard.stacks = mem_alloc(sizeof(*c->guard.stacks));
		c->guard.stacks->known = PyDict_New();
		c->guard.stacks->of = PyDict_New();
	}
	return c->guard.stacks->known && c->guard.stacks->of ? c->guard.stacks : NULL;
}

/* ShapeEnv._get_stack_summary(self, ...): called for a condition on symbolic shapes. torch keeps only the line and
   the end of its file's name. */
static void condition_met(struct call *call)
{
	struct compiling *c = compiling_top();
	struct stacks *all = c && c->began > 0 ? stacks_of(c) : NULL;
	PyObject *get = all ? attrs_get(ATTR_USER_STACK) : NULL, *stack = get ? PyObject_CallNoArgs(get) : NULL;

	(void)call;
	if (stack && PyList_Check(stack) && PyList_GET_SIZE(stack))
		Py_XDECREF(index_of(all, stack));
	PyErr_Clear();
	Py_XDECREF(stack);
	Py_XDECREF(get);
}

const struct watcher watch_shape_line = { .before = condition_met };

/* CheckFunctionManager.__init__(self, ..., what has the guards, ...) */
static void guards_given(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *guards = NULL, *it, *guard;
	struct stacks *all;
	Py_ssize_t i;

	for (i = 1; c && c->began > 0 && i < call->n && !guards; i++)
		guards = attr(call->arg[i], "guards");
	it = guards ? PyObject_GetIter(guards) : NULL;
	all = it ? stacks_of(c) : NULL;
	while (all && (guard = PyIter_Next(it))) {
		note_stack(all, guard, c->guard.added);
		Py_DECREF(guard);
	}
	if (it)
		Py_CLEAR(c->guard.added);
	PyErr_Clear();
	Py_XDECREF(it);
	Py_XDECREF(guards);
}

const struct watcher watch_guards = { .before = guards_given };

/* ---- the line that Dynamo shows after a guard ------------------------------------------------------------------ */

/* "models/bert.py:84 in forward": the end of a path, without its beginning. */
struct shown {
	const char *file, *function; /* not ended */
	size_t nfile, nfunction;
	int line; /* 0: none is shown */
};

/* "FILE:N in F", possibly with text after it? */
static bool read_shown(const char *text, struct shown *out)
{
	const char *in, *start, *colon;

	for (in = text; (in = strstr(in, " in ")); in++) {
		for (start = in; start > text && start[-1] >= '0' && start[-1] <= '9'; start--)
			;
		colon = start - 1;
		if (start == in || colon <= text || *colon != ':')
			continue;
		out->file = text;
		out->nfile = (size_t)(colon - text);
		out->line = atoi(start);
		out->function = in + 4;
		out->nfunction = strcspn(out->function, " \n");
		return true;
	}
	return false;
}

/* "return F.linear(x)  # note  # nn/modules/linear.py:134 in forward (HINT: ...)": the source line comes first. */
static struct shown shown_in(const char *made)
{
	struct shown found = { .line = 0 }, s;
	const char *p = made;

	while (p) {
		p += strspn(p, " ");
		if (read_shown(p, &s) && !memchr(s.file, '#', s.nfile))
			found = s;
		p = strchr(p, '#');
		p = p ? p + 1 : NULL;
	}
	return found;
}

static bool is_end_of_stack(const char *path, const struct shown *s)
{
	size_t n = strlen(path);

	return n >= s->nfile && !strncmp(path + n - s->nfile, s->file, s->nfile);
}

static bool is_shown(const struct source_line *spot, const struct shown *s)
{
	return s->line && spot->line == s->line && is_end_of_stack(spot->file, s);
}

/* ---- the same with its whole path, and what called it ------------------------------------------------------------ */

/* Sets the guard's line to the innermost of these n lines that is not torch's own; false: there is none. */
static bool made_in(struct guard *g, const struct source_line *stack, int n)
{
	int at = source_line_inner(stack, n);

	if (at < 0)
		return false;
	g->file = stack[at].file;
	g->line = stack[at].line;
	g->function = stack[at].function;
	g->stack = stack;
	g->at = at;
	return true;
}

/* Sets it from the stacks recorded for the guard's source (a str), preferably the one with the line that
   Dynamo shows. */
static bool of_source(struct guard *g, const struct stacks *all, PyObject *source, const struct shown *shown)
{
	PyObject *found = all && all->of && source ? PyDict_GetItemWithError(all->of, source) : NULL;
	Py_ssize_t i, n = !found ? 0 : PyList_Check(found) ? PyList_GET_SIZE(found) : 1;
	const struct stack *s, *first = NULL;
	int k;

	for (i = 0; i < n; i++) {
		s = &all->stack[PyLong_AsLong(PyList_Check(found) ? PyList_GET_ITEM(found, i) : found)];
		if (s->inner < 0)
			continue;
		first = first ? first : s;
		for (k = s->n - 1; k >= 0; k--)
			if (is_shown(&s->spot[k], shown))
				return made_in(g, s->spot, s->n);
	}
	PyErr_Clear();
	return first && made_in(g, first->spot, first->n);
}

/* Sets it from a line that made other guards or nodes of the graph, too. */
static bool of_others(struct guard *g, const struct stacks *all, const struct shown *shown)
{
	const struct nodes *nodes;
	const struct node *n;
	int i, k, j;

	for (i = 0; shown->line && all && i < all->n; i++)
		for (k = all->stack[i].n - 1; k >= 0; k--)
			if (is_shown(&all->stack[i].spot[k], shown))
				return made_in(g, all->stack[i].spot, k + 1);
	for (i = 0; shown->line && i < g->entry->made.ngraphs; i++) {
		nodes = g->entry->made.graph[i].copy;
		for (k = 0; nodes && k < nodes->n; k++) {
			n = &nodes->node[k];
			for (j = n->nspots - 1; j >= 0; j--)
				if (is_shown(&nodes->spot[n->spot + j], shown))
					return made_in(g, nodes->spot + n->spot, j + 1);
		}
	}
	return false;
}

/* The length of the name of one value that begins here: in "L['x'].size()[0] == 2" that of "L['x'].size". */
static size_t value_at(const char *p)
{
	int open = 0;
	size_t n;

	for (n = 0; p[n] && (open || !strchr(" ,)(", p[n])); n++)
		open += (p[n] == '[') - (p[n] == ']');
	return n;
}

/* For a condition on sizes without a line from torch: the line where its first value was first used. */
static bool of_text(struct guard *g, const struct stacks *all)
{
	const struct shown none = { .line = 0 };
	const char *p = g->text;
	PyObject *source;
	size_t n;
	bool found = false;

	while (g->epilogue && !found && (p = strpbrk(p, "LG")) != NULL) {
		if (strncmp(p + 1, "['", 2) || (p > g->text && strchr("._", p[-1]))) {
			p++;
			continue;
		}
		for (n = value_at(p); n && !found; n--) {
			if (p[n] && !strchr(".[ ,)(", p[n]))
				continue;
			source = PyUnicode_FromStringAndSize(p, (Py_ssize_t)n);
			found = of_source(g, all, source, &none);
			Py_XDECREF(source);
		}
		p++;
	}
	return found;
}

/* At least the file is known. */
static bool of_file(struct guard *g, const struct stacks *all, const struct shown *shown)
{
	const char *own = model_root(g->entry->func)->file, *file = NULL;
	char *function;
	int i, k;

	if (shown->line && own && is_end_of_stack(own, shown))
		file = own;
	for (i = 0; !file && shown->line && all && i < all->n; i++)
		for (k = 0; !file && k < all->stack[i].n; k++)
			if (is_end_of_stack(all->stack[i].spot[k].file, shown))
				file = all->stack[i].spot[k].file;
	if (!file || attrs_torch_file(file))
		return false;
	function = mem_fmt("%.*s", (int)shown->nfunction, shown->function);
	g->file = py_text_keep(file);
	g->line = shown->line;
	g->function = py_text_keep(function);
	free(function);
	return true;
}

void guard_find_line(struct guard *g, PyObject *source, const struct stacks *all)
{
	struct shown shown = shown_in(g->made);
	const struct source_line *called = &g->entry->made.called;

	if (of_source(g, all, source, &shown) || of_others(g, all, &shown) || of_file(g, all, &shown) ||
	    of_text(g, all))
		return;
	/* all are torch's own functions: use the line that called the outermost one */
	if (called->file && *g->source && shown.line) {
		g->file = called->file;
		g->line = called->line;
		g->function = called->function;
	}
}

const struct source_line *guard_outer(const struct guard *g)
{
	int i = g->stack ? source_line_outer(g->stack, g->at) : -1;

	return i < 0 ? NULL : &g->stack[i];
}
