/* SPDX-License-Identifier: BSD-3-Clause */
/* Side effects that generated code replays after its graph, read from Dynamo when it writes that code.  Runs none of
   the program's code. */
#include "model/compiling.h"
#include "model/effects.h"
#include "model/source_line.h"
#include "observe/dynamo_observe.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/wrapper.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *source_string(PyObject *v)
{
	const char *s = v && PyUnicode_Check(v) ? PyUnicode_AsUTF8(v) : NULL;

	PyErr_Clear();
	return s;
}

static bool is_a(PyObject *v, const char *type)
{
	PyObject *mro = Py_TYPE(v)->tp_mro;
	Py_ssize_t i;

	for (i = 0; mro && i < PyTuple_GET_SIZE(mro); i++)
		if (!strcmp(_PyType_Name((PyTypeObject *)PyTuple_GET_ITEM(mro, i)), type))
			return true;
	return false;
}

static char *changed_target(PyObject *var)
{
	PyObject *source = attr(var, "source"), *name = attr(source, "name"), *local = attr(var, "local_name");
	PyObject *s = name;
	char *result;

	if (name && PyCallable_Check(name)) /* a method before torch 2.9 */
		s = PyObject_CallNoArgs(name);
	else
		Py_XINCREF(s);
	PyErr_Clear();
	if (source_string(local))
		result = mem_str(source_string(local));
	else if (source_string(s) && *source_string(s))
		result = effect_target(source_string(s));
	else
		result = mem_fmt("<made here>");
	Py_XDECREF(s);
	Py_XDECREF(local);
	Py_XDECREF(name);
	Py_XDECREF(source);
	return result;
}

/* ---- the user's line ---------------------------------------------------------------------------------------- */

static void innermost_line(PyObject *stack, struct effect *e)
{
	Py_ssize_t i, n = PyList_GET_SIZE(stack);
	struct source_line *spot = mem_alloc((size_t)n * sizeof(*spot) + 1);
	PyObject *frame, *file, *line;
	int at;

	for (i = 0; i < n; i++) {
		frame = PyList_GET_ITEM(stack, i);
		file = attr(frame, "filename");
		line = attr(frame, "lineno");
		spot[i].file = py_text_utf8_kept(file);
		spot[i].line = line && PyLong_Check(line) ? (int)PyLong_AsLong(line) : 0;
		PyErr_Clear();
		Py_XDECREF(line);
		Py_XDECREF(file);
	}
	at = source_line_inner(spot, (int)n);
	e->file = at < 0 ? NULL : spot[at].file;
	e->line = at < 0 ? 0 : spot[at].line;
	free(spot);
}

static void effect_append(struct effect ***end, const struct effect *e, struct effect *all)
{
	struct effect *new;

	for (; all; all = all->next)
		if (all->kind == e->kind && all->file == e->file && all->line == e->line &&
		    !strcmp(all->target, e->target))
			return;
	new = mem_alloc(sizeof(*new));
	*new = *e;
	new->next = NULL;
	new->target = mem_str(e->target);
	**end = new;
	*end = &new->next;
}

