/* SPDX-License-Identifier: BSD-3-Clause */
/* What Dynamo made, as far as it was seen: functions, entries, graphs, breaks.  Code objects are held weakly, so that
   the program's own lifetimes stay as they are, and are never hashed.  Knows no event and no view. */
#include "graphs.h"
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct func *model_funcs;
struct entry *model_entries;
struct breakage *model_breaks;

static struct entry *last_entry;
static struct breakage **breaks_end = &model_breaks;
static struct func *func_at[BUCKETS];
static struct entry *entry_at[BUCKETS];
static struct text { struct text *next; char s[]; } *text_at[BUCKETS];

/* ---- small things --------------------------------------------------------------------------------------- */

static char *copy(const char *s)
{
	return s ? host->mem_fmt("%s", s) : NULL;
}

static unsigned slot_of(const void *p)
{
	uintptr_t n = (uintptr_t)p >> 4;

	return (unsigned)((n ^ n >> 10) % BUCKETS);
}

const char *model_text(const char *s)
{
	unsigned h = 5381;
	struct text *t;
	const char *p;

	for (p = s; *p; p++)
		h = h * 33 ^ (unsigned char)*p;
	for (t = text_at[h % BUCKETS]; t; t = t->next)
		if (!strcmp(t->s, s))
			return t->s;
	t = host->mem_alloc(sizeof(*t) + strlen(s) + 1);
	memcpy(t->s, s, strlen(s) + 1);
	t->next = text_at[h % BUCKETS];
	text_at[h % BUCKETS] = t;
	return t->s;
}

/* ---- code objects: a weak reference tells when one dies, before its address is used again ---------------- */

static void unlink_func(struct func *f)
{
	struct func **p;

	for (p = &func_at[slot_of(f->co)]; *p; p = &(*p)->chain)
		if (*p == f) {
			*p = f->chain;
			break;
		}
	f->co = NULL;
}

static void unlink_entry(struct entry *e)
{
	struct entry **p;

	for (p = &entry_at[slot_of(e->co)]; *p; p = &(*p)->chain)
		if (*p == e) {
			*p = e->chain;
			break;
		}
	e->co = NULL;
}

static PyObject *func_gone(PyObject *self, PyObject *weak)
{
	struct func *f = PyCapsule_GetPointer(self, "func");

	(void)weak;
	if (f && f->co)
		unlink_func(f);
	Py_RETURN_NONE;
}

static PyObject *entry_gone(PyObject *self, PyObject *weak)
{
	struct entry *e = PyCapsule_GetPointer(self, "entry");

	(void)weak;
	if (e && e->co)
		unlink_entry(e);
	Py_RETURN_NONE;
}

static PyObject *watch_death(PyCodeObject *co, void *record, bool entry)
{
	static PyMethodDef methods[] = {
		{ "func_gone", func_gone, METH_O, NULL },
		{ "entry_gone", entry_gone, METH_O, NULL },
	};
	PyObject *self = PyCapsule_New(record, entry ? "entry" : "func", NULL);
	PyObject *gone = self ? PyCFunction_New(&methods[entry], self) : NULL;
	PyObject *weak = gone ? PyWeakref_NewRef((PyObject *)co, gone) : NULL;

	Py_XDECREF(gone);
	Py_XDECREF(self);
	PyErr_Clear();
	return weak;
}

/* ---- functions ------------------------------------------------------------------------------------------ */

struct func *model_func(PyCodeObject *co, bool make)
{
	unsigned h = slot_of(co);
	struct func *f;

	for (f = func_at[h]; f; f = f->chain)
		if (f->co == co)
			return f;
	if (!make)
		return NULL;
	f = host->mem_alloc(sizeof(*f));
	f->weak = watch_death(co, f, false);
	f->co = co;
	f->name = copy(PyUnicode_AsUTF8(co->co_name));
	f->file = copy(PyUnicode_AsUTF8(co->co_filename));
	PyErr_Clear();
	f->line = co->co_firstlineno;
	f->chain = func_at[h];
	func_at[h] = f;
	f->next = model_funcs;
	model_funcs = f;
	return f;
}

