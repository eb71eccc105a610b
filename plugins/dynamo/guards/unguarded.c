/* SPDX-License-Identifier: BSD-3-Clause */
/* What Dynamo read for an entry and no guard covers, and whether it has changed since.  Nothing of the program runs to
   read it again.  Does not depend on views. */
#include "code/dynamo_code.h"
#include "guards/guard_args.h"
#include "guards/guard_edit.h"
#include "guards/guard_model.h"
#include "guards/guard_tree.h"
#include "guards/unguarded.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/reads.h"
#include "model/stages.h"
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include "torch/weak.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char again[] = "'torch.compiler.reset()' after the change: the next call compiles again";

/* A new row of something that has changed and that is none of the entry's reads: its texts are to be filled in. */
static struct unguarded *unguarded_put(const struct read *of, struct unguarded **list, int *n, size_t *cap)
{
	struct unguarded *u;

	*list = mem_grow(*list, cap, (size_t)*n + 1, sizeof(**list));
	u = &(*list)[(*n)++];
	memset(u, 0, sizeof(*u));
	u->read = of;
	u->changed = true;
	u->remedy = again;
	u->library = "";
	return u;
}

/* ---- settings of torch ----------------------------------------------------------------------------------------- */

/* What all rows of settings name as what was read. */
static const struct read a_setting = { .kind = READ_SETTING, .key = { .length = -1 } };

static bool has_stage(const struct entry *e, enum torch_reader reader)
{
	const struct stage *s;

	for (s = e->made.stages; s; s = s->next)
		if (reader == READS_INDUCTOR ? py_text_begins_with(s->name, "kernel") : strcmp(s->name, "backend") != 0)
			return true;
	return false;
}

/* Does the name of some operator contain one of these words? */
static bool has_operator(const struct nodes *g, const char *words)
{
	char word[40];
	const char *p;
	int i;

	for (p = words; g && *p; p += strcspn(p, " "), p += strspn(p, " ")) {
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(p, " "), p);
		for (i = 0; i < g->n; i++)
			if (py_text_begins_with(g->node[i].op, "call_") && strstr(g->node[i].target, word))
				return true;
	}
	for (i = 0; g && i < g->nsub; i++)
		if (has_operator(g->sub[i].nodes, words))
			return true;
	return false;
}

static bool counts_for(const struct entry *e, const struct torch_state *state)
{
	int i;

	if (!has_stage(e, state->reader))
		return false;
	for (i = 0; i < e->made.ngraphs; i++)
		if (has_operator(e->made.graph[i].copy, state->nodes))
			return true;
	return false;
}

static void put_setting(struct unguarded **list, int *n, size_t *cap, const char *name, const char *was, const char *is)
{
	struct unguarded *u = unguarded_put(&a_setting, list, n, cap);

	u->source = mem_str(name);
	u->was = mem_str(was);
	u->is = mem_str(is);
	u->why = "no guard covers this setting of torch";
	u->group = "settings of torch";
}

static bool are_deterministic(void)
{
	PyObject *get = attrs_get(ATTR_DETERMINISTIC), *on = get ? PyObject_CallNoArgs(get) : NULL;
	bool yes = on == Py_True;

	PyErr_Clear();
	Py_XDECREF(on);
	Py_XDECREF(get);
	return yes;
}

/* Adds the settings of torch that have changed to these n rows: how many there are then.  An exception is left where
   that failed. */
