/* SPDX-License-Identifier: BSD-3-Clause */
/* Command backend, also written `set backend`, and its view: compiles one function with another backend of torch, and
   removes its entries from Dynamo's cache for that. */
#include "cmd/dynamo_cmd.h"
#include "code/select.h"
#include "edit/dynamo_edit.h"
#include "edit/ledger.h"
#include "edit/overrides.h"
#include "edit/stash.h"
#include "model/entry.h"
#include "model/func.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <string.h>

/* ---- the command ------------------------------------------------------------------------------------------ */

static struct func *func_of(const char *words, struct err *err)
{
	struct entry *e = model_entry_named(words);
	struct func *f = e ? e->func : NULL;

	if (e && edit_lives(e, err) < 0)
		return NULL;
	if (!e && isdigit((unsigned char)*words)) {
		err_set(err, "no entry '%s': 'info entries' lists them", words);
		return NULL;
	}
	if (!f)
		f = select_func(words, err);
	if (f && (!f->co || !f->seen.compiles))
		err_set(err, "Dynamo has compiled no '%s': 'info compiled' lists the functions that it has", words);
	return f && f->co && f->seen.compiles ? f : NULL;
}

static const char *counted(const struct override *o)
{
	return stash_count(o, o->func) != stash_count(o, NULL) ? "entries, with those of its resume functions, are" :
	       stash_count(o, NULL) == 1		       ? "entry is" :
								 "entries are";
}

static int backend_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	const char *f_or = strstr(args, " for ");
	struct func *f = f_or ? func_of(f_or + 5 + strspn(f_or + 5, " "), err) : NULL;
	struct override *o;
	int ret;

	(void)s;
	if (!f)
		return f_or ? -1 : err_set(err, "missing arguments: 'set backend NAME for FUNC|ENTRY'");
	o = override_new(OVERRIDE_BACKEND, NULL, "safe");
	o->func = model_root(f);
	o->text = mem_fmt("%.*s", (int)(f_or - args), args);
	ret = ledger_do(&o, 1, &out->text, err);
	if (ret == 0)
		buf_addf(&out->text,
			 "override %d: %s will be compiled by %s at its next call; %zu %s removed from "
			 "the cache\n",
			 o->number, o->func->name, o->text, stash_count(o, NULL), counted(o));
	return ret < 0 ? -1 : 0;
}

/* ---- the names ---------------------------------------------------------------------------------------------- */

static PyObject *names_of_all(void)
{
	PyObject *list = attrs_get(ATTR_BACKENDS), *all;

	all = list ? PyObject_CallFunctionObjArgs(list, Py_None, NULL) : NULL;
	Py_XDECREF(list);
	if (all && !PyList_Check(all))
		Py_CLEAR(all);
	PyErr_Clear();
	return all;
}

static void backend_complete(struct session *s, const char *args, const char *word, struct val *list)
{
	PyObject *all = strcspn(args, " \t") == strlen(args) ? names_of_all() : NULL;
	const char *name, *whom = strstr(args, " for ");
	Py_ssize_t i;

	if (whom)
		select_complete(s, whom + 5, word, list);
	else if (!all)
		val_push(list, val_str("for\ta function or an entry"));
	for (i = 0; all && i < PyList_GET_SIZE(all); i++) {
		name = py_text_utf8(PyList_GET_ITEM(all, i));
		if (name)
			val_pushf(list, "%s\tbackend", name);
	}
	PyErr_Clear();
	Py_XDECREF(all);
}

static int backend_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	PyObject *all = names_of_all();
	Py_ssize_t i;

	(void)s;
	(void)req;
	if (!all)
		return err_set(err, "this version of torch does not list its backends");
	for (i = 0; i < PyList_GET_SIZE(all); i++) {
		host->rows.add(out, 0);
		host->rows.str(out, "backend", ROLE_NAME, py_text_utf8_kept(PyList_GET_ITEM(all, i)));
	}
	Py_DECREF(all);
	return 0;
}

static const struct view_col cols[] = {
	{ .name = "backend", .help = "its name, as set backend accepts it" },
	{ .name = NULL },
};

const struct view_ops view_backends = {
	.name = "backends",
	.help = "the backends that torch has",
	.cols = cols,
	.fill = backend_fill,
	.none = "none",
};

const struct cmd_def cmd_backend[] = {
	{ .name = "backend",
	  .args = "NAME for FUNC|ENTRY",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_NEEDS_STOP | CMD_CHANGES | CMD_SETS,
	  .complete = backend_complete,
	  .run = backend_run,
	  .help = "compile one function with another backend",
	  .more = "Its entries and those of its resume functions are removed from the cache, so that its\n"
		  "next call compiles; 'undo' restores them.  'info backends' lists the names.  Also\n"
		  "written as 'set backend'." },
	{ .name = NULL },
};
