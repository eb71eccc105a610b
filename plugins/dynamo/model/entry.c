/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache entries as they were observed: generated code and what Dynamo made with it.  Code objects are
   held weakly. */
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/qualname.h"
#include "model/reads.h"
#include <stdlib.h>
#include <string.h>

struct entry *model_entries;
static struct entry *last_entry;
static struct entry *entry_at[CODE_SLOTS]; /* by code */
static struct entry *named_at[CODE_SLOTS]; /* by id: a report asks for each of thousands of entries by its id */

static void unlink_entry(struct entry *e)
{
	struct entry **p;

	for (p = &entry_at[code_slot(e->co)]; *p; p = &(*p)->chain)
		if (*p == e) {
			*p = e->chain;
			break;
		}
	e->co = NULL;
}

static PyObject *entry_gone(PyObject *self, PyObject *weak)
{
	struct entry *e = PyCapsule_GetPointer(self, NULL);

	(void)weak;
	if (e && e->co)
		unlink_entry(e);
	if (e) {
		Py_CLEAR(e->edit.record);
		Py_CLEAR(e->edit.backend);
		reads_free(e->made.reads);
		e->made.reads = NULL;
		graphs_drop_kept(e);
	}
	Py_RETURN_NONE;
}

static PyMethodDef entry_gone_def = { "entry_gone", entry_gone, METH_O, NULL };

struct entry *model_entry(PyCodeObject *co)
{
	struct entry *e;

	for (e = entry_at[code_slot(co)]; e; e = e->chain)
		if (e->co == co)
			return e;
	return NULL;
}

static unsigned id_slot(const char *id)
{
	unsigned h = 0;

	while (*id)
		h = h * 31 + (unsigned char)*id++;
	return h % CODE_SLOTS;
}

struct entry *model_entry_named(const char *id)
{
	struct entry *e;

	for (e = named_at[id_slot(id)]; e; e = e->id_chain)
		if (!strcmp(e->id, id))
			return e;
	return NULL;
}

char *model_next_id(const char *raw)
{
	char *id = mem_str(raw);
	int seen = 1;

	while (model_entry_named(id)) {
		free(id);
		id = mem_fmt("%s#%d", raw, ++seen);
	}
	return id;
}

void model_add_resume(struct entry *e, PyCodeObject *co, const char *global, int offset)
{
	struct func *f = model_func(co, true), *parent = e->func;
	size_t cap = (size_t)e->made.nresumes;
	struct resume *r;

	e->made.resume = mem_grow(e->made.resume, &cap, (size_t)e->made.nresumes + 1, sizeof(*e->made.resume));
	r = &e->made.resume[e->made.nresumes++];
	r->func = f;
	r->global = mem_str(global);
	r->offset = offset;
	model_resume_known(f);
	if (!f->root)
		f->root = model_root(parent);
	if (!f->resume_line && r->offset >= 0)
		f->resume_line = PyCode_Addr2Line(parent->co, r->offset);
}

struct entry *model_add_entry(PyCodeObject *generated, struct func *f, const char *raw)
{
	struct entry *e = mem_alloc(sizeof(*e));
	unsigned h = code_slot(generated);

	e->id = model_next_id(raw);
	e->raw = mem_str(raw);
	e->func = f;
	e->made.guards = -1;
	e->weak = code_weak(generated, &entry_gone_def, e);
	e->co = generated;
	qualname_set(e, NULL);
	e->chain = entry_at[h];
	entry_at[h] = e;
	h = id_slot(e->id);
	e->id_chain = named_at[h];
	named_at[h] = e;
	if (last_entry)
		last_entry->next = e;
	else
		model_entries = e;
	last_entry = e;
	return e;
}

void model_recode(struct entry *e, PyCodeObject *co)
{
	unsigned h = code_slot(co);

	if (e->co)
		unlink_entry(e);
	Py_XSETREF(e->weak, code_weak(co, &entry_gone_def, e));
	e->co = co;
	e->chain = entry_at[h];
	entry_at[h] = e;
	free(e->code.region);
	e->code.region = NULL;
	e->code.nregions = 0;
}

void model_called(struct entry *e)
{
	e->func->calls.call[e->func->calls.ncalls++ % LAST_CALLS] = e;
}

void entries_release(void)
{
	struct entry *e;

	for (e = model_entries; e; e = e->next) {
		Py_CLEAR(e->weak);
		Py_CLEAR(e->edit.record);
		Py_CLEAR(e->edit.backend);
		e->co = NULL;
	}
	memset(entry_at, 0, sizeof(entry_at));
	memset(named_at, 0, sizeof(named_at));
	model_entries = last_entry = NULL;
}
