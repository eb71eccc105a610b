/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: scopes, variables, setVariable.  A variablesReference holds for one stop.  None of the program's code runs
   to list what is in a value. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "engine/variable.h"
#include "py/frame/frame.h"
#include "py/interp/eval.h"
#include "py/interp/names.h"
#include "py/py.h"
#include "py/value/child.h"
#include "py/value/children.h"
#include "py/value/value.h"
#include "ui/dap/dap_call.h"
#include "ui/dap/dap_state.h"
#include "view/view.h"

enum { SUMMARY = 300, MOST = 2000 };

enum ref_kind { REF_LOCALS, REF_STACK, REF_GLOBALS, REF_GUARDS, REF_GRAPH, REF_VALUE, REF_PROPERTY };

struct ref {
	enum ref_kind kind;
	long long frame; /* its number for the client */
	/* Owned.  REF_VALUE, _PROPERTY: an expression, or NULL; REF_GUARDS, _GRAPH: the entry. */
	char *path;
	struct py_obj *v; /* owned; REF_VALUE: NULL: what the path gives without the program's code */
};

static struct {
	struct ref *ref;
	size_t n, cap;
	long long first; /* number of ref[0]: none is given twice */
} refs = { .first = 1 };

void dap_variables_forget(void)
{
	size_t i;

	for (i = 0; i < refs.n; i++) {
		free(refs.ref[i].path);
		py_unref_later(refs.ref[i].v);
	}
	refs.first += (long long)refs.n;
	refs.n = 0;
}

static long long ref_add(enum ref_kind kind, long long frame, const char *path, struct py_obj *v)
{
	refs.ref = mem_grow(refs.ref, &refs.cap, refs.n + 1, sizeof(*refs.ref));
	refs.ref[refs.n] = (struct ref){ kind, frame, mem_str(path), py_ref(v) };
	return refs.first + (long long)refs.n++;
}

/* Also selects its frame. */
static const struct ref *ref_find(struct session *s, long long id, struct err *err)
{
	const struct ref *r = NULL;

	if (id >= refs.first && id < refs.first + (long long)refs.n)
		r = &refs.ref[id - refs.first];
	else
		err_set(err, "no variables %lld: the program has run since that stop", id);
	return r && dap_frames_select(s, r->frame, err) == 0 ? r : NULL;
}

/* ---- one variable ----------------------------------------------------------------------------------------------- */

static void put_text(struct val *v, const char *key, const char *text)
{
	if (text && *text)
		val_put(v, key, val_str(text));
}

static bool plain_container(const char *type)
{
	static const char *const types[] = { "list", "tuple", "dict", "set", "frozenset", "deque", NULL };
	int i;

	for (i = 0; types[i]; i++)
		if (!strcmp(types[i], type))
			return true;
	return false;
}

void dap_variables_refer(struct session *s, struct val *out, long long frame, const char *path, struct py_obj *v)
{
	long long items = v ? children_items(v) : -1;
	bool some = v && (items > 0 || (items < 0 && variable_has_children(s, v)) ||
			  (items == 0 && !plain_container(value_type(v))));

	val_put(out, "variablesReference", val_int(some ? ref_add(REF_VALUE, frame, path, v) : 0));
	if (!some || items < 0)
		return;
	val_put(out, "indexedVariables", val_int(items));
	val_put(out, "namedVariables", val_int(!plain_container(value_type(v))));
}

void dap_variables_show(struct session *s, struct val *out, const char *key, struct py_obj *v)
{
	struct buf b = { 0 };

	(void)s;
	value_show_data(v, &b, SUMMARY);
	val_put(out, key, val_str(buf_str(&b)));
	put_text(out, "type", value_type(v));
	buf_release(&b);
}

static struct val *new_variable(struct val *list, const char *name)
{
	struct val *v = val_push(list, val_map());

	val_put(v, "name", val_str(name));
	return v;
}

static void put_object(struct session *s, struct val *list, long long frame, const char *name, const char *path,
		       struct py_obj *value)
{
	struct val *v = new_variable(list, name);

	dap_variables_show(s, v, "value", value);
	put_text(v, "evaluateName", path);
	dap_variables_refer(s, v, frame, path, value);
}

