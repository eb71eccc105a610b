/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects of compiled graphs, recorded as they appear: see graph_codes.h.  Runs none of the program's code. */
#include "code/dynamo_code.h"
#include "code/graph_codes.h"
#include "model/compiling.h"
#include "torch/py_text.h"
#include "torch/weak.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct graph_lines **item;
	size_t n, cap;
	int quiet;
} all;

static void (*on_free[2])(const struct graph_lines *l);

void graph_codes_on_free(void (*gone)(const struct graph_lines *l))
{
	on_free[on_free[0] && on_free[0] != gone] = gone;
}

static void lines_free(struct graph_lines *l)
{
	int i;

	for (i = 0; i < 2; i++)
		if (on_free[i])
			on_free[i](l);
	for (i = 0; i < l->n; i++) {
		free(l->at[i].node);
		free(l->at[i].called);
		free(l->at[i].reads);
		free(l->at[i].writes);
	}
	free(l->at);
	Py_XDECREF(l->ref);
	free(l);
}

static bool is_alive(const struct graph_lines *l)
{
	return weak_is(l->ref, (PyObject *)l->co);
}

static void drop_dead(void)
{
	size_t i, kept = 0;

	for (i = 0; i < all.n; i++) {
		if (is_alive(all.item[i]))
			all.item[kept++] = all.item[i];
		else
			lines_free(all.item[i]);
	}
	all.n = kept;
}

void graph_codes_release(void)
{
	while (all.n)
		lines_free(all.item[--all.n]);
	free(all.item);
	all.item = NULL;
	all.cap = 0;
}

void graph_codes_quiet(bool on)
{
	all.quiet += on ? 1 : -1;
}

static struct graph_lines *lines_find(PyCodeObject *co)
{
	static size_t last; /* a step asks several times for the same */
	size_t i;

	if (last < all.n && all.item[last]->co == co && is_alive(all.item[last]))
		return all.item[last];
	for (i = all.n; i-- > 0;) {
		if (all.item[i]->co == co && is_alive(all.item[i])) {
			last = i;
			return all.item[i];
		}
	}
	return NULL;
}

/* The part of a graph that the backend compiles now, a text of the model; NULL: none. */
static const char *part_compiled(const struct compiling *c)
{
	PyObject *row = c ? compiling_last(c) : NULL;
	const char *name = row ? py_text_utf8(PyTuple_GET_ITEM(row, 0)) : NULL, *dot = name ? strchr(name, '.') : NULL;

	return dot ? py_text_keep(dot + 1) : NULL;
}

static struct graph_lines *lines_add(PyCodeObject *co, bool call)
{
	PyObject *ref = PyWeakref_NewRef((PyObject *)co, NULL);
	struct graph_lines *l;

	if (!ref) {
		PyErr_Clear();
		return NULL;
	}
	if (all.n == all.cap)
		drop_dead();
	l = mem_alloc(sizeof(*l));
	l->ref = ref;
	l->co = co;
	l->call = call;
	l->compiling = compiling_top() != NULL;
	l->part = part_compiled(compiling_top());
	all.item = mem_grow(all.item, &all.cap, all.n + 1, sizeof(*all.item));
	all.item[all.n++] = l;
	return l;
}

/* ---- what is graph code? --------------------------------------------------------------------------------------- */

static bool is_fx_file(PyCodeObject *co)
{
	const char *file = py_text_utf8(co->co_filename);

	return file && !strncmp(file, "<eval_with_key>", 15);
}

static bool is_named(PyCodeObject *co, const char *name)
{
	return !PyUnicode_CompareWithASCIIString(co->co_name, name);
}

enum { HASH_LENGTH = 52 }; /* "c" and a hash of 256 bits in base 32 */

bool graph_codes_inductor_file(const char *file)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
	const char *name = text_path_file_name(file);

	return *name == 'c' && strspn(name, digits) == HASH_LENGTH && !strcmp(name + HASH_LENGTH, ".py") &&
	       name - file >= 4 && name[-4] == '/' && name[-1] == '/' && !memcmp(name - 3, name + 1, 2);
}

