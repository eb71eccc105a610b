/* SPDX-License-Identifier: BSD-3-Clause */
/* blame: whose fault a wrong result is, of the call that the selected frame makes.  blame.py runs and judges it; what
   is here finds the entry that serves the call, and the graphs that code of entries calls. */
#include "cmd/dynamo_cmd.h"
#include "cmd/entry_values.h"
#include "cmd/graph_command.h"
#include "cmd/result.h"
#include "code/dynamo_code.h"
#include "code/graph_codes.h"
#include "code/select.h"
#include "edit/cache_list.h"
#include "edit/dynamo_edit.h"
#include "guards/unguarded.h"
#include "model/compiling.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/qualname.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* ---- which entry --------------------------------------------------------------------------------------------- */

/* What was typed: owned texts. */
struct blamed {
	struct buf name, with;
	char *file; /* of -save, or NULL */
	bool backward, anyhow;
	bool where_any; /* gradients where results have them */
};

static void blamed_release(struct blamed *b)
{
	buf_release(&b->name);
	buf_release(&b->with);
	free(b->file);
}

/* "[-backward] [-f] [-save FILE] [FUNC|ENTRY] [with ...]".  -1 with err; else release. */
static int blamed_read(const char *args, struct blamed *b, struct err *err)
{
	const char *p = args;
	size_t n;

	memset(b, 0, sizeof(*b));
	for (; *p; p += n + strspn(p + n, " \t")) {
		n = strcspn(p, " \t");
		if (n == 4 && !strncmp(p, "with", n)) {
			buf_adds(&b->with, p);
			break;
		}
		if (n == 9 && !strncmp(p, "-backward", n))
			b->backward = true;
		else if (n == 2 && !strncmp(p, "-f", n))
			b->anyhow = true;
		else if (n == 5 && !strncmp(p, "-save", n) && !b->file) {
			p += n + strspn(p + n, " \t");
			n = 0;
			b->file = graph_file_take(&p);
			if (*b->file)
				continue;
			err_set(err, "missing file name; 'blame -save FILE' writes the fault as a program");
			blamed_release(b);
			return -1;
		} else if (*p == '-') {
			err_set(err, "unknown flag '%.*s'; try: -backward, -f, -save FILE", (int)n, p);
			blamed_release(b);
			return -1;
		} else
			buf_addf(&b->name, "%s%.*s", b->name.len ? " " : "", (int)n, p);
	}
	return 0;
}

/* The function that the selected frame runs, as Dynamo knows it. */
static struct func *func_selected(struct err *err)
{
	struct selected_frame at;
	struct entry *e = NULL;
	struct func *f = NULL;

	if (selected_frame_get(&at, err) < 0)
		return NULL;
	if (at.code) {
		e = model_entry((PyCodeObject *)at.code->co);
		f = e ? e->func : model_func((PyCodeObject *)at.code->co, false);
	} else if (!at.frame && compiling_top()) {
		f = compiling_top()->func;
	}
	selected_frame_release(&at);
	if (!f)
		err_set(err,
			"the selected frame runs no function that Dynamo compiled: name one, with its values, 'blame "
			"FUNC with NAME=EXPR', or select its frame; 'info compiled' lists them");
	return f;
}

/* No entry of this function serves the call.  failing: lines about the guards of those that there are. */
static void say_unserved(struct func *f, int entries, const struct buf *failing, struct err *err)
{
	const char *why = f->seen.reason ? f->seen.reason : "no reason is known";

	if (!entries && f->seen.skips)
		err_set(err,
			"nothing was run: Dynamo skipped '%s', whose calls run in eager: %.*s\n"
			"'explain %s' says more; functions that it calls may be compiled: 'info compiled'",
			qualname_func(f), (int)strcspn(why, "\n"), why, qualname_func(f));
	else
		err_set(err, "nothing was run: no entry of '%s' fits this call, which would compile a new one%s%s",
			qualname_func(f), failing->len ? "\n" : "; 'info entries' lists entries", buf_str(failing));
}

/* The entry of a function that a call with these values uses; NULL with err: none. */
static struct entry *entry_used(struct func *f, const char *with, struct err *err)
{
	struct entry *e, *found = NULL;
	struct buf failing = { 0 };
	struct cache_list c;
	PyObject *values;
	struct err why;
	size_t i;
	int n = 0;

