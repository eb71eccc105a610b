/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads from Dynamo's own tables what it compiled before cdbg was loaded.  What Dynamo does not keep stays unknown:
   the lines of graphs that only the backend holds.  Knows no event. */
#include "code/dynamo_code.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/graph.h"
#include "observe/dynamo_observe.h"
#include "observe/fx_graph.h"
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <string.h>

/* table.get(key) of Dynamo's dictionaries by identity: a new reference, NULL for none. */
static PyObject *identity_get(PyObject *table, PyObject *key)
{
	PyObject *v = table ? PyObject_CallMethod(table, "get", "O", key) : NULL;

	PyErr_Clear();
	if (v == Py_None)
		Py_CLEAR(v);
	return v;
}

/* The compile id under which Dynamo's cache has this code: a new reference to its text, or NULL. */
static PyObject *compile_id(PyObject *original, PyObject *generated)
{
	PyObject *list_of = attrs_get(ATTR_ENTRY_LIST), *list = list_of ? PyObject_CallOneArg(list_of, original) : NULL;
	PyObject *it = list ? PyObject_GetIter(list) : NULL, *item, *code, *id = NULL, *text = NULL;

	while (it && !text && (item = PyIter_Next(it))) {
		code = attr(item, "code");
		id = code == generated ? attr(item, "compile_id") : NULL;
		if (id)
			text = PyObject_Str(id);
		Py_XDECREF(id);
		Py_XDECREF(code);
		Py_DECREF(item);
	}
	PyErr_Clear();
	Py_XDECREF(it);
	Py_XDECREF(list);
	Py_XDECREF(list_of);
	return text;
}

/* The nodes of the GraphModule, if the backend runs it unchanged (a bound `forward` inside Dynamo's wrapper). */
static struct nodes *nodes_of(PyObject *compiled)
{
	PyObject *fn = attr(compiled, "_torchdynamo_orig_callable"), *gm, *graph;
	struct nodes *nodes;

	gm = fn && PyMethod_Check(fn) ? Py_NewRef(PyMethod_GET_SELF(fn)) : NULL;
	graph = attr(gm, "graph");
	nodes = graph ? graphs_read(graph) : NULL;
	Py_XDECREF(graph);
	Py_XDECREF(gm);
	Py_XDECREF(fn);
	return nodes;
}

/* The globals that Dynamo deletes together with the generated code: its graphs and its resume functions. */
static void read_globals(struct entry *e, PyObject *generated)
{
	PyObject *table = attrs_get(ATTR_CLEANUP), *hooks = identity_get(table, generated), *hook, *name, *scope, *v;
	Py_ssize_t i, n = hooks && PyList_Check(hooks) ? PyList_GET_SIZE(hooks) : 0;
	const char *s;

	for (i = 0; i < n; i++) {
		hook = PyList_GET_ITEM(hooks, i);
		name = attr(hook, "name");
		scope = attr(hook, "scope");
		s = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
		v = s && scope && PyDict_Check(scope) ? PyDict_GetItemString(scope, s) : NULL;
		if (scope && PyDict_Check(scope))
			model_module(e->func, scope);
		if (v && !strncmp(s, "__compiled_fn", 13)) {
			model_add_graph(e, s, nodes_of(v));
		} else if (v && !strncmp(s, "__resume_at", 11) && resume_global_code(v)) {
			model_add_resume(e, resume_global_code(v), s, traced_copy_resume(e->func->co, s));
		}
		Py_XDECREF(scope);
		Py_XDECREF(name);
	}
	PyErr_Clear();
	Py_XDECREF(hooks);
	Py_XDECREF(table);
}

/* The code objects of one of Dynamo's trackers, in the order it saw them: a new list. */
static PyObject *tracked(enum attr_id id)
{
	PyObject *tracker = attrs_get(id), *seen = attr(tracker, "seen"), *codes = PyList_New(0), *v;
	Py_ssize_t i;

	for (i = 0; codes && seen && PyList_Check(seen) && i < PyList_GET_SIZE(seen); i++) {
		v = PyList_GET_ITEM(seen, i); /* all versions of CPython can call a weak reference */
		v = PyWeakref_CheckRef(v) ? PyObject_CallNoArgs(v) : NULL;
		if (v && PyCode_Check(v))
			PyList_Append(codes, v);
		Py_XDECREF(v);
	}
	PyErr_Clear();
	Py_XDECREF(seen);
	Py_XDECREF(tracker);
	return codes;
}

/* Dynamo may have looked at library code: only the program's own gets a row without entries. */
static bool of_program(PyObject *code)
{
	return host->files.is_user(py_text_utf8_kept(((PyCodeObject *)code)->co_filename));
}

static void read_entry(PyObject *generated, PyObject *origin)
{
	PyObject *original = identity_get(origin, generated), *id;
	struct entry *e;
	struct func *f;

	if (!original || !PyCode_Check(original)) {
		Py_XDECREF(original);
		return;
	}
	id = compile_id(original, generated);
	if (id) {
		f = model_func((PyCodeObject *)original, true);
		f->seen.looked = true;
		f->seen.compiles++;
		e = model_add_entry((PyCodeObject *)generated, f, py_text_utf8_kept(id));
		e->made.before = true;
		read_globals(e, generated);
		model_resume_known(f);
	}
	PyErr_Clear();
	Py_XDECREF(id);
	Py_DECREF(original);
}

/* Whether a call has matched no entry since the last one was compiled is not kept: what happens to such a call is. */
static void note_limit(struct func *f)
{
	long limit = attrs_number(attrs_have(ATTR_LIMIT) ? ATTR_LIMIT : ATTR_LIMIT_OLD), n = 0;
	struct entry *e;

	for (e = model_entries; e; e = e->next)
		n += e->func == f && model_cached(e);
	if (f->seen.reason || limit <= 0 || n < limit)
		return;
	f->seen.reason = mem_fmt("%ld entries, as many as recompile_limit allows: calls that match none run in eager "
				 "mode",
				 n);
}

void existing_read(void)
{
	PyObject *codes = tracked(ATTR_OUTPUT_CODES), *origin = attrs_get(ATTR_ORIG_MAP);
	struct func *f;
	Py_ssize_t i;

	for (i = 0; codes && i < PyList_GET_SIZE(codes); i++)
		if (!model_entry((PyCodeObject *)PyList_GET_ITEM(codes, i)))
			read_entry(PyList_GET_ITEM(codes, i), origin);
	Py_XDECREF(origin);
	Py_XDECREF(codes);
	codes = tracked(ATTR_INPUT_CODES);
	for (i = 0; codes && i < PyList_GET_SIZE(codes); i++) {
		if (!of_program(PyList_GET_ITEM(codes, i)))
			continue;
		f = model_func((PyCodeObject *)PyList_GET_ITEM(codes, i), true);
		if (!f->seen.looked && !f->seen.reason)
			f->seen.reason = mem_fmt("unknown: Dynamo compiled it before cdbg was loaded");
		f->seen.looked = true;
		model_resume_known(f);
	}
	Py_XDECREF(codes);
	for (f = model_funcs; f; f = f->next)
		note_limit(f);
	PyErr_Clear();
}
