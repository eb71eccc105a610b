/* SPDX-License-Identifier: BSD-3-Clause */
/* Clones: entries of the user's own, with the guards of the entry they are made from and code that may be another.
   What a clone is made of is kept here; whether it is in Dynamo's cache is the ledger's. */
#include "edit/clone.h"
#include "torch/attrs.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/qualname.h"
#include "edit/cached.h"
#include "edit/edit_python.h"
#include "edit/held.h"
#include <stdlib.h>
#include <string.h>

struct clone {
	struct slot slot;                    /* as it would stand in the cache, guards unedited */
	PyObject *parent;                    /* owned: the parent's code; what Dynamo made for it dies with it */
};

const struct slot *clone_slot(const struct entry *e)
{
	return e->edit.clone ? &e->edit.clone->slot : NULL;
}

void clone_forget(struct entry *e, const char *why)
{
	struct clone *c = e->edit.clone;

	e->edit.clone = NULL;
	if (!c)
		return;
	if (!e->made.gone)
		e->made.gone = mem_str(why);
	slot_release(&c->slot);              /* the code dies, and e->co with it */
	Py_XDECREF(c->parent);
	free(c);
}

/* Dynamo forgot what they were made from. */
void clones_forget(void)
{
	struct entry *e;

	for (e = model_entries; e; e = e->next)
		clone_forget(e, "Dynamo was reset");
}

/* What the parent is made of: from Dynamo's cache, or a clone's own.  Guards as Dynamo made them. */
static int parent_slot(struct entry *e, struct slot *out, struct err *err)
{
	PyObject *original;
	struct cached c;
	size_t at;

	if (e->edit.clone) {
		slot_copy(out, &e->edit.clone->slot);
		return 0;
	}
	if (cached_read(e->func->co, &c, err) < 0)
		return -1;
	at = cached_find(&c, e->co);
	if (at < c.n)
		slot_copy(out, &c.slot[at]);
	cached_release(&c);
	if (!out->code)
		return err_set(err, "entry '%s' is not in Dynamo's cache: 'undo' puts it back", e->id);
	original = held_original(e);
	if (original)
		Py_XSETREF(out->manager, original);
	return 0;
}

/* "0/0" -> "0/0+1", the next that is free. */
static char *next_id(const struct entry *parent)
{
	int root = (int)strcspn(parent->id, "+"), k;
	char *id = NULL;

	for (k = 1; !id || model_entry_named(id); k++) {
		free(id);
		id = mem_fmt("%.*s+%d", root, parent->id, k);
	}
	return id;
}

static PyObject *clone_manager(PyObject *of, const char *id)
{
	PyObject *root = edit_clone(of), *manager = NULL;

	if (root) {
		Py_XDECREF(PyObject_CallMethod(root, "attach_compile_id", "s", id));
		PyErr_Clear();
		manager = edit_call("manager", root, of, Py_None);
	}
	if (manager)
		Py_XDECREF(edit_call("twin", of, manager, NULL));
	PyErr_Clear();
	Py_XDECREF(root);
	return manager;
}

/* Dynamo looks up the function of the code in its cache: it must know this code for its own. */
static int introduce(PyObject *code, PyCodeObject *original)
{
	PyObject *map = attrs_get(ATTR_ORIG_MAP), *made = attrs_get(ATTR_OUTPUT_CODES), *r = NULL;
	int ret = map ? PyObject_SetItem(map, code, (PyObject *)original) : -1;

	if (ret == 0 && made)
		r = PyObject_CallMethod(made, "add", "O", code);
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(made);
	Py_XDECREF(map);
	return ret;
}

int clone_may_recode(struct entry *e, struct err *err)
{
	return !e->edit.clone || !model_order(e) ? 0 :
	       err_set(err, "clone '%s' is in Dynamo's cache: 'entry delete %s' takes it out, to be edited",
		       e->id, e->id);
}

int clone_recode(struct entry *e, PyCodeObject *code, struct err *err)
{
	PyObject *old = e->edit.clone->slot.code;

	if (clone_may_recode(e, err) < 0)
		return -1;
	if (introduce((PyObject *)code, e->func->co) < 0)
		return err_set(err, "clone '%s' cannot be edited in this torch", e->id);
	model_recode(e, code);
	e->edit.clone->slot.code = Py_NewRef((PyObject *)code);
	held_recode(e, (PyObject *)code);
	Py_DECREF(old);
	host->code_appeared();
	return 0;
}

/* What belongs to the code that both run: graphs, resume functions. */
static void share(struct entry *to, const struct entry *from)
{
	int i;

	for (i = 0; i < from->made.ngraphs; i++)
		model_add_graph(to, from->made.graph[i].full, from->made.graph[i].copy);
	for (i = 0; i < from->made.nresumes && from->made.resume[i].func->co; i++)
		model_add_resume(to, from->made.resume[i].func->co, from->made.resume[i].global,
				 from->made.resume[i].offset);
	to->made.why = mem_fmt("cloned from %s in the debugger", from->id);
}

struct entry *clone_new(struct entry *parent, PyCodeObject *code, struct err *err)
{
	struct slot of = { 0 }, s = { 0 };
	struct entry *e = NULL;
	PyObject *name;
	char *id;

	if (parent_slot(parent, &of, err) < 0)
		return NULL;
	id = next_id(parent);
	name = PyUnicode_FromString(id);
	s.code = Py_NewRef((PyObject *)code);
	s.backend = Py_NewRef(of.backend);
	s.manager = clone_manager(of.manager, id);
	s.id = edit_call("named", of.id, name, NULL);
	s.note = PyUnicode_FromFormat("%s, cloned in the debugger", parent->id);
	PyErr_Clear();
	if (!s.manager || !s.id || !s.note || introduce(s.code, parent->func->co) < 0) {
		err_set(err, "entry '%s' cannot be cloned in this torch", parent->id);
		slot_release(&s);
	} else {
		e = model_add_entry(code, parent->func, id);
		qualname_set(e, parent->wraps);
		e->edit.clone = mem_alloc(sizeof(*e->edit.clone));
		e->edit.clone->slot = s;
		e->edit.clone->parent = Py_NewRef(of.code);
		if (parent->edit.clone)           /* its code died with nothing */
			Py_XSETREF(e->edit.clone->parent, Py_NewRef(parent->edit.clone->parent));
		e->edit.record = Py_XNewRef(parent->edit.record);
		if (!attrs_have(ATTR_ENTRY_BACKEND))
			e->edit.backend = Py_NewRef(of.backend);
		share(e, parent);
		host->code_appeared();
	}
	Py_XDECREF(name);
	slot_release(&of);
	free(id);
	return e;
}