static int unguarded_settings(const struct entry *e, struct unguarded **list, int n)
{
	static const char *const said[] = { "False", "True" };
	const struct reads *r = e->made.reads;
	PyObject *copies = PyTuple_New(SETTINGS), *rows, *row, *copy;
	signed char now[TORCH_STATES];
	size_t cap = (size_t)n;
	Py_ssize_t i;

	torch_state_read(now);
	for (i = 0; i < TORCH_STATES; i++)
		if (r->state[i] >= 0 && now[i] >= 0 && now[i] != r->state[i] && counts_for(e, &torch_states[i]) &&
		    (!torch_states[i].deterministic || are_deterministic()))
			put_setting(list, &n, &cap, torch_states[i].name, said[r->state[i]], said[now[i]]);
	for (i = 0; copies && i < SETTINGS; i++) {
		copy = i == SETTINGS_DYNAMO || has_stage(e, i == SETTINGS_INDUCTOR ? READS_INDUCTOR : READS_AOT) ?
			       r->settings[i] :
			       NULL;
		PyTuple_SET_ITEM(copies, i, Py_NewRef(copy ? copy : Py_None));
	}
	rows = package_call("settings", "changed", copies ? PyTuple_Pack(1, copies) : NULL);
	for (i = 0; rows && i < PyList_GET_SIZE(rows); i++) {
		row = PyList_GET_ITEM(rows, i);
		put_setting(list, &n, &cap, py_text_utf8_kept(PyTuple_GET_ITEM(row, 0)),
			    py_text_utf8_kept(PyTuple_GET_ITEM(row, 1)), py_text_utf8_kept(PyTuple_GET_ITEM(row, 2)));
	}
	Py_XDECREF(rows);
	Py_XDECREF(copies);
	return n;
}

/* ---- names of classes ------------------------------------------------------------------------------------------- */

/* What all rows of classes name as what was read. */
static const struct read a_class = { .kind = READ_CLASS, .key = { .length = -1 } };

/* (class or None, {name: address}) of each. */
static PyObject *class_rows(const struct reads *r)
{
	PyObject *list = PyList_New(0), *class, *row;
	int i;

	for (i = 0; list && i < r->nclasses; i++) {
		class = r->class[i].weak ? weak_target(r->class[i].weak) : NULL;
		row = r->class[i].names ? PyTuple_Pack(2, class ? class : Py_None, r->class[i].names) : NULL;
		if (row)
			PyList_Append(list, row);
		Py_XDECREF(row);
		Py_XDECREF(class);
	}
	return list;
}

/* The code that was traced; its methods' titles, "Layer.call"; the names of those that super() found. */
static bool traced(const struct entry *e, PyObject *codes, PyObject *ran, PyObject *supers)
{
	const struct reads *r = e->made.reads;
	PyObject *title;
	int i;

	if (!codes || !ran || !supers)
		return false;
	if (e->func->co)
		PyList_Append(codes, (PyObject *)e->func->co);
	for (i = 0; i < r->n; i++) {
		if (r->read[i].kind != READ_CODE)
			continue;
		if (r->read[i].key.held)
			PyList_Append(codes, r->read[i].key.held);
		title = r->read[i].title ? PyUnicode_FromString(r->read[i].title) : NULL;
		if (title)
			PySet_Add(ran, title);
		Py_XDECREF(title);
		if (r->read[i].name && !r->read[i].first)
			PySet_Add(supers, r->read[i].name);
	}
	return !PyErr_Occurred();
}

/* (title, was, value, whether it is there) */
static void put_class(PyObject *row, struct unguarded **list, int *n, size_t *cap)
{
	struct unguarded *u = unguarded_put(&a_class, list, n, cap);
	struct buf is = { 0 };
	struct read_key now;

	u->source = mem_str(py_text_utf8_kept(PyTuple_GET_ITEM(row, 0)));
	u->was = mem_str(py_text_utf8_kept(PyTuple_GET_ITEM(row, 1)));
	if (PyTuple_GET_ITEM(row, 3) == Py_True) {
		reads_key_of(PyTuple_GET_ITEM(row, 2), &now);
		reads_key_text(&now, &is);
		reads_key_release(&now);
	} else {
		buf_adds(&is, "not there any more");
	}
	u->is = buf_detach(&is);
	u->why = "no guard covers which methods a class has";
	u->group = "methods of classes";
}

/* Adds names of classes that have changed to these n rows: how many there are then.  An exception is left where that
   failed.  args: what is read, guards, locals, globals, as the package has them. */