/* A graph's file makes its kernels by `async_compile = AsyncCompile()`; a program may do that, too. */
static bool is_inductor_body(PyCodeObject *body)
{
	const char *file = py_text_utf8(body->co_filename);
	Py_ssize_t i, n = PyTuple_GET_SIZE(body->co_names);
	int found = 0;

	for (i = 0; i < n; i++)
		found += !PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(body->co_names, i), "AsyncCompile") ||
			 !PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(body->co_names, i), "async_compile");
	return found == 2 && file && graph_codes_inductor_file(file);
}

/* inductor writes `def NAME(args):` for each sub-graph, and for each part of a graph that it partitions. */
static bool takes_args(PyCodeObject *co)
{
	return co->co_argcount == 1 && !co->co_kwonlyargcount && !(co->co_flags & (CO_VARARGS | CO_VARKEYWORDS)) &&
	       !PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(co->co_localsplusnames, 0), "args");
}

/* The same of a function of such a body. */
static bool is_of_inductor(PyFunctionObject *f)
{
	PyCodeObject *co = (PyCodeObject *)f->func_code;
	const char *file = py_text_utf8(co->co_filename);

	return (!PyUnicode_CompareWithASCIIString(co->co_qualname, "Runner.call") || takes_args(co)) &&
	       PyDict_GetItemString(f->func_globals, "AsyncCompile") && file && graph_codes_inductor_file(file);
}

/* The functions of graphs in a body, and in its classes. */
static int add_called_functions(PyCodeObject *body, bool call, int depth)
{
	PyObject *v;
	Py_ssize_t i;
	int n = 0;

	for (i = 0; i < PyTuple_GET_SIZE(body->co_consts); i++) {
		v = PyTuple_GET_ITEM(body->co_consts, i);
		if (!PyCode_Check(v))
			continue;
		if (is_named((PyCodeObject *)v, call ? "call" : "forward") ||
		    (call && depth == 0 && takes_args((PyCodeObject *)v)))
			n += lines_find((PyCodeObject *)v) || lines_add((PyCodeObject *)v, call);
		else if (call && depth == 0 && is_named((PyCodeObject *)v, "Runner"))
			n += add_called_functions((PyCodeObject *)v, call, 1);
	}
	return n;
}

int graph_codes_body(struct py_code *body)
{
	PyCodeObject *co = (PyCodeObject *)body;

	if (all.quiet)
		return 0;
	return is_fx_file(co)	    ? add_called_functions(co, false, 0) :
	       is_inductor_body(co) ? add_called_functions(co, true, 0) :
				      0;
}

bool graph_codes_is_call(PyCodeObject *co)
{
	const struct graph_lines *l = lines_find(co);

	return l && l->call;
}