/* ---- lists of them ---------------------------------------------------------------------------------------------- */

struct page {
	struct session *s;
	struct val *list;
	const struct ref *ref;
	size_t at, from, to; /* of the rows that are made one by one */
};

static bool page_wants(struct page *p)
{
	size_t i = p->at++;

	return i >= p->from && i < p->to;
}

static void put_rows_of_locals(struct page *p, const struct rows *r)
{
	struct py_obj *value;
	struct err none;
	const char *path;
	struct val *v;
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (!page_wants(p))
			continue;
		path = rows_text(r, i, "path");
		v = new_variable(p->list, rows_text(r, i, "name"));
		val_put(v, "value", val_str(rows_text(r, i, "value")));
		put_text(v, "type", rows_text(r, i, "type"));
		put_text(v, "evaluateName", path);
		value = *path ? variable_find(p->s, path, strlen(path), &none) : NULL;
		dap_variables_refer(p->s, v, p->ref->frame, path, value);
		py_unref(value);
	}
}

/* Borrowed; NULL: it is no object. */
static struct py_obj *slot_value(struct session *s, int slot)
{
	struct err none;
	const struct frame *f = session_frame(s, &none);
	struct stack_slot found = { .kind = SLOT_NULL };

	if (f && f->fo)
		frame_slot(f->fo, slot, &found);
	return found.kind == SLOT_OBJECT ? found.value : NULL;
}

static void put_rows_of_stack(struct page *p, const struct rows *r)
{
	const char *kind;
	struct val *v;
	char *name;
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (!page_wants(p))
			continue;
		kind = rows_text(r, i, "kind");
		name = mem_fmt("$%lld", rows_number(r, i, "slot", 0));
		v = new_variable(p->list, name);
		val_put(v, "value", val_str(strcmp(kind, "null") ? rows_text(r, i, "value") : "NULL"));
		put_text(v, "type", rows_text(r, i, "type"));
		put_text(v, "evaluateName", name);
		dap_variables_refer(p->s, v, p->ref->frame, name,
				    strcmp(kind, "object") ? NULL :
							     slot_value(p->s, (int)rows_number(r, i, "slot", 0)));
		free(name);
	}
}

static void put_flat(struct page *p, const char *name, const char *value, const char *type)
{
	struct val *v = new_variable(p->list, name);

	val_put(v, "value", val_str(value));
	put_text(v, "type", type);
	val_put(v, "variablesReference", val_int(0));
}

static void put_rows_of_guards(struct page *p, const struct rows *r)
{
	const struct val *ok;
	char *name, *text;
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (!page_wants(p))
			continue;
		ok = rows_cell(r, i, "ok");
		name = mem_fmt("%lld", rows_number(r, i, "guard", 0));
		text = mem_fmt("%s%s",
			       !ok || ok->type != VAL_BOOL ? "" :
			       ok->u.b			   ? "holds: " :
							     "FAILS: ",
			       rows_text(r, i, "text"));
		put_flat(p, name, text, rows_text(r, i, "kind"));
		free(name);
		free(text);
	}
}

static void put_rows_of_graph(struct page *p, const struct rows *r)
{
	char *text;
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (!page_wants(p))
			continue;
		text = mem_fmt("%s %s", rows_text(r, i, "target"), rows_text(r, i, "args"));
		put_flat(p, rows_text(r, i, "node"), text, rows_text(r, i, "value"));
		free(text);
	}
}

static int put_view(struct page *p, const char *view, const char *words,
		    void (*put)(struct page *p, const struct rows *r), struct err *err)
{
	struct rows *r = dap_call_rows(p->s, view, words, err);

	if (!r)
		return -1;
	put(p, r);
	rows_free(r);
	return 0;
}

static void put_global(void *arg, const char *name, struct py_obj *value)
{
	struct page *p = arg;

	if (page_wants(p))
		put_object(p->s, p->list, p->ref->frame, name, name, value);
}

static int put_globals(struct page *p, struct err *err)
{
	const struct frame *f = session_frame(p->s, err);

	if (!f)
		return -1;
	names_each(f->fake ? f->fake->globals : frame_globals(f->fo), put_global, p);
	return 0;
}

