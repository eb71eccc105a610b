/* SPDX-License-Identifier: BSD-3-Clause */
/* import statements: IMPORT_NAME with the instructions that store what it gives.  Knows no control flow. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

/* The instructions after IMPORT_NAME, one after another. */
struct import {
	struct run *r;
	const struct ins *at, *end;
};

/* The next one is this: it is passed.  arg -1: any. */
static const struct ins *pass_ins(struct import *i, enum dop op, int arg)
{
	const struct ins *in = i->at;

	while (in < i->end && in->op == D_NOP)
		in++;
	if (in >= i->end || in->op != op || (arg >= 0 && in->arg != arg))
		return NULL;
	i->at = in + 1;
	return in;
}

static const struct ins *pass_store(struct import *i)
{
	static const enum dop stores[] = { D_STORE_FAST, D_STORE_GLOBAL, D_STORE_DEREF, D_STORE_NAME };
	const struct ins *in = NULL;
	int k;

	for (k = 0; k < 4 && !in; k++)
		in = pass_ins(i, stores[k], -1);
	return in && dec_is_identifier(in->obj) ? in : NULL;
}

static const char *import_name_text(PyObject *name)
{
	const char *s = PyUnicode_Check(name) && dec_is_identifier(name) ? PyUnicode_AsUTF8(name) : NULL;

	PyErr_Clear();
	return s;
}

/* "a.b.c": its parts; 0: one of them is not an identifier. */
static int module_parts(struct dec *d, PyObject *module, char ***parts)
{
	const char *s = PyUnicode_AsUTF8(module);
	int n = 0;

	PyErr_Clear();
	*parts = dec_alloc(d, (s ? strlen(s) + 2 : 2) * sizeof(**parts));
	while (s && *s) {
		size_t length = strcspn(s, ".");
		char *part = dec_text(d, "%.*s", (int)length, s);
		PyObject *v = PyUnicode_FromString(part);
		bool fits = v && dec_is_identifier(v);

		PyErr_Clear();
		Py_XDECREF(v);
		if (!fits)
			return 0;
		(*parts)[n++] = part;
		s += length + (s[length] == '.');
	}
	return n;
}

static bool passed_part(struct import *i, const char *part)
{
	const struct ins *in = pass_ins(i, D_IMPORT_FROM, -1);

	return in && !PyUnicode_CompareWithASCIIString(in->obj, part);
}

/* import a.b.c as d: each part of the part before it, which is dropped. */
static const struct ins *import_as(struct import *i, char **parts, int n)
{
	const struct ins *store = NULL;
	int k;

	for (k = 1; k < n; k++) {
		if (!passed_part(i, parts[k]))
			return NULL;
		if (k == n - 1 && (store = pass_store(i)))
			return pass_ins(i, D_POP, -1) ? store : NULL;
		if (!pass_ins(i, D_SWAP, 2) || !pass_ins(i, D_POP, -1))
			return NULL;
	}
	return pass_store(i);
}

static void note_stored(struct run *r, const struct ins *store)
{
	run_note_store(r, store);
	if (store->op == D_STORE_FAST)
		run_written(r, store->obj);
}

/* import MODULE, import MODULE as NAME */
static char *plain_import(struct import *i, PyObject *module)
{
	struct dec *d = i->r->d;
	const struct ins *store, *from = i->at;
	const char *all = PyUnicode_AsUTF8(module), *name;
	char **parts;
	int n = module_parts(d, module, &parts);

	store = n ? pass_store(i) : NULL;
	name = store ? import_name_text(store->obj) : NULL;
	if (name && !strcmp(name, parts[0])) {
		note_stored(i->r, store);
		return dec_text(d, "import %s", all);
	}
	i->at = from;
	store = n ? import_as(i, parts, n) : NULL;
	name = store ? import_name_text(store->obj) : NULL;
	if (!name)
		return NULL;
	note_stored(i->r, store);
	return dec_text(d, "import %s as %s", all, name);
}

/* from MODULE import NAME, NAME as NAME */
static char *from_import(struct import *i, PyObject *module, long level, PyObject *names)
{
	struct dec *d = i->r->d;
	const struct ins *in, *store;
	const char *all = PyUnicode_AsUTF8(module), *name, *as;
	char **parts, *text;
	Py_ssize_t k;

	PyErr_Clear();
	if (!all || (*all ? !module_parts(d, module, &parts) : !level) || level > 20 || !PyTuple_GET_SIZE(names))
		return NULL;
	text = dec_text(d, "from %.*s%s import", (int)level, "....................", all);
	for (k = 0; k < PyTuple_GET_SIZE(names); k++) {
		in = pass_ins(i, D_IMPORT_FROM, -1);
		store = in ? pass_store(i) : NULL;
		name = store && !PyUnicode_Compare(in->obj, PyTuple_GET_ITEM(names, k)) ? import_name_text(in->obj) :
											  NULL;
		as = name ? import_name_text(store->obj) : NULL;
		if (!as)
			return NULL;
		if (strcmp(name, as))
			text = dec_text(d, "%s%s %s as %s", text, k ? "," : "", name, as);
		else
			text = dec_text(d, "%s%s %s", text, k ? "," : "", name);
		note_stored(i->r, store);
	}
	return pass_ins(i, D_POP, -1) ? text : NULL;
}

static char *import_text(struct import *i, PyObject *module, const struct expr *level, const struct expr *names)
{
	long dots;

	if (level->kind != E_CONST || !PyLong_CheckExact(level->obj) || names->kind != E_CONST)
		return NULL;
	dots = PyLong_AsLong(level->obj);
	PyErr_Clear();
	if (names->obj == Py_None)
		return dots ? NULL : plain_import(i, module);
	return PyTuple_CheckExact(names->obj) ? from_import(i, module, dots, names->obj) : NULL;
}

void import_run(struct run *r, const struct ins *in)
{
	struct item **two = run_pop_n(r, 2);
	struct expr **e = run_use(r, two, 2), *globals;
	struct import i = { .r = r, .at = in + 1, .end = r->d->ins + r->end };
	char *text;
	struct stmt *s;

	run_flush(r, NULL, 0);
	text = import_text(&i, in->obj, e[0], e[1]);
	if (text) {
		r->index = i.at[-1].index;
		s = run_stmt(r, S_IMPORT, NULL, NULL);
		s->from = e[0]->index >= 0 ? e[0]->index : in->index;
		s->text = text;
		r->skip = (int)(i.at - in) - 1;
		return;
	}
	globals = dec_expr(r->d, E_CALL, NULL, 1, dec_builtin(r->d, "globals"));
	run_push(r,
		 dec_expr(r->d, E_CALL, NULL, 6, dec_builtin(r->d, "__import__"), dec_const(r->d, in->obj), globals,
			  dec_none(r->d), e[1], e[0]),
		 false);
}
