/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks an entry's guards with the values of a frame.  Each leaf guard is called itself, with the value that
   Dynamo's own accessors lead to; nothing is cloned.  Knows no texts. */
#include "guards/guard_eval.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "model/entry.h"
#include "guards/guard_args.h"
#include "guards/guard_edit.h"
#include "guards/guard_model.h"
#include "guards/guard_tree.h"
#include <stdlib.h>
#include <string.h>

/* ---- names that guards see ---------------------------------------------------------------------------------- */

static PyObject *scope_names(struct look *k)
{
	PyObject *scope, *vars;

	if (k->names)
		return k->names;
	scope = attr(k->tree->wrapper, "global_scope");
	vars = attr(k->tree->wrapper, "closure_vars");
	k->names = PyDict_New();
	if (k->names && scope && PyDict_Check(scope))
		PyDict_Update(k->names, scope);
	if (k->names && vars && PyDict_Check(vars))
		PyDict_Update(k->names, vars);
	if (k->names && !PyDict_GetItemString(k->names, "__builtins__"))
		PyDict_SetItemString(k->names, "__builtins__", (PyObject *)host->values.builtins());
	if (k->names && k->scene.locals)
		PyDict_SetItemString(k->names, "L", k->scene.locals);
	PyErr_Clear();
	Py_XDECREF(vars);
	Py_XDECREF(scope);
	return k->names;
}

PyObject *look_eval(struct look *k, const char *text)
{
	PyObject *names = scope_names(k), *code, *v;

	code = names ? Py_CompileString(text, "<guard>", Py_eval_input) : NULL;
	v = code ? PyEval_EvalCode(code, names, names) : NULL;
	PyErr_Clear();
	Py_XDECREF(code);
	return v;
}

/* ---- the value of a branch ---------------------------------------------------------------------------------- */

static PyObject *branch_source(struct look *k, int branch)
{
	return guards_call(k->tree->branch[branch].manager, "get_source");
}

/* A local that was left out of the scene counts as missing. */
static bool names_gone(struct look *k, const char *text)
{
	const char *p = text, *end;
	PyObject *name;
	bool gone = false;

	while (!gone && !k->scene.whole && (p = strstr(p, "L['"))) {
		p += 3;
		end = strchr(p, '\'');
		name = end ? PyUnicode_FromStringAndSize(p, end - p) : NULL;
		gone = name && k->scene.locals && PyDict_Contains(k->scene.locals, name) == 0;
		Py_XDECREF(name);
	}
	PyErr_Clear();
	return gone || (!k->scene.locals && strstr(text, "L['"));
}

/* "DictGetItemGuardAccessor('k')" -> 'k' as text. */
static char *accessor_key(PyObject *accessor)
{
	PyObject *repr = guards_call(accessor, "repr");
	const char *s = repr && PyUnicode_Check(repr) ? PyUnicode_AsUTF8(repr) : NULL;
	const char *open = s ? strchr(s, '(') : NULL;
	size_t n = open ? strlen(open + 1) : 0;
	char *text = n && open[n] == ')' ? mem_fmt("%.*s", (int)n - 1, open + 1) : NULL;

	PyErr_Clear();
	Py_XDECREF(repr);
	return text;
}

/* A key of a dict from its repr, if it is text or a number; other keys are found in another way. */
static PyObject *key_from_text(const char *text)
{
	size_t n = strlen(text);
	char *end;
	long number;

	if (n >= 2 && text[0] == '\'' && text[n - 1] == '\'' && !strchr(text, '\\'))
		return PyUnicode_FromStringAndSize(text + 1, (Py_ssize_t)n - 2);
	number = n && n < 18 ? strtol(text, &end, 10) : 0;
	return n && n < 18 && !*end ? PyLong_FromLong(number) : NULL;
}

static PyObject *dict_item_by_text(PyObject *dict, const char *text)
{
	PyObject *key = PyDict_Check(dict) ? key_from_text(text) : NULL, *v;

	v = key ? PyDict_GetItemWithError(dict, key) : NULL;
	Py_XDECREF(key);
	return Py_XNewRef(v);
}

static PyObject *eval_attribute(PyObject *v, const char *name)
{
	return PyObject_GetAttrString(v, name);
}

static PyObject *generic_attribute(PyObject *v, const char *name)
{
	PyObject *s = PyUnicode_FromString(name), *a = s ? PyObject_GenericGetAttr(v, s) : NULL;

	Py_XDECREF(s);
	return a;
}

static PyObject *element(PyObject *v, const char *text)
{
	Py_ssize_t i = atol(text);

	if (PyList_Check(v) && i >= 0 && i < PyList_GET_SIZE(v))
		return Py_NewRef(PyList_GET_ITEM(v, i));
	if (PyTuple_Check(v) && i >= 0 && i < PyTuple_GET_SIZE(v))
		return Py_NewRef(PyTuple_GET_ITEM(v, i));
	return NULL;
}

