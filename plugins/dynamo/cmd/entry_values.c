/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that `entry check`, `run` and `diff` work on: NAME=EXPR as typed, else the arguments of the selected
   frame, found as all views of guards find them.  Knows no guard tree and runs no entry. */
#include "cmd/entry_values.h"
#include "edit/dynamo_edit.h"
#include "edit/overrides.h"
#include "guards/guard_args.h"
#include "guards/guard_model.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"
#include <stdlib.h>
#include <string.h>

/* ---- the values ------------------------------------------------------------------------------------------------ */

static PyObject *names_of(PyCodeObject *co)
{
	PyObject *vars = PyCode_GetVarnames(co), *frees = PyCode_GetFreevars(co), *list = PyList_New(0);
	Py_ssize_t i, n = co->co_argcount + co->co_kwonlyargcount + !!(co->co_flags & CO_VARARGS) +
			  !!(co->co_flags & CO_VARKEYWORDS);

	for (i = 0; list && vars && i < n; i++)
		PyList_Append(list, PyTuple_GET_ITEM(vars, i));
	for (i = 0; list && frees && i < PyTuple_GET_SIZE(frees); i++)
		PyList_Append(list, PyTuple_GET_ITEM(frees, i));
	PyErr_Clear();
	Py_XDECREF(frees);
	Py_XDECREF(vars);
	return list;
}

PyObject *entry_names(struct entry *e)
{
	return names_of(e->func->co);
}

bool entry_values_by_code(const char *name, const void *arg)
{
	(void)name;
	(void)arg;
	return true;
}

bool entry_values_by_guards(const char *name, const void *arg)
{
	struct entry *e = (struct entry *)arg;
	const struct guards *all = guards_of(e);
	char *source = mem_fmt("L['%s']", name);
	const struct override *o;
	bool yes = !all;
	int i;

	for (i = 0; !yes && i < all->n; i++)
		yes = strstr(all->guard[i].source, source) || strstr(all->guard[i].text, source);
	for (o = ledger; !yes && o; o = o->next)
		yes = o->entry == e && !o->undone && !o->dead && strstr(o->text ? o->text : "", name);
	free(source);
	return yes;
}

static int no_value(struct entry *e, const char *name, bool here, struct err *err)
{
	/* a graph's code is named forward, too */
	const char *function = qualname_func(e->func);

	if (here)
		return err_set(err,
			       "no value for '%s': the frame has rebound or deleted it since the call; add "
			       "'with %s=EXPR' ('with %s=%s' uses its present value)",
			       name, name, name, name);
	return err_set(err,
		       "no value for '%s': the selected frame does not run '%s'; add 'with %s=EXPR', or select "
		       "a frame of '%s'",
		       name, function, name, function);
}

PyObject *entry_values(struct entry *e, const char *args, value_is_read *read, const void *arg, struct err *err)
{
	PyObject *values = PyDict_New(), *names = names_of(e->func->co), *name, *v;
	const char *text;
	struct scene scene = { 0 };
	Py_ssize_t i;
	int ret;

	ret = entry_given(entry_given_begin(args), values, err);
	if (ret == 0)
		scene_selected(e->func, &scene);
	for (i = 0; ret == 0 && names && i < PyList_GET_SIZE(names); i++) {
		name = PyList_GET_ITEM(names, i);
		text = PyUnicode_AsUTF8(name);
		if (!text || PyDict_GetItemWithError(values, name))
			continue;
		v = scene.locals ? PyDict_GetItemWithError(scene.locals, name) : NULL;
		if (v)
			PyDict_SetItem(values, name, v);
		else if (read(text, arg))
			ret = no_value(e, text, scene.locals != NULL, err);
	}
	PyErr_Clear();
	scene_release(&scene);
	Py_XDECREF(names);
	if (ret < 0)
		Py_CLEAR(values);
	return values;
}