static int unguarded_classes(const struct entry *e, PyObject *args, struct unguarded **list, int n)
{
	PyObject *classes = class_rows(e->made.reads), *codes = PyList_New(0), *ran = PySet_New(NULL),
		 *supers = PySet_New(NULL), *rows = NULL;
	size_t cap = (size_t)n;
	Py_ssize_t i;

	if (classes && traced(e, codes, ran, supers))
		rows = package_call("classes", "changed_names",
				    PyTuple_Pack(7, classes, codes, ran, supers, PyTuple_GET_ITEM(args, 1),
						 PyTuple_GET_ITEM(args, 2), PyTuple_GET_ITEM(args, 3)));
	for (i = 0; rows && i < PyList_GET_SIZE(rows); i++)
		put_class(PyList_GET_ITEM(rows, i), list, &n, &cap);
	Py_XDECREF(rows);
	Py_XDECREF(supers);
	Py_XDECREF(ran);
	Py_XDECREF(codes);
	Py_XDECREF(classes);
	return n;
}

/* ---- what Dynamo read ------------------------------------------------------------------------------------------- */

static const char *const kinds[] = {
	[READ_VALUE] = "value",	      [READ_HOOKS] = "hooks", [READ_CODE] = "code",
	[READ_CONSTANT] = "constant", [READ_CLASS] = "class", [READ_SETTING] = "setting",
};
static const char *const whats[] = {
	[KEY_ATOM] = "atom",	 [KEY_CODE] = "code",	  [KEY_ITEMS] = "items",   [KEY_CLASS] = "class",
	[KEY_MODULE] = "module", [KEY_TENSOR] = "tensor", [KEY_OBJECT] = "object",
};

/* ---- what the package gets ------------------------------------------------------------------------------------- */

/* The object of a weak reference or None: a new reference. */
static PyObject *target_or_none(PyObject *weak)
{
	PyObject *v = weak ? weak_target(weak) : NULL;

	return v ? v : Py_NewRef(Py_None);
}

/* (kind, name, what), and of code: its function, the code, the classes, whether the first that has the name. */
static PyObject *read_row(const struct read *r)
{
	PyObject *name = r->name ? r->name : Py_None;

	if (r->kind != READ_CODE)
		return Py_BuildValue("(sOs)", kinds[r->kind], name, whats[r->key.kind]);
	return Py_BuildValue("(sOsNONNN)", kinds[r->kind], name, whats[r->key.kind], target_or_none(r->key.weak),
			     r->key.held ? r->key.held : Py_None, target_or_none(r->owner), target_or_none(r->holder),
			     PyBool_FromLong(r->first));
}

static PyObject *read_rows(const struct reads *all)
{
	PyObject *list = PyList_New(all->n), *row;
	int i;

	for (i = 0; list && i < all->n; i++) {
		row = read_row(&all->read[i]);
		if (row)
			PyList_SET_ITEM(list, i, row);
		else
			Py_CLEAR(list);
	}
	return list;
}

static void add_guard(PyObject *list, const char *source, const char *kind, const char *text)
{
	PyObject *row = Py_BuildValue("(sss)", source, kind, text);

	if (row)
		PyList_Append(list, row);
	Py_XDECREF(row);
}

/* (source, kind, text) of each leaf, without those that the user dropped, and of the nodes of dicts, which check type
   and length without a leaf. */
static PyObject *guard_rows(const struct guards *g, const struct tree *t)
{
	PyObject *list = PyList_New(0), *manager, *source;
	int i;

	for (i = 0; list && i < g->n; i++)
		if (guard_edited(g->guard[i].number) != GUARD_DROPPED)
			add_guard(list, g->guard[i].source, g->guard[i].kind, g->guard[i].text);
	for (i = 1; list && i < t->nbranches; i++) {
		manager = t->branch[i].manager;
		if (strncmp(_PyType_Name(Py_TYPE(manager)), "Dict", 4))
			continue;
		source = guards_call(manager, "get_source");
		if (py_text_utf8(source))
			add_guard(list, py_text_utf8(source), "DICT", "");
		Py_XDECREF(source);
	}
	return list;
}