/* Is the name in this line, and not as a part of a longer one? */
static bool line_names(const char *line, const char *word)
{
	size_t n = strlen(word);
	const char *at;

	for (at = line; (at = strstr(at, word)); at++)
		if (!isalnum((unsigned char)at[n]) && at[n] != '_' &&
		    (*word == '.' || at == line || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')))
			return true;
	return false;
}

/* A row for each line that changes the object.  Dynamo records lines by object, so an attribute is searched for in
   their text. */
static void add_changed_lines(struct effect **all, PyObject *stacks, const char *kind, char *target, const char *word,
			      long length)
{
	struct effect e = { .kind = py_text_keep(kind), .target = target, .length = length }, **end = all;
	Py_ssize_t i, n = stacks && PyList_Check(stacks) ? PyList_GET_SIZE(stacks) : 0;
	bool found = false;
	const char *line;

	while (*end)
		end = &(*end)->next;
	for (i = 0; i < n; i++) {
		if (!PyList_Check(PyList_GET_ITEM(stacks, i)))
			continue;
		innermost_line(PyList_GET_ITEM(stacks, i), &e);
		line = e.file ? host->files.line(e.file, e.line) : NULL;
		if (e.file && (!word || (line && line_names(line, word)))) {
			effect_append(&end, &e, *all);
			found = true;
		}
	}
	if (!found && n && word) {
		innermost_line(PyList_GET_ITEM(stacks, n - 1), &e);
		effect_append(&end, &e, *all);
	} else if (!found) {
		e.file = NULL;
		e.line = 0;
		effect_append(&end, &e, *all);
	}
	free(target);
}

/* ---- one changed variable ----------------------------------------------------------------------------------- */

static const char *effect_kind(PyObject *var)
{
	static const struct {
		const char *type, *kind;
	} kinds[] = {
		{ "ListVariable", "list" },
		{ "DequeVariable", "deque" },
		{ "SetVariable", "set" },
		{ "ConstDictVariable", "dict" },
		{ "TorchFunctionModeStackVariable", "mode stack" },
		{ "CellVariable", "cell" },
		{ "NewGlobalVariable", "global" },
		{ "RandomVariable", "random state" },
		{ "IteratorVariable", "iterator" },
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (is_a(var, kinds[i].type))
			return kinds[i].kind;
	return "attribute";
}

static void add_attributes(struct effect **all, PyObject *var, PyObject *names, PyObject *stacks, bool global)
{
	char *of = changed_target(var), *word;
	PyObject *key, *value;
	Py_ssize_t at = 0;

	while (names && PyDict_Check(names) && PyDict_Next(names, &at, &key, &value)) {
		if (!source_string(key))
			continue;
		word = mem_fmt("%s%s", global ? "" : ".", source_string(key));
		add_changed_lines(all, stacks, global ? "global" : "attribute", mem_fmt("%s%s", global ? "" : of, word),
				  word, -1);
		free(word);
	}
	free(of);
}

/* An object made while tracing and used after the graph: generated code makes it again, which is not a
   side effect. */
static bool is_new(PyObject *var)
{
	PyObject *type = attr(var, "mutation_type");
	bool yes = type && (is_a(type, "ValueMutationNew") || is_a(type, "AttributeMutationNew"));

	Py_XDECREF(type);
	return yes;
}

/* The items that generated code leaves in a container, as Dynamo has them.  Dicts keep those that were deleted as
   such. */
static long new_length(PyObject *var)
{
	PyObject *items = attr(var, "items"), *key, *value;
	Py_ssize_t at = 0;
	long n = -1;

	if (items && PyList_Check(items))
		n = (long)PyList_GET_SIZE(items);
	else if (items && PyDict_Check(items))
		for (n = 0; PyDict_Next(items, &at, &key, &value);)
			n += !is_a(value, "DeletedVariable");
	Py_XDECREF(items);
	return n;
}

static void read_effect(struct effect **all, PyObject *effects, PyObject *var)
{
	PyObject *by_var = attr(effects, "mutation_user_stacks"), *stores = attr(effects, "store_attr_mutations");
	/* borrowed */
	PyObject *stacks = by_var && PyDict_Check(by_var) ? PyDict_GetItem(by_var, var) : NULL;
	PyObject *names = stores && PyDict_Check(stores) ? PyDict_GetItem(stores, var) : NULL;
	const char *kind = effect_kind(var);
	PyObject *new_items;

	if (!strcmp(kind, "attribute") || !strcmp(kind, "global")) {
		add_attributes(all, var, names, stacks, !strcmp(kind, "global"));
	} else if (!strcmp(kind, "dict")) {
		new_items = PyObject_CallMethod(var, "has_new_items", NULL);
		if (new_items != Py_False)
			add_changed_lines(all, stacks, kind, changed_target(var), NULL, new_length(var));
		Py_XDECREF(new_items);
	} else {
		add_changed_lines(all, stacks, kind, changed_target(var), NULL, new_length(var));
	}
	PyErr_Clear();
	Py_XDECREF(stores);
	Py_XDECREF(by_var);
}

/* codegen_update_mutated(side effects, ...) */
static void replayed(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *effects = call_arg(call, 0, "self");
	PyObject *list = c && effects ? PyObject_CallMethod(effects, "_get_modified_vars", NULL) : NULL;
	Py_ssize_t i;

	PyErr_Clear();
	if (c) { /* called twice for each code object; the second time has all of them */
		effects_free(c->parts.effects);
		c->parts.effects = NULL;
	}
	for (i = 0; list && PyList_Check(list) && i < PyList_GET_SIZE(list); i++)
		if (!is_new(PyList_GET_ITEM(list, i)))
			read_effect(&c->parts.effects, effects, PyList_GET_ITEM(list, i));
	Py_XDECREF(list);
}

const struct watcher watch_effects = { .before = replayed };