static void put_child(struct child_sink *k, const struct child *c)
{
	struct page *p = k->arg;
	char *path = c->suffix && p->ref->path ? mem_fmt("%s%s", p->ref->path, c->suffix) : NULL;
	const char *name = c->label + (*c->label == '.'); /* "weight", "[0]" */

	if (c->v && !c->text)
		put_object(p->s, p->list, p->ref->frame, name, path, c->v);
	else
		put_flat(p, name, c->text ? c->text : "", NULL);
	free(path);
}

/* What reading runs the program's code is read when the client asks for it: as one variable. */
static void put_property(void *arg, const char *name)
{
	struct page *p = arg;
	char *path = mem_fmt("%s.%s", p->ref->path, name);
	struct val *v = new_variable(p->list, name), *hint;

	val_put(v, "value", val_str("(a property: it runs the program's code)"));
	put_text(v, "evaluateName", path);
	hint = val_put(v, "presentationHint", val_map());
	val_put(hint, "kind", val_str("property"));
	val_put(hint, "lazy", val_bool(true));
	val_put(v, "variablesReference", val_int(ref_add(REF_PROPERTY, p->ref->frame, path, NULL)));
	free(path);
}

static int read_property(struct page *p, struct err *err)
{
	struct scope scope;
	struct py_obj *v = NULL;

	session_ask(p->s);
	if (session_scope(p->s, &scope, err) == 0)
		v = eval_text(p->ref->path, &scope, err);
	if (!v)
		return -1;
	put_object(p->s, p->list, p->ref->frame, "", p->ref->path, v);
	py_unref(v);
	return 0;
}

/* filter: "named" are attributes, "indexed" items; "": both. */
static int put_children(struct page *p, const char *filter, struct err *err)
{
	struct py_obj *v = p->ref->v ? py_ref(p->ref->v) : variable_find(p->s, p->ref->path, strlen(p->ref->path), err);
	long long items = v ? children_items(v) : -1;
	struct child_sink sink = { .from = p->from, .to = p->to, .add = put_child, .arg = p };

	if (!v)
		return -1;
	if (!strcmp(filter, "named") && items > 0) {
		sink.from += (size_t)items;
		sink.to = sink.to > SIZE_MAX - (size_t)items ? SIZE_MAX : sink.to + (size_t)items;
	} else if (!strcmp(filter, "indexed") && items >= 0 && sink.to > (size_t)items) {
		sink.to = (size_t)items;
	}
	variable_children(p->s, v, &sink);
	if (p->ref->path && !p->s->past && strcmp(filter, "indexed") != 0 && !p->from && p->to == MOST)
		children_properties(v, put_property, p);
	if (!*filter && p->to == MOST && sink.total > MOST)
		put_flat(p, "...", "there are more: the client can ask for pages", NULL);
	py_unref(v);
	return 0;
}

static int put_all(struct page *p, const char *filter, struct err *err)
{
	switch (p->ref->kind) {
	case REF_LOCALS:
		return put_view(p, "locals", "", put_rows_of_locals, err);
	case REF_STACK:
		return put_view(p, "stack", "", put_rows_of_stack, err);
	case REF_GLOBALS:
		return put_globals(p, err);
	case REF_GUARDS:
		return put_view(p, "guards", p->ref->path, put_rows_of_guards, err);
	case REF_GRAPH:
		return put_view(p, "graph", p->ref->path, put_rows_of_graph, err);
	case REF_PROPERTY:
		return read_property(p, err);
	default:
		return put_children(p, filter, err);
	}
}

int dap_variables(struct session *s, struct dap_call *c, struct err *err)
{
	long long first = val_number(c->args, "start", 0), count = val_number(c->args, "count", 0);
	const struct ref *found = ref_find(s, val_number(c->args, "variablesReference", 0), err);
	struct ref ref; /* refs are added meanwhile */
	struct page p = { .s = s, .ref = &ref };

	if (!found)
		return -1;
	ref = *found;
	p.from = first > 0 ? (size_t)first : 0;
	p.to = count > 0 ? p.from + (size_t)count : MOST;
	c->body = val_map();
	p.list = val_put(c->body, "variables", val_list());
	return put_all(&p, val_text(c->args, "filter"), err);
}