/* "L['self']": its name, a new reference; NULL: another source. */
static PyObject *local_name(const struct read *r)
{
	const char *s = r->kind == READ_VALUE ? py_text_utf8(r->name) : NULL;
	const size_t n = s ? strlen(s) : 0;

	if (n < 6 || strncmp(s, "L['", 3) || strcspn(s + 3, "'\\") != n - 5)
		return NULL;
	return PyUnicode_FromStringAndSize(s + 3, (Py_ssize_t)n - 5);
}

/* The values of the call; of arguments that it does not tell, those of the compile, as long as they live. */
static PyObject *locals_of(const struct reads *all, const struct scene *s)
{
	PyObject *locals = s && s->locals ? PyDict_Copy(s->locals) : PyDict_New(), *name, *v;
	int i;

	for (i = 0; locals && i < all->n; i++) {
		name = all->read[i].key.weak ? local_name(&all->read[i]) : NULL;
		v = name && PyDict_Contains(locals, name) == 0 ? weak_target(all->read[i].key.weak) : NULL;
		if (v)
			PyDict_SetItem(locals, name, v);
		Py_XDECREF(v);
		Py_XDECREF(name);
	}
	PyErr_Clear();
	return locals;
}

static void say_failure(const struct entry *e, struct err *err)
{
	PyObject *type, *value, *tb;
	char *text;

	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	text = value ? py_text_str(value) : NULL;
	err_set(err, "what was read for %s cannot be compared: %s", e->id, text ? text : "no memory");
	free(text);
	Py_XDECREF(tb);
	Py_XDECREF(value);
	Py_XDECREF(type);
}

/* What the package asks with, (reads, guards, locals, globals): a new tuple, or NULL with an exception. */
static PyObject *arguments(struct entry *e, const struct scene *s, struct tree *t, const struct guards *g)
{
	PyObject *manager = model_manager(e), *scope = attr(manager, "global_scope");
	PyObject *globals = scope && PyDict_Check(scope) ? PyDict_GetItemString(scope, "G") : NULL; /* borrowed */
	PyObject *reads = read_rows(e->made.reads), *leaves = guard_rows(g, t), *locals = locals_of(e->made.reads, s);
	PyObject *all = NULL;

	if (reads && leaves && locals)
		all = PyTuple_Pack(4, reads, leaves, locals, globals ? globals : Py_None);
	Py_XDECREF(locals);
	Py_XDECREF(leaves);
	Py_XDECREF(reads);
	Py_XDECREF(scope);
	Py_XDECREF(manager);
	return all;
}

/* ---- why there is none, and what to do ------------------------------------------------------------------------- */

/* "/x/site-packages/transformers/a.py" -> "transformers", "/.../torch/nn/a.py" -> "torch"; "" for the program. */
static const char *library_of(const char *file)
{
	const char *p, *packages = NULL;

	if (!file || host->files.is_user(file))
		return "";
	if (attrs_torch_file(file))
		return "torch";
	for (p = file; (p = strstr(p, "-packages/")); p++)
		packages = p + 10;
	return packages ? py_text_keep_part(packages, strcspn(packages, "/.")) : "Python";
}

static void explain_value(struct unguarded *u, PyObject *asked, bool typed)
{
	const char *name = py_text_utf8(u->read->name);
	const bool dropped = asked && PySet_Contains(asked, u->read->name) > 0;

	if (name && strstr(name, "._global_") && strstr(name, "_hooks")) {
		u->why = "torch makes no guard on hooks of all modules";
		u->group = "hooks of all modules";
		u->remedy = "register hooks before the first call, or use 'torch.compiler.reset()' after it";
	} else if (typed) {
		u->why = "its guard checks the type only";
		u->group = "containers without a guard on items";
		u->remedy = again;
	} else if (dropped) {
		u->why = "a guard was asked for and left out, by guard_filter_fn or a rule of torch";
		u->group = "values whose guard was left out";
		u->remedy = "'guard add' adds one to the entry; or let guard_filter_fn keep it";
	} else {
		u->why = "Dynamo asks for no guard on it";
		u->group = "values";
		u->remedy = again;
	}
}

