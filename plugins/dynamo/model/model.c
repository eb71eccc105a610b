/* SPDX-License-Identifier: BSD-3-Clause */
/* What Dynamo made, as far as it was seen: functions, entries, graphs, breaks.  Code objects are held weakly, so that
   the program's own lifetimes stay as they are, and are never hashed.  Knows no event and no view. */
#include "edit_guard.h"
#include "model/graphs.h"
#include "guards/guard_tree.h"
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
	t = mem_alloc(sizeof(*t) + strlen(s) + 1);
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
	if (e) {
		Py_CLEAR(e->record);
		Py_CLEAR(e->backend);
	}
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
	f = mem_alloc(sizeof(*f));
	f->weak = watch_death(co, f, false);
	f->co = co;
	f->name = mem_str(visible(utf8_kept(co->co_name)));
	f->file = mem_str(utf8_kept(co->co_filename));
	f->qualname = mem_str(qualname_plain(co));
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
		f->module = mem_str(utf8_of(name));
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
	return seen > 1 ? mem_fmt("%s#%d", raw, seen) : mem_str(raw);
}

void model_add_resume(struct entry *e, PyCodeObject *co, const char *global)
{
	struct func *f = model_func(co, true), *parent = e->func;
	size_t cap = (size_t)e->nresumes;
	const char *at = strstr(global, "_at_");
	struct resume *r;

	e->resume = mem_grow(e->resume, &cap, (size_t)e->nresumes + 1, sizeof(*e->resume));
	r = &e->resume[e->nresumes++];
	r->func = f;
	r->global = mem_str(global);
	r->offset = at && parent->co ? traced_offset(parent->co, atoi(at + 4)) : -1;
	model_resume_known(f);
	if (!f->root)
		f->root = model_root(parent);
	if (!f->resume_line && r->offset >= 0)
		f->resume_line = PyCode_Addr2Line(parent->co, r->offset);
}

struct entry *model_add_entry(PyCodeObject *generated, struct func *f, const char *raw)
{
	struct entry *e = mem_alloc(sizeof(*e));
	unsigned h = slot_of(generated);

	e->id = model_next_id(raw);
	e->raw = mem_str(raw);
	e->func = f;
	e->guards = -1;
	e->weak = watch_death(generated, e, true);
	e->co = generated;
	qualname_set(e, NULL);
	e->chain = entry_at[h];
	entry_at[h] = e;
	if (last_entry)
		last_entry->next = e;
	else
		model_entries = e;
	last_entry = e;
	return e;
}

void model_recode(struct entry *e, PyCodeObject *co)
{
	unsigned h = slot_of(co);

	if (e->co)
		unlink_entry(e);
	Py_XSETREF(e->weak, watch_death(co, e, true));
	e->co = co;
	e->chain = entry_at[h];
	entry_at[h] = e;
	free(e->region);
	e->region = NULL;
	e->nregions = 0;
}

/* Dynamo's cache for a function, in the order it is tried: a new list, NULL: not known.  The items are dropped at
   once: Dynamo does not keep alive what they point to. */
static PyObject *cache_items(struct func *f)
{
	PyObject *list_of = f->co ? names_get(NAME_ENTRY_LIST) : NULL, *list;

	list = list_of ? PyObject_CallOneArg(list_of, (PyObject *)f->co) : NULL;
	Py_XDECREF(list_of);
	PyErr_Clear();
	if (list && !PyList_Check(list))
		Py_CLEAR(list);
	return list;
}

/* An invalidated entry has no code any more: its id tells, the newest of those who had it. */
static bool is_item(struct entry *e, PyObject *item)
{
	PyObject *code = attr(item, "code"), *id = NULL, *text = NULL;
	struct entry *later;
	bool yes;

	yes = code && code == (PyObject *)e->co;
	if (code == Py_None) {
		id = attr(item, "compile_id");
		text = id ? PyObject_Str(id) : NULL;
		yes = text && PyUnicode_Check(text) && !PyUnicode_CompareWithASCIIString(text, e->raw);
		for (later = e->next; yes && later; later = later->next)
			yes = later->func != e->func || strcmp(later->raw, e->raw);
	}
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(id);
	Py_XDECREF(code);
	return yes;
}

/* Its place in Dynamo's cache, from 1, and an attribute of the item there (a new reference; may be NULL): 0: not there,
   -1: cannot be known. */
static int in_cache(struct entry *e, const char *name, PyObject **value)
{
	PyObject *list = cache_items(e->func);
	Py_ssize_t i;
	int found = 0;

	if (value)
		*value = NULL;
	if (!list)
		return e->func->co ? -1 : 0;
	for (i = 0; !found && i < PyList_GET_SIZE(list); i++)
		if (is_item(e, PyList_GET_ITEM(list, i))) {
			found = (int)i + 1;
			if (value)
				*value = attr(PyList_GET_ITEM(list, i), name);
		}
	Py_DECREF(list);
	return found;
}

