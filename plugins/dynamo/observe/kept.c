/* SPDX-License-Identifier: BSD-3-Clause */
/* What torch keeps of compiles that cdbg did not see, since it came later: their seconds, why a function was compiled
   again, and graph breaks.  Torch keeps the last 64 compiles.  Knows no event. */
#include "model/breaks.h"
#include "model/entry.h"
#include "model/func.h"
#include "observe/dynamo_observe.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* ---- seconds and reasons ---------------------------------------------------------------------------------------- */

/* The entry of a compile that was made before: by its id, and the name of the function, since torch counts ids anew
   after a reset. */
static struct entry *entry_of(const char *id, const char *name)
{
	struct entry *e, *found = NULL;

	for (e = model_entries; e; e = e->next)
		if (e->made.before && e->raw && !strcmp(e->raw, id) && !strcmp(e->func->name, name))
			found = e;
	return found;
}

/* Without the source line and the stack that torch adds to a guard: "L['n'] == 2       # if n:  # t.py:7 in f". */
static char *reason_only(const char *why)
{
	const char *note = strstr(why, "    #");
	size_t n = strcspn(why, "\n");

	if (note && (size_t)(note - why) < n)
		n = (size_t)(note - why);
	while (n && why[n - 1] == ' ')
		n--;
	return mem_strn(why, n);
}

static void read_metrics(PyObject *m)
{
	PyObject *id = attr(m, "compile_id"), *name = attr(m, "co_name"), *text = id ? PyObject_Str(id) : NULL;
	PyObject *seconds = attr(m, "entire_frame_compile_time_s"), *why = attr(m, "recompile_reason");
	const char *id_text = py_text_utf8(text), *name_text = py_text_utf8(name), *why_text = py_text_utf8(why);
	struct entry *e = id_text && name_text ? entry_of(id_text, name_text) : NULL;

	if (e && !e->made.seconds && seconds && PyFloat_Check(seconds))
		e->made.seconds = PyFloat_AS_DOUBLE(seconds);
	if (e && !e->made.why && why_text && *why_text)
		e->made.why = reason_only(why_text);
	PyErr_Clear();
	Py_XDECREF(why);
	Py_XDECREF(seconds);
	Py_XDECREF(text);
	Py_XDECREF(name);
	Py_XDECREF(id);
}

/* ---- graph breaks ----------------------------------------------------------------------------------------------- */

/* One that torch keeps, as far as it says where. */
struct kept {
	PyObject *reason; /* borrowed from the list that is read */
	PyObject *stack;  /* owned: a list of FrameSummary, outermost first */
	struct func *func;
	bool done;
};

static int line_of(PyObject *frame)
{
	PyObject *v = attr(frame, "lineno");
	int line = v && PyLong_Check(v) ? (int)PyLong_AsLong(v) : 0;

	PyErr_Clear();
	Py_XDECREF(v);
	return line;
}

/* The function that the outermost frame is of: of those of this name in this file, the last that begins above the
   line. */
static struct func *func_of(PyObject *frame)
{
	PyObject *file = attr(frame, "filename"), *name = attr(frame, "name");
	const char *file_text = py_text_utf8(file), *name_text = py_text_utf8(name);
	struct func *f, *found = NULL;
	int line = line_of(frame);

	for (f = file_text && name_text ? model_funcs : NULL; f; f = f->next)
		if (!strcmp(f->name, name_text) && !strcmp(f->file, file_text) && f->line <= line &&
		    (!found || f->line > found->line))
			found = f;
	Py_XDECREF(name);
	Py_XDECREF(file);
	return found;
}

static struct kept *read_kept(PyObject *list, Py_ssize_t n)
{
	struct kept *all = mem_alloc(((size_t)n + 1) * sizeof(*all));
	Py_ssize_t i;

	for (i = 0; i < n; i++) {
		all[i].reason = PyList_GET_ITEM(list, i);
		all[i].stack = attr(all[i].reason, "user_stack");
		if (all[i].stack && PyList_Check(all[i].stack) && PyList_GET_SIZE(all[i].stack))
			all[i].func = func_of(PyList_GET_ITEM(all[i].stack, 0));
	}
	PyErr_Clear();
	return all;
}

static void read_frame(PyObject *frame, struct source_line *out)
{
	PyObject *file = attr(frame, "filename"), *name = attr(frame, "name");

	out->file = py_text_keep(py_text_utf8_kept(file));
	out->function = py_text_keep(py_text_utf8_kept(name));
	out->line = line_of(frame);
	Py_XDECREF(name);
	Py_XDECREF(file);
}

static void add_break(const struct kept *k, const struct entry *e)
{
	struct breakage *b = model_add_break();
	PyObject *reason = attr(k->reason, "reason");
	struct buf resumes = { 0 };
	int i;

	b->func = k->func;
	b->entry = mem_str(e->id);
	b->nodes = -1;
	b->nstack = (int)PyList_GET_SIZE(k->stack);
	b->stack = mem_alloc((size_t)b->nstack * sizeof(*b->stack));
	b->qualname = mem_alloc((size_t)b->nstack * sizeof(*b->qualname));
	for (i = 0; i < b->nstack; i++) {
		read_frame(PyList_GET_ITEM(k->stack, i), &b->stack[i]);
		b->qualname[i] = b->stack[i].function;
	}
	b->reason = py_text_str(reason);
	b->file = mem_str(b->stack[b->nstack - 1].file);
	b->line = b->stack[b->nstack - 1].line;
	for (i = 0; i < e->made.nresumes; i++)
		buf_addf(&resumes, "%s%s", i ? ", " : "", e->made.resume[i].global);
	b->end.resume = buf_detach(&resumes);
	PyErr_Clear();
	Py_XDECREF(reason);
}

/* Torch does not say which compile a break came up in.  Where a function has as many entries that break as breaks were
   kept, each is of the entry in its turn; else nothing is claimed. */
static void assign(struct kept *all, Py_ssize_t n, struct func *f)
{
	int breaks = 0, entries = 0;
	struct entry *e;
	Py_ssize_t i, at = 0;

	for (i = 0; i < n; i++)
		breaks += all[i].func == f;
	for (e = model_entries; e; e = e->next)
		entries += e->func == f && e->made.before && e->made.nresumes;
	for (e = breaks == entries ? model_entries : NULL; e; e = e->next) {
		if (e->func != f || !e->made.before || !e->made.nresumes)
			continue;
		while (all[at].func != f)
			at++;
		add_break(&all[at++], e);
	}
	for (i = 0; i < n; i++)
		all[i].done |= all[i].func == f;
}

static void read_breaks(PyObject *list)
{
	Py_ssize_t n = PyList_GET_SIZE(list), i;
	struct kept *all = read_kept(list, n);

	for (i = 0; i < n; i++)
		if (all[i].func && !all[i].done)
			assign(all, n, all[i].func);
	for (i = 0; i < n; i++)
		Py_XDECREF(all[i].stack);
	free(all);
}

void kept_read(void)
{
	PyObject *metrics = model_entries ? attrs_get(ATTR_METRICS) : NULL,
		 *list = metrics ? PySequence_List(metrics) : NULL;
	PyObject *breaks = model_entries && !model_breaks ? attrs_get(ATTR_KEPT_BREAKS) : NULL;
	Py_ssize_t i;

	for (i = 0; list && i < PyList_GET_SIZE(list); i++)
		read_metrics(PyList_GET_ITEM(list, i));
	if (breaks && PyList_Check(breaks))
		read_breaks(breaks);
	PyErr_Clear();
	Py_XDECREF(breaks);
	Py_XDECREF(list);
	Py_XDECREF(metrics);
}