	if (cache_list_read(f->co, &c, err) < 0)
		return NULL;
	for (i = 0; !found && i < c.n; i++) {
		e = c.slot[i].code ? model_entry((PyCodeObject *)c.slot[i].code) : NULL;
		values = e ? entry_values(e, with, entry_values_by_code, NULL, err) : NULL;
		if (e && !values)
			goto out;
		memset(&why, 0, sizeof(why));
		if (e && ++n && entry_passes(e, values, &failing, &why) > 0)
			found = e;
		Py_XDECREF(values);
	}
	if (!found)
		say_unserved(f, n, &failing, err);
out:
	cache_list_release(&c);
	buf_release(&failing);
	return found;
}

/* The entry that serves the call, and its values; -1 with err. */
static int blamed_find(const struct blamed *b, struct entry **e, PyObject **values, struct err *err)
{
	const char *name = buf_str(&b->name), *with = buf_str(&b->with);
	struct func *f = NULL;

	*values = NULL;
	*e = *name ? model_entry_named(name) : NULL;
	if (*e && edit_lives(*e, err) < 0)
		return -1;
	if (!*e)
		f = *name ? select_func(name, err) : func_selected(err);
	if (f && !f->co) {
		err_set(err, "'%s' no longer exists: its code was freed", qualname_func(f));
		f = NULL;
	}
	if (f)
		*e = entry_used(f, with, err);
	if (!*e)
		return -1;
	*values = entry_values(*e, with, entry_values_by_code, NULL, err);
	if (*values && !f && !b->anyhow && entry_fits(*e, *values, "blame", err) < 0)
		Py_CLEAR(*values);
	return *values ? 0 : -1;
}

/* ---- what Python asks ---------------------------------------------------------------------------------------- */

/* The graph that code of entries calls by this name, with its entry. */
static struct graph *graph_named(const char *full, struct entry **of)
{
	struct entry *e;
	int i;

	for (e = model_entries; e; e = e->next)
		for (i = 0; e->co && i < e->made.ngraphs; i++)
			if (!e->made.graph[i].part && e->made.graph[i].full && !strcmp(e->made.graph[i].full, full)) {
				*of = e;
				return &e->made.graph[i];
			}
	return NULL;
}

/* ask(name) of blame.py. */
static PyObject *ask_graph(PyObject *self, PyObject *name)
{
	const char *full = py_text_utf8(name);
	struct entry *e = NULL;
	struct graph *g = full ? graph_named(full, &e) : NULL;
	PyObject *kept = NULL, *backend = NULL, *r = NULL;
	struct err err = { 0 };

	(void)self;
	kept = g ? graph_subject_kept(e, g, &err) : NULL;
	if (PyErr_Occurred()) {
		Py_XDECREF(kept);
		return NULL;
	}
	if (!kept)
		Py_RETURN_NONE;
	backend = model_backend(e);
	PyErr_Clear();
	r = Py_BuildValue("{s:O,s:O,s:O,s:s,s:s}", "kept", kept, "modes", g->copy->modes ? g->copy->modes : Py_None,
			  "backend", backend ? backend : Py_None, "graph", g->name, "entry", e->raw);
	Py_XDECREF(backend);
	Py_DECREF(kept);
	return r;
}

/* inlined(code): did Dynamo trace this function for any entry? */
static PyObject *ask_inlined(PyObject *self, PyObject *code)
{
	struct entry *e;
	bool found = false;

	(void)self;
	for (e = model_entries; PyCode_Check(code) && !found && e; e = e->next)
		found = e->co && ((PyObject *)e->func->co == code || evaluated_inlined(e, (PyCodeObject *)code));
	return PyBool_FromLong(found);
}

/* resumed(code): the name of a resume function that was compiled; else None. */
static PyObject *ask_resumed(PyObject *self, PyObject *code)
{
	struct func *f = PyCode_Check(code) ? model_func((PyCodeObject *)code, false) : NULL;

	(void)self;
	if (!f || !f->root || f->seen.compiles <= 0)
		Py_RETURN_NONE;
	return PyUnicode_FromString(qualname_func(f));
}

/* text_of(code): generated code as Python; None: it cannot be written. */
static PyObject *ask_text(PyObject *self, PyObject *code)
{
	struct err err = { 0 };
	char *text = PyCode_Check(code) ? host->code.python_write(host->code.get((struct py_code *)code), &err) : NULL;
	PyObject *r = text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : Py_NewRef(Py_None);

	(void)self;
	free(text);
	return r;
}

