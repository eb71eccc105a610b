/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that `entry check`, `run` and `diff` work on: NAME=EXPR as typed, else the arguments of the selected
   frame, found as all views of guards find them.  Knows no guard tree and runs no entry. */
#include "edit_guard.h"
#include "entry.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- NAME=EXPR NAME=EXPR ... -------------------------------------------------------------------------------- */

/* Does a name with one = behind it stand here?  Its length, or 0. */
static size_t name_here(const char *s)
{
	size_t n = 0;

	if (!isalpha((unsigned char)*s) && *s != '_')
		return 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return s[n] == '=' && s[n + 1] != '=' ? n : 0;
}

/* The end of the expression that begins here: before the next NAME= outside of brackets and quotes, or the end. */
static const char *expr_end(const char *s)
{
	int depth = 0;
	char quote = 0;

	for (; *s; s++) {
		if (quote) {
			if (*s == '\\' && s[1])
				s++;
			else if (*s == quote)
				quote = 0;
		} else if (*s == '\'' || *s == '"') {
			quote = *s;
		} else if (strchr("([{", *s)) {
			depth++;
		} else if (strchr(")]}", *s)) {
			depth--;
		} else if (isspace((unsigned char)*s) && depth == 0) {
			const char *next = s + strspn(s, " \t");

			if (!*next || name_here(next))
				return s;
		}
	}
	return s;
}

int entry_given(const char *args, PyObject *values, struct err *err)
{
	const char *end;
	PyObject *v;
	char *name, *text;
	size_t n;
	int ret = 0;

	while (ret == 0 && *args) {
		n = name_here(args);
		if (!n)
			return err_set(err, "with what? NAME=EXPR, as in 'with n=3 x=torch.ones(4)'");
		name = mem_fmt("%.*s", (int)n, args);
		end = expr_end(args + n + 1);
		text = mem_fmt("%.*s", (int)(end - args - (ptrdiff_t)n - 1), args + n + 1);
		v = (PyObject *)host->eval(text, err);
		if (!v || PyDict_SetItemString(values, name, v) < 0)
			ret = -1;
		Py_XDECREF(v);
		free(text);
		free(name);
		args = end + strspn(end, " \t");
	}
	PyErr_Clear();
	return ret;
}

/* ---- the values ------------------------------------------------------------------------------------------------ */

/* Names of arguments and free variables of the function, in the order of its signature: a new list. */
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

/* Does a guard, or a condition that the user added, read this argument? */
static bool guarded(struct entry *e, const char *name)
{
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
	if (here)
		return err_set(err, "no value for '%s': this frame has rebound or deleted it since the call; "
			       "say 'with %s=EXPR' ('with %s=%s' takes what it is now)", name, name, name, name);
	return err_set(err, "no value for '%s': the selected frame does not run '%s'; say 'with %s=EXPR', or "
		       "select a frame of '%s'", name, e->func->name, name, e->func->name);
}

PyObject *entry_values(struct entry *e, const char *args, bool runs, struct err *err)
{
	PyObject *values = PyDict_New(), *names = names_of(e->func->co), *name, *v;
	const char *text;
	struct scene scene = { 0 };
	Py_ssize_t i;
	int ret;

	if (!strncmp(args, "with", 4) && (isspace((unsigned char)args[4]) || !args[4]))
		args += 4 + strspn(args + 4, " \t");
	ret = entry_given(args, values, err);
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
		else if (runs || guarded(e, text))
			ret = no_value(e, text, scene.locals != NULL, err);
	}
	PyErr_Clear();
	scene_release(&scene);
	Py_XDECREF(names);
	if (ret < 0)
		Py_CLEAR(values);
	return values;
}