static void explain(struct unguarded *u, PyObject *asked, bool typed)
{
	const struct read *r = u->read;

	u->library = library_of(r->file);
	u->remedy = again;
	if (r->kind == READ_HOOKS) {
		u->library = "";
		u->why = "torch._dynamo.config.skip_nnmodule_hook_guards is True, the default";
		u->group = "hooks of modules";
		u->remedy = "set skip_nnmodule_hook_guards to False before the compile, or use "
			    "'torch.compiler.reset()' after the change";
	} else if (r->kind == READ_CONSTANT) {
		u->why = "assume_constant_result: it was called once, while Dynamo compiled";
		u->group = "results taken once";
	} else if (r->kind == READ_VALUE) {
		explain_value(u, asked, typed);
	} else if (r->name) {
		u->why = "no guard covers methods of a class";
		u->group = "methods of classes";
	} else {
		u->why = "no guard covers the code of this function";
		u->group = "code of functions";
	}
}

static char *source_of(const struct read *r)
{
	struct buf b = { 0 };

	if (r->kind == READ_CONSTANT)
		return mem_fmt("%s()", r->title);
	if (r->kind == READ_CODE)
		return mem_str(r->title);
	buf_adds(&b, py_text_utf8_kept(r->name));
	return buf_detach(&b);
}

static void say_was(struct unguarded *u)
{
	struct buf b = { 0 };

	if (u->read->kind == READ_HOOKS)
		buf_adds(&b, "no hooks");
	else if (u->read->kind == READ_CONSTANT)
		buf_adds(&b, "the result of its only call");
	else
		reads_key_text(&u->read->key, &b);
	u->was = buf_detach(&b);
}

/* value NULL: nothing is there. */
static void say_is(struct unguarded *u, PyObject *value)
{
	struct buf b = { 0 };
	struct read_key now;

	if (value) {
		reads_key_of(value, &now);
		if (u->read->kind == READ_HOOKS && now.length > 0)
			buf_addf(&b, "%zd hook%s", now.length, now.length == 1 ? "" : "s");
		else
			reads_key_text(&now, &b);
		reads_key_release(&now);
	} else {
		buf_adds(&b, "not there any more");
	}
	if (b.s && !strcmp(b.s, u->was)) /* a container of other items, another object of the class */
		buf_adds(&b, u->read->key.length >= 0 ? ", with other items" : ", another one");
	u->is = buf_detach(&b);
}

static bool is_same(const struct read *r, PyObject *value)
{
	return r->kind == READ_CODE  ? reads_key_same_code(&r->key, value) :
	       r->kind == READ_HOOKS ? PyDict_Check(value) && !PyDict_GET_SIZE(value) :
				       reads_key_same(&r->key, value);
}

static void take_row(const struct reads *all, PyObject *row, struct unguarded *u)
{
	PyObject *value = PyTuple_GET_ITEM(row, 2);
	const char *how = py_text_utf8_kept(PyTuple_GET_ITEM(row, 1));

	memset(u, 0, sizeof(*u));
	u->read = &all->read[PyLong_AsLong(PyTuple_GET_ITEM(row, 0))];
	u->unread = !strcmp(how, "unread");
	u->changed = !strcmp(how, "gone") || (!u->unread && !is_same(u->read, value));
	u->source = source_of(u->read);
	explain(u, all->asked, PyTuple_GET_ITEM(row, 3) == Py_True);
	say_was(u);
	if (u->changed)
		say_is(u, strcmp(how, "gone") ? value : NULL);
}