static PyMethodDef ask_text_def = { "text_of", ask_text, METH_O, NULL };
static PyMethodDef ask_graph_def = { "ask", ask_graph, METH_O, NULL };
static PyMethodDef ask_resumed_def = { "resumed", ask_resumed, METH_O, NULL };
static PyMethodDef ask_inlined_def = { "inlined", ask_inlined, METH_O, NULL };

/* [(name, globals)] of all graphs that code of entries may call: a new list. */
static PyObject *all_graphs(void)
{
	PyObject *list = PyList_New(0), *globals, *row;
	struct entry *e;
	int i;

	for (e = model_entries; list && e; e = e->next) {
		globals = e->co && e->made.ngraphs ? entry_globals(e, NULL) : NULL;
		for (i = 0; globals && i < e->made.ngraphs; i++) {
			row = e->made.graph[i].part || !e->made.graph[i].full ?
				      NULL :
				      Py_BuildValue("(sO)", e->made.graph[i].full, globals);
			if (row)
				PyList_Append(list, row);
			Py_XDECREF(row);
		}
		Py_XDECREF(globals);
	}
	PyErr_Clear();
	return list;
}

/* ---- the answer ---------------------------------------------------------------------------------------------- */

static const struct view_col cols[] = {
	{ .name = "link",
	  .help = "a: eager; e: the code that the program runs; b: the captured graphs as they are; c: a graph by "
		  "aot_eager; p: by inductor's decompositions; d: by its backend, compiled afresh" },
	{ .name = "what", .help = "what ran" },
	{ .name = "equal", .help = "to eager; null: it could not be judged" },
	{ .name = "difference", .help = "the first one" },
	{ .name = "seconds", .help = "of the run" },
	{ .name = NULL },
};

static const struct result_col row_cols[] = {
	{ .name = "link", .role = ROLE_NAME },	     { .name = "what", .role = ROLE_TEXT },   { .name = "equal" },
	{ .name = "difference", .role = ROLE_TEXT }, { .name = "seconds", .form = "%.4f s" }, { .name = NULL },
};

static PyObject *answered; /* borrowed while a command replies */

static int fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	(void)s;
	(void)err;
	result_rows(out, req, row_cols, answered, "equal");
	return 0;
}

static const struct view_ops view_blame = {
	.name = "blame",
	.help = "how each link of a compiled call compares with eager",
	.cols = cols,
	.fill = fill,
	.none = "nothing was run",
};

static void put_text(struct val *map, PyObject *r, const char *name)
{
	const char *text = result_text(r, name);

	val_put(map, name, text ? val_str(text) : val_null());
}

void blame_put(PyObject *answer, struct val *map)
{
	static const char *const texts[] = { "fault", "sentence", "file", "function", "node", "kernel" };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		put_text(map, answer, texts[i]);
	if (result_get(answer, "line") != Py_None)
		val_put(map, "line", val_int(result_int(answer, "line", 0)));
}

void blame_notes(PyObject *answer, const char *indent, struct buf *out)
{
	result_lines(result_get(answer, "notes"), indent, out);
}

static void tell_saved(const struct blamed *b, PyObject *r, struct buf *out)
{
	const char *why = result_text(r, "unsaved");

	if (why)
		buf_addf(out, "%s\n", why);
	else
		graph_save_tell(result_get(r, "saved"), b->file, out);
}

static int tell(struct entry *e, PyObject *r, const struct blamed *b, struct reply *out, struct err *err)
{
	const char *sentence = result_text(r, "sentence"), *fault = result_text(r, "fault");
	int ret;

	buf_addf(&out->text, "%s\n", sentence ? sentence : "?");
	answered = r;
	ret = host->rows.reply(&view_blame, "", out, err);
	if (ret == 0)
		host->rows.reply_text(out);
	answered = NULL;
	if (ret < 0)
		return ret;
	blame_notes(r, "note: ", &out->text);
	if (fault && (!strcmp(fault, "capture") || !strcmp(fault, "cache")))
		unguarded_changes(e, "note: ", &out->text);
	if (b->file)
		tell_saved(b, r, &out->text);
	out->more = val_map();
	blame_put(r, out->more);
	return 0;
}

/* ---- the command --------------------------------------------------------------------------------------------- */