static PyObject *type_of(PyObject *v, const char *text)
{
	(void)text;
	return Py_NewRef((PyObject *)Py_TYPE(v));
}

static PyObject *generic_dict(PyObject *v, const char *text)
{
	(void)text;
	return PyObject_GenericGetDict(v, NULL);
}

static const struct way {
	const char *accessor;
	PyObject *(*get)(PyObject *v, const char *name); /* new reference */
	bool sure;					 /* what this does not find is not there */
} ways[] = {
	{ "DictGetItemGuardAccessor", dict_item_by_text, false },
	{ "GetAttrGuardAccessor", eval_attribute, true },
	{ "GenericGetAttrGuardAccessor", generic_attribute, true },
	{ "ListGetItemGuardAccessor", element, true },
	{ "TupleGetItemGuardAccessor", element, true },
	{ "TypeGuardAccessor", type_of, true },
	{ "GetGenericDictGuardAccessor", generic_dict, true },
	{ NULL, NULL, false }, /* by the source that Dynamo shows */
};

/* The item-th key or value of a dict. */
static PyObject *item_of(PyObject *dict, int item, bool want_key)
{
	PyObject *key, *value;
	Py_ssize_t pos = 0;

	while (PyDict_Check(dict) && PyDict_Next(dict, &pos, &key, &value))
		if (item-- == 0)
			return Py_NewRef(want_key ? key : value);
	return NULL;
}

/* "L['x']" alone, the source of most: borrowed; NULL: another source, or no such local. */
static PyObject *local_by_source(struct look *k, const char *text)
{
	const size_t n = strlen(text);
	PyObject *name, *v = NULL;

	if (n < 6 || strncmp(text, "L['", 3) || strcmp(text + n - 2, "']") || strcspn(text + 3, "'\\") != n - 5 ||
	    !k->scene.locals || !PyDict_CheckExact(k->scene.locals))
		return NULL;
	name = PyUnicode_FromStringAndSize(text + 3, (Py_ssize_t)n - 5);
	if (name)
		v = PyDict_GetItemWithError(k->scene.locals, name);
	PyErr_Clear();
	Py_XDECREF(name);
	return v;
}

/* Finds the value by evaluating the source that Dynamo shows for it. */
static enum have by_source(struct look *k, int branch, PyObject **out)
{
	PyObject *source = branch_source(k, branch);
	const char *text = source && PyUnicode_Check(source) ? PyUnicode_AsUTF8(source) : NULL;
	enum have have = HAVE_GONE;

	if (text && (*out = Py_XNewRef(local_by_source(k, text)))) {
		have = HAVE_VALUE;
	} else if (text && *text && !names_gone(k, text)) {
		*out = look_eval(k, text);
		have = *out ? HAVE_VALUE : HAVE_MISSING;
	}
	PyErr_Clear();
	Py_XDECREF(source);
	return have;
}

static void find_way(struct tree *t, struct branch *b)
{
	const char *type;
	const struct way *w = ways;

	if (!b->how)
		tree_ways(t, b->parent);
	type = b->how ? _PyType_Name(Py_TYPE(b->how)) : "";
	while (w->accessor && strcmp(type, w->accessor))
		w++;
	b->name = w->accessor ? accessor_key(b->how) : NULL;
	b->way = w;
}

static enum have eval_branch(struct look *k, int branch, PyObject *from, PyObject **out)
{
	struct branch *b = &k->tree->branch[branch];

	if (b->item >= 0) {
		*out = item_of(from, b->item, b->key);
		return *out ? HAVE_VALUE : HAVE_MISSING;
	}
	if (!b->way)
		find_way(k->tree, b);
	if (b->way->get) {
		*out = b->way->get(from, b->name ? b->name : "");
		PyErr_Clear();
		if (*out || b->way->sure)
			return *out ? HAVE_VALUE : HAVE_MISSING;
	}
	return by_source(k, branch, out);
}

enum have look_value(struct look *k, int branch, PyObject **out)
{
	const struct branch *b = &k->tree->branch[branch];
	PyObject *from = NULL;
	enum have have;

	if (k->have[branch] == HAVE_UNASKED) {
		if (b->parent < 0) {
			k->value[branch] = Py_XNewRef(k->scene.locals);
			have = k->scene.locals ? HAVE_VALUE : HAVE_GONE;
		} else {
			have = look_value(k, b->parent, &from);
			if (have == HAVE_VALUE)
				have = eval_branch(k, branch, from, &k->value[branch]);
		}
		k->have[branch] = (unsigned char)have;
	}
	*out = k->value[branch];
	return (enum have)k->have[branch];
}

/* ---- verdicts ----------------------------------------------------------------------------------------------- */