void graph_codes_find(void)
{
	PyObject *gc = PyImport_ImportModuleLevel("gc", NULL, NULL, NULL, 0),
		 *list = gc ? PyObject_CallMethod(gc, "get_objects", NULL) : NULL;
	PyObject *v;
	PyCodeObject *co;
	Py_ssize_t i;

	for (i = 0; list && i < PyList_GET_SIZE(list); i++) {
		v = PyList_GET_ITEM(list, i);
		if (!PyFunction_Check(v))
			continue;
		co = (PyCodeObject *)PyFunction_GET_CODE(v);
		if (is_named(co, "forward") && is_fx_file(co) && !lines_find(co))
			lines_add(co, false);
		else if (is_of_inductor((PyFunctionObject *)v) && !lines_find(co))
			lines_add(co, true);
	}
	PyErr_Clear();
	Py_XDECREF(list);
	Py_XDECREF(gc);
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

struct graph_lines *graph_codes_lines(struct code *c)
{
	PyCodeObject *co = (PyCodeObject *)c->co;
	struct graph_lines *l = lines_find(co);

	if (!l)
		l = lines_add(co, !is_fx_file(co));
	if (l && !l->read) {
		l->read = true;
		host->code.decode(c);
		graph_code_read(c, l);
	}
	return l;
}

const struct graph_line *graph_codes_line(const struct graph_lines *l, int line)
{
	int low = 0, high = l ? l->n : 0, mid, guess = high ? line - l->at[0].line : -1;

	if (guess >= 0 && guess < high && l->at[guess].line == line) /* each line of FX's forward is a node */
		return &l->at[guess];
	while (low < high) {
		mid = (low + high) / 2;
		if (l->at[mid].line < line)
			low = mid + 1;
		else
			high = mid;
	}
	return l && low < l->n && l->at[low].line == line ? &l->at[low] : NULL;
}

const char *graph_codes_local(const struct graph_lines *l, int i)
{
	PyObject *names = l->co->co_localsplusnames;
	const char *name = i >= 0 && i < PyTuple_GET_SIZE(names) ? py_text_utf8(PyTuple_GET_ITEM(names, i)) : NULL;

	return name ? name : "?";
}

void graph_codes_each(void (*each)(void *arg, struct code *c, const struct graph_lines *l), void *arg)
{
	const struct compiling *top = compiling_top();
	const struct graph_lines *l;
	struct code *c;
	size_t i;

	drop_dead();
	for (i = 0; i < all.n; i++) {
		if (all.item[i]->compiling && top && !top->entry)
			continue;
		c = host->code.get((struct py_code *)all.item[i]->co);
		l = graph_codes_lines(c);
		if (l)
			each(arg, c, l);
	}
}

/* ---- patterns -------------------------------------------------------------------------------------------------- */

struct wanted {
	const char *pattern;
	struct places *out;
	int n;
};

static bool pattern_fits(const struct graph_lines *l, const struct graph_line *row, const char *pattern)
{
	int i;

	if (!row->node)
		return false;
	if (!fnmatch(pattern, row->node, 0))
		return true;
	for (i = 0; l->call && (row->kernel || row->subgraph) && i < row->nwrites; i++)
		if (!fnmatch(pattern, graph_codes_local(l, row->writes[i]), 0))
			return true;
	return false;
}

static void add_places(void *arg, struct code *c, const struct graph_lines *l)
{
	struct wanted *w = arg;
	int i;

	for (i = 0; i < l->n; i++)
		if (pattern_fits(l, &l->at[i], w->pattern)) {
			host->files.add_place(w->out, c, l->at[i].index, l->at[i].line, NULL);
			w->n++;
		}
}

int graph_codes_places(const char *pattern, struct places *out)
{
	struct wanted w = { .pattern = pattern, .out = out };

	graph_codes_each(add_places, &w);
	return w.n;
}

/* "mul<Tab>node, f.py:12" */
static void add_described(const struct naming *n, const char *name, const char *what, const struct graph_line *at)
{
	const char *slash = at->user_file ? strrchr(at->user_file, '/') : NULL;
	struct buf both = { 0 };

	buf_addf(&both, "%s%s%s\t%s", n->prefix, *n->prefix ? "." : "", name, what);
	if (at->user_file)
		buf_addf(&both, ", %s:%d", slash ? slash + 1 : at->user_file, at->user_line);
	n->add(n->arg, both.s);
	buf_release(&both);
}

void graph_codes_add_names(const struct graph_lines *l, const struct naming *n)
{
	int i, k;

	for (i = 0; i < l->n; i++) {
		const struct graph_line *at = &l->at[i];
		const char *what;

		if (!at->node)
			continue;
		what = at->kernel ? "kernel" : at->subgraph ? "sub-graph" : l->call ? "buffer" : "node";
		add_described(n, at->node, what, at);
		for (k = 0; l->call && (at->kernel || at->subgraph) && k < at->nwrites; k++)
			add_described(n, graph_codes_local(l, at->writes[k]), "buffer", at);
	}
}