PyObject *model_invalidated(struct entry *e)
{
	PyObject *manager;

	in_cache(e, "guard_manager", &manager);
	return manager;
}

PyObject *model_backend(struct entry *e)
{
	PyObject *backend;

	in_cache(e, "backend", &backend);
	return backend ? backend : Py_XNewRef(e->backend);
}

void model_called(struct entry *e)
{
	e->func->call[e->func->ncalls++ % LAST_CALLS] = e;
}

int model_order(struct entry *e)
{
	int at = e->co ? in_cache(e, NULL, NULL) : 0;

	return at > 0 ? at : 0;
}

int model_tried(struct func *f, struct entry ***out)
{
	PyObject *list = cache_items(f);
	struct entry *e;
	Py_ssize_t i;
	int n = 0;

	*out = list ? mem_alloc((size_t)PyList_GET_SIZE(list) * sizeof(**out) + 1) : NULL;
	for (i = 0; list && i < PyList_GET_SIZE(list); i++) {
		e = model_entry_item(f, PyList_GET_ITEM(list, i));
		if (e && e->co)
			(*out)[n++] = e;
	}
	Py_XDECREF(list);
	return n;
}

bool model_listed(struct entry *e)
{
	return e->fresh || in_cache(e, NULL, NULL) != 0;
}

struct entry *model_entry_item(struct func *f, PyObject *item)
{
	PyObject *code = attr(item, "code"), *id;
	struct entry *e, *found = NULL;

	if (code && PyCode_Check(code)) {
		found = model_entry((PyCodeObject *)code);
		id = found ? NULL : attr(item, "compile_id");
		if (!found) {                        /* another tool put it there */
			PyObject *text = id ? PyObject_Str(id) : NULL;

			found = model_add_entry((PyCodeObject *)code, f, utf8_kept(text));
			found->before = true;
			Py_XDECREF(text);
		}
		Py_XDECREF(id);
	} else {
		for (e = model_entries; e; e = e->next)
			if (e->func == f && is_item(e, item))
				found = e;
	}
	PyErr_Clear();
	Py_XDECREF(code);
	return found;
}

const char *model_state(struct entry *e)
{
	const char *edited = e->end ? NULL : ledger_state(e);
	PyObject *code = NULL;
	bool dead;

	if (e->end)
		return e->end;
	/* its code may be held by a clone, or be one */
	dead = e->co && in_cache(e, "code", &code) > 0 && code == Py_None;
	Py_XDECREF(code);
	if (dead || edited)
		return dead ? "invalidated" : edited;
	if (clone_slot(e))
		return "edited";
	return e->fresh || (e->co && in_cache(e, NULL, NULL) != 0) ? "live" : "invalidated";
}

bool model_cached(struct entry *e)
{
	const char *state = model_state(e);

	if (!strcmp(state, "live"))
		return true;
	if (!strcmp(state, "invalidated") || !strcmp(state, "deleted"))
		return false;
	/* of an edited one the state does not tell: a clone may be in no cache; after the end none can be asked */
	return e->end ? !strchr(e->id, '+') : model_order(e) > 0;
}

PyObject *model_manager(struct entry *e)
{
	PyObject *manager = e->fresh ? Py_XNewRef(e->manager) : NULL;

	if (!manager && e->co && !e->end)
		in_cache(e, "guard_manager", &manager);
	if (!manager && clone_slot(e))
		manager = ledger_manager(e);
	return manager;
}

int model_guards(struct entry *e)
{
	PyObject *own = ledger_original(e), *manager = own ? own : model_manager(e);
	int n = manager ? model_leaf_guards(manager) + ledger_more(e) : e->end ? e->guards : -1;

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

	e->graph = mem_grow(e->graph, &cap, (size_t)e->ngraphs + 1, sizeof(*e->graph));
	g = &e->graph[e->ngraphs++];
	memset(g, 0, sizeof(*g));
	/* "__compiled_fn_1_2c736fa2_bcb9_4768_99b0_63c6b02410e5": what follows the number tells nobody anything. */
	for (p = name + strspn(name, "_"); *p; p++)
		if (*p == '_' && ++under == 3) {
			end = p;
			break;
		}
	g->full = mem_str(name);
	g->name = mem_fmt("%.*s", (int)(end - name), name);
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
	g->spot = mem_grow(g->spot, &g->spots_cap, (size_t)g->nspots + 1, sizeof(*g->spot));
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
	struct breakage *b = mem_alloc(sizeof(*b));

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
		guards_of(e);
		if (!strcmp(model_state(e), "invalidated"))
			free(why_gone(e));   /* it is kept */
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
		guards_release(e);
		Py_CLEAR(e->record);
		Py_CLEAR(e->backend);
		e->co = NULL;
	}
	memset(func_at, 0, sizeof(func_at));
	memset(entry_at, 0, sizeof(entry_at));
	model_funcs = NULL;
	model_entries = last_entry = NULL;
	model_breaks = NULL;
	breaks_end = &model_breaks;
}