static enum verdict truth(PyObject *r)
{
	int yes = r ? PyObject_IsTrue(r) : -1;

	PyErr_Clear();
	return yes < 0 ? VERDICT_UNKNOWN : yes ? VERDICT_HOLDS : VERDICT_FAILS;
}

/* "check_no_aliasing(A, B)", "A is B": guards on several values keep state between calls, so they are
   not called. */
static enum verdict relation(struct look *k, const char *text)
{
	const char *open = strchr(text, '(');
	PyObject *all, *v;
	Py_ssize_t i, j, n;
	enum verdict verdict = VERDICT_HOLDS;
	char *list;

	if (strncmp(text, "check_no_aliasing(", 18)) {
		v = look_eval(k, text);
		verdict = truth(v);
		Py_XDECREF(v);
		return verdict;
	}
	list = mem_fmt("[%.*s]", (int)(strlen(open + 1) - 1), open + 1);
	all = look_eval(k, list);
	free(list);
	if (!all)
		return VERDICT_UNKNOWN;
	n = PyList_GET_SIZE(all);
	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++)
			if (PyList_GET_ITEM(all, i) == PyList_GET_ITEM(all, j))
				verdict = VERDICT_FAILS;
	Py_DECREF(all);
	return verdict;
}

/* A guard that the user forced or dropped is not called. */
static enum verdict overridden(enum guard_edit how)
{
	return how == GUARD_DROPPED ? VERDICT_UNKNOWN : how == GUARD_PASSES ? VERDICT_HOLDS : VERDICT_FAILS;
}

enum verdict look_check(struct look *k, int leaf)
{
	const struct leaf *l = &k->tree->leaf[leaf];
	const char *text = k->guards->guard[leaf].text;
	int number = k->guards->guard[leaf].number;
	enum guard_edit how = guard_edited(number);
	PyObject *v, *r;
	enum verdict verdict;
	enum have have;

	if (how != GUARD_AS_MADE && how != GUARD_CHANGED)
		return overridden(how);
	have = look_value(k, l->branch, &v);
	if (have == HAVE_MISSING)
		return VERDICT_FAILS;
	if (have != HAVE_VALUE || names_gone(k, text))
		return VERDICT_UNKNOWN;
	if (how == GUARD_CHANGED)
		return guard_edit_passes(number, v) ? VERDICT_HOLDS : VERDICT_FAILS;
	if (!PyCallable_Check(l->guard))
		return relation(k, text);
	r = PyObject_CallOneArg(l->guard, v);
	verdict = r ? truth(r) : VERDICT_FAILS; /* a guard that raises is one that fails */
	PyErr_Clear();
	Py_XDECREF(r);
	return verdict;
}

/* Dynamo's check of all guards, which also notes the modes of this thread: until the next one each guard on a tensor
   compares with what was noted last, in whatever mode that was. */
static char *check_every_guard(struct look *k)
{
	PyObject *info = NULL, *result, *parts, *part, *text = NULL;
	char *reason = NULL, *end;

	if (k->scene.locals)
		info = PyObject_CallMethod(k->tree->root, "check_verbose", "O", k->scene.locals);
	PyErr_Clear();
	result = attr(info, "result");
	if (result == Py_False) {
		parts = attr(info, "verbose_code_parts");
		part = parts ? PySequence_GetItem(parts, 0) : NULL;
		PyErr_Clear();
		text = part ? PyObject_Str(part) : NULL;
		reason = mem_str(text ? py_text_utf8_kept(text) : "a guard fails without a reason");
		for (end = reason + strlen(reason); end > reason && end[-1] == ' ';)
			*--end = '\0';
		Py_XDECREF(text);
		Py_XDECREF(part);
		Py_XDECREF(parts);
	}
	PyErr_Clear();
	Py_XDECREF(result);
	Py_XDECREF(info);
	return reason;
}

char *look_reason(struct look *k)
{
	return mem_str(k->reason);
}

/* ---- life --------------------------------------------------------------------------------------------------- */

bool look_start(struct look *k, struct entry *e, const struct scene *s)
{
	memset(k, 0, sizeof(*k));
	k->guards = guards_tree(e, &k->tree);
	if (!k->guards)
		return false;
	k->scene = *s;
	k->value = mem_alloc((size_t)k->tree->nbranches * sizeof(*k->value));
	k->have = mem_alloc((size_t)k->tree->nbranches);
	k->reason = check_every_guard(k);
	return true;
}

void look_end(struct look *k)
{
	int i;

	for (i = 0; i < k->tree->nbranches; i++)
		Py_XDECREF(k->value[i]);
	free(k->value);
	free(k->have);
	free(k->reason);
	Py_XDECREF(k->names);
	tree_done(k->tree);
	memset(k, 0, sizeof(*k));
}
