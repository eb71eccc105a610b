/* SPDX-License-Identifier: BSD-3-Clause */
/* entry check: an entry's guards on values of the selected frame or given ones.  Changes nothing in Dynamo's cache. */
#include "cmd/dynamo_cmd.h"
#include "cmd/entry_values.h"
#include "edit/cache_list.h"
#include "edit/dynamo_edit.h"
#include "edit/overridden.h"
#include "edit/overrides.h"
#include "guards/guard_args.h"
#include "guards/guard_model.h"
#include "guards/guard_why.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include <string.h>

/* The entry's guards with its active overrides, in a tree of its own, because checking a tree changes
   its counts. */
static PyObject *checked_root(struct entry *e, struct err *err)
{
	PyObject *manager = NULL, *root;
	struct cache_list c;
	size_t at;

	if (cache_list_read(e->func->co, &c, err) < 0)
		return NULL;
	at = cache_list_find(&c, e->co);
	manager = at < c.n ? Py_NewRef(c.slot[at].manager) : e->made.fresh ? model_manager(e) : overridden_manager(e);
	cache_list_release(&c);
	root = manager ? edit_clone(manager) : NULL;
	Py_XDECREF(manager);
	PyErr_Clear();
	if (!root)
		err_set(err, "entry '%s' no longer has guards: it was invalidated", e->id);
	return root;
}

/* Adds the user's conditions that are false; returns their number. */
static int say_added(struct entry *e, PyObject *values, struct buf *out)
{
	const struct override *o;
	int n = 0, passes;

	for (o = ledger; o; o = o->next) {
		if (o->entry != e || o->kind != OVERRIDE_ADD || o->undone || o->dead)
			continue;
		passes = condition_passes(o, values);
		if (passes > 0)
			continue;
		n++;
		buf_addf(out, "  added by override %d: %s\n", o->number, o->text);
		why_values("that it holds", passes < 0 ? "raises an exception" : "does not hold", false, out);
	}
	return n;
}

/* Adds every guard that fails, if it can be checked alone; returns their number. */
static int say_failing(struct entry *e, PyObject *values, struct buf *out)
{
	const struct failing *f;
	struct scene scene = { .locals = values, .whole = true };
	struct buf list = { 0 };
	struct why why;
	int i, n;

	why_of(e, &scene, NULL, &why);
	for (i = 0; i < why.n; i++) {
		f = &why.failing[i];
		why_head(f->guard->number, f->guard->text, f->guard->file, f->guard->line, &list);
		why_values(f->expected, f->live ? f->live : "", false, &list);
	}
	n = why.n + say_added(e, values, &list);
	if (n)
		buf_addf(out, "entry %s: %d %s\n%s", e->id, n, n == 1 ? "guard fails" : "guards fail", list.s);
	buf_release(&list);
	why_release(&why);
	return n;
}

/* The first guard that fails, as Dynamo reports it, without the line after it. */
static void say_first(struct entry *e, PyObject *parts, struct buf *out)
{
	const char *text, *end;
	Py_ssize_t i;

	buf_addf(out, "entry %s: a guard fails\n", e->id);
	for (i = 0; PyList_Check(parts) && i < PyList_GET_SIZE(parts); i++) {
		text = PyUnicode_Check(PyList_GET_ITEM(parts, i)) ? PyUnicode_AsUTF8(PyList_GET_ITEM(parts, i)) : NULL;
		end = text ? strstr(text, "  #") : NULL;
		if (text)
			buf_addf(out, "  %.*s\n", end ? (int)(end - text) : (int)strlen(text), text);
	}
}

int entry_passes(struct entry *e, PyObject *values, struct buf *failing, struct err *err)
{
	PyObject *root = checked_root(e, err);
	PyObject *r = NULL, *parts = NULL;
	PyObject *passes = NULL;
	int ret = -1;

	condition_trying(true);
	if (root)
		r = PyObject_CallMethod(root, "check_verbose", "O", values);
	passes = r ? PyObject_GetAttrString(r, "result") : NULL;
	parts = r ? PyObject_GetAttrString(r, "verbose_code_parts") : NULL;
	if (root && (!passes || !parts)) {
		edit_raised(err, "the guards cannot be checked");
		goto out;
	}
	if (!root)
		goto out;
	ret = passes == Py_True;
	if (!ret && !say_failing(e, values, failing))
		say_first(e, parts, failing);
out:
	condition_trying(false);
	PyErr_Clear();
	Py_XDECREF(parts);
	Py_XDECREF(passes);
	Py_XDECREF(r);
	Py_XDECREF(root);
	return ret;
}

int entry_check(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	PyObject *values = entry_values(e, args, entry_values_by_guards, e, err);
	int passes = values ? entry_passes(e, values, &out->text, err) : -1;

	if (passes > 0)
		buf_addf(&out->text, "entry %s: all guards pass\n", e->id);
	Py_XDECREF(values);
	return passes < 0 ? -1 : 0;
}