void model_module(struct func *f, PyObject *globals)
{
	PyObject *name = f->module ? NULL : PyDict_GetItemString(globals, "__name__");
	PyObject *m = name && PyUnicode_Check(name) ? PyImport_GetModule(name) : NULL;

	if (m && PyModule_Check(m) && PyModule_GetDict(m) == globals)
		f->module = copy(PyUnicode_AsUTF8(name));
	Py_XDECREF(m);
	PyErr_Clear();
}

struct func *model_root(struct func *f)
{
	return f && f->root ? f->root : f;
}

/* The user's code that a resume function's code was made from, as Dynamo keeps it: borrowed. */
static PyCodeObject *root_code(PyCodeObject *co)
{
	PyObject *table = names_get(NAME_RESUME_META), *meta, *root = NULL;

	meta = table ? PyObject_CallMethod(table, "get", "O", co) : NULL;
	if (meta && meta != Py_None)
		root = PyObject_GetAttrString(meta, "code");
	PyErr_Clear();
	Py_XDECREF(meta);
	Py_XDECREF(table);
	Py_XDECREF(root);                    /* the table keeps it */
	return root && PyCode_Check(root) ? (PyCodeObject *)root : NULL;
}

void model_resume_known(struct func *f)
{
	PyCodeObject *root = f->root || !f->co ? NULL : root_code(f->co);

	if (root && root != f->co)
		f->root = model_func(root, true);
}

/* ---- entries -------------------------------------------------------------------------------------------- */

struct entry *model_entry(PyCodeObject *co)
{
	struct entry *e;

	for (e = entry_at[slot_of(co)]; e; e = e->chain)
		if (e->co == co)
			return e;
	return NULL;
}

struct entry *model_entry_named(const char *id)
{
	struct entry *e;

	for (e = model_entries; e; e = e->next)
		if (!strcmp(e->id, id))
			return e;
	return NULL;
}

char *model_next_id(const char *raw)
{
	struct entry *e;
	int seen = 1;

	for (e = model_entries; e; e = e->next)
		seen += !strcmp(e->raw, raw);
	return seen > 1 ? host->mem_fmt("%s#%d", raw, seen) : copy(raw);
}

void model_add_resume(struct entry *e, PyCodeObject *co, const char *global)
{
	struct func *f = model_func(co, true), *parent = e->func;
	size_t cap = (size_t)e->nresumes;
	const char *at = strstr(global, "_at_");
	struct resume *r;

	e->resume = host->mem_grow(e->resume, &cap, (size_t)e->nresumes + 1, sizeof(*e->resume));
	r = &e->resume[e->nresumes++];
	r->func = f;
	r->global = copy(global);
	r->offset = at ? atoi(at + 4) : -1;
	model_resume_known(f);
	if (!f->root)
		f->root = model_root(parent);
	if (!f->resume_line && parent->co && r->offset >= 0)
		f->resume_line = PyCode_Addr2Line(parent->co, r->offset);
}

struct entry *model_add_entry(PyCodeObject *generated, struct func *f, const char *raw)
{
	struct entry *e = host->mem_alloc(sizeof(*e));
	unsigned h = slot_of(generated);

	e->id = model_next_id(raw);
	e->raw = copy(raw);
	e->func = f;
	e->guards = -1;
	e->weak = watch_death(generated, e, true);
	e->co = generated;
	e->title = host->mem_fmt("generated code of %s, entry %s", f->name, e->id);
	e->chain = entry_at[h];
	entry_at[h] = e;
	if (last_entry)
		last_entry->next = e;
	else
		model_entries = e;
	last_entry = e;
	return e;
}

/* The guard manager that Dynamo's cache has for this generated code: 1 with a new reference, 0: not in the cache
   any more, -1: cannot be known.  manager may be NULL. */