static int by_change(const void *a, const void *b)
{
	const struct unguarded *x = a, *y = b;

	if (x->changed != y->changed)
		return y->changed - x->changed;
	if (x->read->kind != y->read->kind && (x->read->kind >= READ_CLASS || y->read->kind >= READ_CLASS))
		return (int)x->read->kind - (int)y->read->kind; /* these are none of the entry's reads */
	if (x->read->kind >= READ_CLASS)
		return strcmp(x->source, y->source);
	return (x->read > y->read) - (x->read < y->read);
}

/* All rows, in no order: their number, -1 with an exception. */
static int all_rows(struct entry *e, PyObject *args, struct unguarded **out)
{
	PyObject *rows = package_call("unguarded", "look", Py_NewRef(args));
	Py_ssize_t i, n = rows ? PyList_GET_SIZE(rows) : 0;
	int all;

	if (!rows)
		return -1;
	*out = mem_alloc((size_t)n * sizeof(**out) + 1);
	for (i = 0; i < n; i++)
		take_row(e->made.reads, PyList_GET_ITEM(rows, i), &(*out)[i]);
	Py_DECREF(rows);
	all = unguarded_settings(e, out, unguarded_classes(e, args, out, (int)n));
	if (!PyErr_Occurred())
		return all;
	unguarded_free(*out, all);
	*out = NULL;
	return -1;
}

int unguarded_of(struct entry *e, const struct scene *s, struct unguarded **out, struct err *err)
{
	PyObject *args;
	const struct guards *g;
	struct tree *t;
	void *evaluator;
	int n = -1;

	*out = NULL;
	if (!e->made.reads)
		return err_set(err, "what Dynamo read for %s is not known: it was compiled before cdbg came", e->id);
	g = model_listed(e) ? guards_tree(e, &t) : NULL;
	if (!g)
		return err_set(err, "no call can use %s: it is no more in Dynamo's cache", e->id);
	args = arguments(e, s, t, g);
	tree_done(t);
	evaluator = switch_enter();
	if (args)
		n = all_rows(e, args, out);
	if (n < 0)
		say_failure(e, err);
	switch_leave(evaluator); /* keeps no exception */
	Py_XDECREF(args);
	if (n > 0)
		qsort(*out, (size_t)n, sizeof(**out), by_change);
	return n;
}

void unguarded_free(struct unguarded *u, int n)
{
	int i;

	for (i = 0; u && i < n; i++) {
		free(u[i].source);
		free(u[i].was);
		free(u[i].is);
	}
	free(u);
}

void unguarded_text(const struct unguarded *u, struct buf *out)
{
	source_text_name(u->source, 60, out);
	if (u->changed && !strcmp(u->is, "not there any more"))
		buf_addf(out, " was %s, is not there any more", u->was);
	else if (u->changed)
		buf_addf(out, " was %s, is %s", u->was, u->is);
	else
		buf_addf(out, " is %s", u->was);
	if (u->read->line)
		buf_addf(out, "; read at %s:%d in %s", py_text_file_name(u->read->file), u->read->line,
			 u->read->function);
	buf_addf(out, "; %s", u->why);
}

int unguarded_changes(struct entry *e, const char *indent, struct buf *out)
{
	enum { MOST = 8 };
	struct unguarded *u = NULL;
	struct err err = { "" };
	int i, n = model_listed(e) ? unguarded_of(e, NULL, &u, &err) : 0, changed = 0;

	while (changed < n && u[changed].changed)
		changed++;
	for (i = 0; i < changed && i < MOST; i++) {
		buf_adds(out, indent);
		unguarded_text(&u[i], out);
		buf_addf(out, "\n%s  %s\n", indent, u[i].remedy);
	}
	if (changed > MOST)
		buf_addf(out, "%s... and %d more: 'info unguarded %s'\n", indent, changed - MOST, e->id);
	unguarded_free(u, n);
	return changed;
}