/* ---- scopes ----------------------------------------------------------------------------------------------------- */

static void add_scope(struct val *list, const char *name, const char *hint, long long ref, bool expensive)
{
	struct val *v = val_push(list, val_map());

	val_put(v, "name", val_str(name));
	put_text(v, "presentationHint", hint);
	val_put(v, "variablesReference", val_int(ref));
	val_put(v, "expensive", val_bool(expensive));
}

int dap_scopes(struct session *s, struct dap_call *c, struct err *err)
{
	long long id = val_number(c->args, "frameId", 0);
	const struct frame *f;
	struct val *list;

	if (dap_frames_select(s, id, err) < 0)
		return -1;
	f = session_frame(s, err);
	if (!f)
		return -1;
	c->body = val_map();
	list = val_put(c->body, "scopes", val_list());
	add_scope(list, "Locals", "locals", ref_add(REF_LOCALS, id, NULL, NULL), false);
	if (f->kind != KIND_LIBRARY && !f->dead)
		add_scope(list, "Value stack", "registers", ref_add(REF_STACK, id, NULL, NULL), false);
	add_scope(list, "Globals", "globals", ref_add(REF_GLOBALS, id, NULL, NULL), true);
	if (f->entry) {
		add_scope(list, "Guards", NULL, ref_add(REF_GUARDS, id, f->entry, NULL), true);
		add_scope(list, "Graph", NULL, ref_add(REF_GRAPH, id, f->entry, NULL), true);
	}
	return 0;
}

/* ---- setVariable ------------------------------------------------------------------------------------------------ */

char *dap_variables_expression(struct session *s, long long reference, const char *name, struct err *err)
{
	const struct ref *r = ref_find(s, reference, err);

	if (!r)
		return NULL;
	if (r->kind == REF_LOCALS || r->kind == REF_STACK || r->kind == REF_GLOBALS)
		return mem_str(name);
	if (r->kind == REF_VALUE && r->path && *name)
		return mem_fmt("%s%s%s", r->path, *name == '[' ? "" : ".", name);
	err_set(err, "'%s' has no expression that could be assigned to", name);
	return NULL;
}

long long dap_variables_frame(long long reference)
{
	return refs.ref[reference - refs.first].frame;
}

int dap_set_variable(struct session *s, struct dap_call *c, struct err *err)
{
	long long reference = val_number(c->args, "variablesReference", 0);
	char *to = dap_variables_expression(s, reference, val_text(c->args, "name"), err);
	const char *value = val_text(c->args, "value");

	if (!to)
		return -1;
	if (*to == '$')
		c->line = mem_fmt("set stack %s = %s", to + 1, value);
	else if (refs.ref[reference - refs.first].kind == REF_LOCALS)
		c->line = mem_fmt("set var %s = %s", to, value);
	else
		c->line = mem_fmt("!%s = %s", to, value);
	free(to);
	return 0;
}

static void put_value_now(struct session *s, struct dap_call *c, const char *path, long long frame)
{
	struct err err;
	struct py_obj *v = path ? variable_find(s, path, strlen(path), &err) : NULL;

	c->body = val_map();
	if (v) {
		dap_variables_show(s, c->body, "value", v);
		dap_variables_refer(s, c->body, frame, path, v);
	} else {
		val_put(c->body, "value", val_str(val_text(c->args, "value")));
	}
	py_unref(v);
}

void dap_variable_set(struct session *s, struct dap_call *c, const struct ran *ran)
{
	long long reference = val_number(c->args, "variablesReference", 0);
	struct err err;
	char *path = dap_variables_expression(s, reference, val_text(c->args, "name"), &err);

	(void)ran;
	put_value_now(s, c, path, path ? dap_variables_frame(reference) : 0);
	free(path);
}

void dap_expression_set(struct session *s, struct dap_call *c, const struct ran *ran)
{
	(void)ran;
	put_value_now(s, c, val_text(c->args, "expression"), val_number(c->args, "frameId", 0));
}