/* What blame() takes to write the fault: a new tuple, or None. */
static PyObject *saving(const struct blamed *b)
{
	PyObject *text_of = b->file ? PyCFunction_New(&ask_text_def, NULL) : NULL;
	PyObject *writer = text_of ? graph_save_writer() : NULL, *r = NULL;

	if (writer)
		r = Py_BuildValue("(sOO)", b->file, text_of, writer);
	Py_XDECREF(writer);
	Py_XDECREF(text_of);
	return b->file ? r : Py_NewRef(Py_None);
}

static PyObject *judged(struct entry *e, PyObject *values, const struct blamed *b, struct err *err)
{
	PyObject *globals = entry_globals(e, err), *names = globals ? all_graphs() : NULL, *r = NULL;
	PyObject *ask = names ? PyCFunction_New(&ask_graph_def, NULL) : NULL;
	PyObject *inlined = ask ? PyCFunction_New(&ask_inlined_def, NULL) : NULL;
	PyObject *resumed = inlined ? PyCFunction_New(&ask_resumed_def, NULL) : NULL;

	if (resumed) {
		graph_codes_quiet(true);
		r = package_call("blame", "blame",
				 Py_BuildValue("(OOOOOOOOOON)", values, e->func->co, e->co, globals, names, ask,
					       inlined, resumed,
					       b->where_any ? Py_None :
					       b->backward  ? Py_True :
							      Py_False,
					       b->anyhow ? Py_True : Py_False, saving(b)));
		graph_codes_quiet(false);
	}
	if (globals && !r)
		graph_raised("the call cannot be judged", err);
	Py_XDECREF(resumed);
	Py_XDECREF(inlined);
	Py_XDECREF(ask);
	Py_XDECREF(names);
	Py_XDECREF(globals);
	return r;
}

/* Those of the locals that are arguments or free variables of the entry's function. */
static PyObject *values_among(struct entry *e, PyObject *locals)
{
	PyObject *values = PyDict_New(), *names = entry_names(e), *v;
	Py_ssize_t i;

	for (i = 0; values && names && i < PyList_GET_SIZE(names); i++) {
		v = PyDict_GetItem(locals, PyList_GET_ITEM(names, i));
		if (v)
			PyDict_SetItem(values, PyList_GET_ITEM(names, i), v);
	}
	Py_XDECREF(names);
	return values;
}

PyObject *blame_call(struct entry *e, PyObject *locals, struct err *err)
{
	static const struct blamed plainly = { .where_any = true };
	PyObject *values, *r = NULL;

	if (aside_begin(err) < 0)
		return NULL;
	values = values_among(e, locals);
	r = values ? judged(e, values, &plainly, err) : NULL;
	PyErr_Clear();
	Py_XDECREF(values);
	aside_end();
	return r;
}

static int blame(struct session *s, const char *args, struct reply *out, struct err *err)
{
	PyObject *values = NULL, *r = NULL;
	struct entry *e = NULL;
	struct blamed b;
	int ret = -1;

	(void)s;
	if (blamed_read(args, &b, err) < 0)
		return -1;
	if (aside_begin(err) == 0) {
		if (blamed_find(&b, &e, &values, err) == 0)
			r = judged(e, values, &b, err);
		ret = r ? tell(e, r, &b, out, err) : -1;
		PyErr_Clear();
		Py_XDECREF(r);
		Py_XDECREF(values);
		aside_end();
	}
	blamed_release(&b);
	return ret;
}

const struct cmd_def cmd_blame[] = {
	{ .name = "blame",
	  .args = "[-backward] [-f] [-save FILE] [FUNC|ENTRY] [with NAME=EXPR...]",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_NEEDS_STOP | CMD_CHANGES | CMD_RAW,
	  .complete = select_complete,
	  .run = blame,
	  .help = "say whose fault a wrong result of a compiled call is",
	  .more = "Runs the call of the selected frame, or with the values after 'with', on the program's\n"
		  "own objects and restores them: twice in eager, by the program's code, and by the captured\n"
		  "graphs as they are.  Results, what is written, attributes, globals, output and exceptions\n"
		  "are compared.  The answer names the operator, Dynamo's capture, AOTAutograd, the backend, a\n"
		  "cache, or the program where it asks whether it is compiled, with the line where it can.\n"
		  "What graph compare finds of a graph is in it.\n"
		  "-backward: gradients of the results, too.  -f: also what cannot be undone, or needs much\n"
		  "memory.  -save: write the fault into FILE, a program that needs torch and no cdbg: the\n"
		  "graph that is wrong, reduced, or the whole call with what the program defines for it." },
	{ .name = NULL },
};