static int in_cache(struct entry *e, PyObject **manager)
{
	PyObject *list_of, *list, *it, *item, *code;
	int found = 0;

	if (!e->co || !e->func->co)
		return 0;
	list_of = names_get(NAME_ENTRY_LIST);
	list = list_of ? PyObject_CallOneArg(list_of, (PyObject *)e->func->co) : NULL;
	Py_XDECREF(list_of);
	if (!list) {
		PyErr_Clear();
		return -1;
	}
	/* The items are dropped at once: Dynamo does not keep alive what they point to. */
	it = PyObject_GetIter(list);
	while (it && !found && (item = PyIter_Next(it))) {
		code = PyObject_GetAttrString(item, "code");
		found = code == (PyObject *)e->co;
		if (found && manager)
			*manager = PyObject_GetAttrString(item, "guard_manager");
		Py_XDECREF(code);
		Py_DECREF(item);
	}
	Py_XDECREF(it);
	Py_DECREF(list);
	PyErr_Clear();
	return found;
}

const char *model_state(struct entry *e)
{
	if (e->end)
		return e->end;
	return e->fresh || in_cache(e, NULL) != 0 ? "live" : "invalidated";
}

int model_guards(struct entry *e)
{
	PyObject *manager = NULL;
	int n = e->fresh || e->end ? e->guards : in_cache(e, &manager) > 0 && manager ? model_leaf_guards(manager) : -1;

	Py_XDECREF(manager);
	if (n >= 0)
		e->guards = n;
	return n;
}

/* ---- graphs --------------------------------------------------------------------------------------------- */

void model_add_graph(struct entry *e, const char *name, struct nodes *copied)
{
	struct graph *g;
	const char *p, *end = name + strlen(name);
	size_t cap = (size_t)e->ngraphs;
	int under = 0;

	e->graph = host->mem_grow(e->graph, &cap, (size_t)e->ngraphs + 1, sizeof(*e->graph));
	g = &e->graph[e->ngraphs++];
	memset(g, 0, sizeof(*g));
	/* "__compiled_fn_1_2c736fa2_bcb9_4768_99b0_63c6b02410e5": what follows the number tells nobody anything. */
	for (p = name + strspn(name, "_"); *p; p++)
		if (*p == '_' && ++under == 3) {
			end = p;
			break;
		}
	g->full = copy(name);
	g->name = host->mem_fmt("%.*s", (int)(end - name), name);
	g->nodes = copied ? copied->n : -1;
	g->copy = copied;
}

static void add_spot(struct graph *g, const struct spot *s)
{
	int i;

	for (i = 0; i < g->nspots; i++)
		if (g->spot[i].line == s->line && g->spot[i].file == s->file && g->spot[i].function == s->function &&
		    g->spot[i].own == s->own)
			return;
	g->spot = host->mem_grow(g->spot, &g->spots_cap, (size_t)g->nspots + 1, sizeof(*g->spot));
	g->spot[g->nspots++] = *s;
}

void model_read_graph(struct graph *g)
{
	const struct node *n;
	int i, k;

	if (g->read || !g->copy)
		return;
	g->read = true;
	for (i = 0; i < g->copy->n; i++) {
		n = &g->copy->node[i];
		for (k = 0; k < n->nspots; k++)
			add_spot(g, &g->copy->spot[n->spot + k]);
	}
}

/* ---- breaks --------------------------------------------------------------------------------------------- */

struct breakage *model_add_break(void)
{
	static int count;
	struct breakage *b = host->mem_alloc(sizeof(*b));

	b->number = ++count;
	*breaks_end = b;
	breaks_end = &b->next;
	return b;
}

struct breakage **model_breaks_end(void)
{
	return breaks_end;
}

void model_freeze(void)
{
	struct entry *e;

	for (e = model_entries; e; e = e->next) {
		model_guards(e);
		e->end = model_state(e);
	}
}

/* The records stay where they are: a compile that is under way may point to them. */
void model_release(void)
{
	struct entry *e;
	struct func *f;

	for (f = model_funcs; f; f = f->next) {
		Py_CLEAR(f->weak);
		f->co = NULL;
	}
	for (e = model_entries; e; e = e->next) {
		Py_CLEAR(e->weak);
		e->co = NULL;
	}
	memset(func_at, 0, sizeof(func_at));
	memset(entry_at, 0, sizeof(entry_at));
	model_funcs = NULL;
	model_entries = last_entry = NULL;
	model_breaks = NULL;
	breaks_end = &model_breaks;
}
