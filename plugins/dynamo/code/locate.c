/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the instructions of generated code at which a breakpoint on a line or function of the program must stop,
   and the code of compiled wrappers and of names of resume functions.  Knows no breakpoint. */
#include "code/dynamo_code.h"
#include "code/locate.h"
#include "model/breaks.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/qualname.h"
#include "model/source_line.h"
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* A function that was inlined into an entry: its lines, its call, and the remark of a breakpoint in it. */

/* Does this line belong to the function with this code? */
static bool inlined_line_of(struct code *c, const struct source_line *s)
{
	PyCodeObject *co = (PyCodeObject *)c->co;
	int i;

	/* the model has each text once */
	if (py_text_utf8_kept(co->co_name) != s->function || py_text_utf8_kept(co->co_filename) != s->file)
		return false;
	host->code.decode(c);
	for (i = locate_first(c); i < c->n; i++)
		if (c->instr[i].line == s->line)
			return true;
	return false;
}

/* The line of the entry's own function whose call was inlined; 0: not known. */
static int inlined_call(struct entry *e, struct code *c)
{
	const struct source_line *own;
	const struct nodes *nodes;
	struct breakage *b;
	int g, i, k;

	for (g = 0; g < e->made.ngraphs; g++) {
		nodes = e->made.graph[g].copy;
		for (i = 0; nodes && i < nodes->n; i++) {
			own = graphs_own(nodes, &nodes->node[i]);
			for (k = 1; own && k < nodes->node[i].nspots; k++)
				if (inlined_line_of(c, &nodes->spot[nodes->node[i].spot + k]))
					return own->line;
		}
	}
	for (b = model_breaks; b; b = b->next)
		for (i = 1; breaks_of(b, e) && i < b->nstack; i++)
			if (inlined_line_of(c, &b->stack[i]))
				return b->stack[0].line;
	return 0;
}

/* Where a breakpoint in the function of this code stops in the entry, and where its own code would run: owned by the
   caller. */
static char *inlined_note(struct entry *e, struct code *c, const struct region *r)
{
	const char *name = qualname_plain((PyCodeObject *)c->co), *in = qualname_func(model_root(e->func));
	int line = inlined_call(e, c);

	if (!line)
		return mem_fmt("%s is inlined in %s: it stops at the %s of %s", name, in,
			       host->code.region_name(r->kind), e->id);
	return mem_fmt("%s is inlined in %s: it stops at the %s of %s; its own code would run in line %d", name, in,
		       host->code.region_name(r->kind), e->id, line);
}

typedef void add_code(void *arg, struct py_code *co);

int locate_first(struct code *c)
{
	int i;

	host->code.decode(c);
	for (i = 0; i < c->n; i++)
		if (!strcmp(host->code.op_name(c->instr[i].op), "RESUME"))
			return i + 1 < c->n ? i + 1 : i;
	return 0;
}

/* ---- FILE:LINE -------------------------------------------------------------------------------------------- */

struct ask {
	const char *file;
	int line;
	struct places *out;
	int found;
};

/* The line of a place is one of the file of its code: not that of another file whose function is inlined there. */
static void locate_add(struct ask *a, struct entry *e, const struct region *r, char *note)
{
	bool own = !strcmp(text_path_file_name(e->func->file), text_path_file_name(a->file));

	host->files.add_place(a->out, host->code.get((struct py_code *)e->co), r->start, own ? a->line : r->line, note);
	free(note);
	a->found++;
}

/* With its class, if it was seen when the entry was compiled. */
static const char *inlined_name(const struct entry *e, const struct source_line *s)
{
	const char *name;

	return evaluated_line(e, s->file, s->line, &name) && name ? name : s->function;
}

static char *inlined_break(const struct breakage *b, int i, struct entry *e)
{
	return mem_fmt("%s is inlined in %s: line %d is where the graph of %s breaks", inlined_name(e, &b->stack[i]),
		       qualname_func(model_root(e->func)), b->stack[i].line, e->id);
}

/* The graph broke in a function that is called on this region's line.  Is that call made at run time, so that the
   callee runs its own code?  Only if Dynamo resumes in the callee (nested_graph_breaks) is the broken instruction the
   callee's. */
static bool calls_for_real(const struct breakage *b, struct entry *e, const struct region *r)
{
	struct code *c = host->code.get((struct py_code *)e->co);

	return b->nstack > 1 && c->instr[r->end - 1].line == b->stack[0].line;
}

/* The user's instruction that broke the graph, or the function inlined around it. */
static bool at_break(struct ask *a, struct entry *e)
{
	const struct region *r = regions_first(e, REGION_BREAK);
	struct breakage *b;
	int i;

	if (!r)
		return false;
	if (r->line == a->line && host->files.fits(a->file, e->func->file)) {
		locate_add(a, e, r, NULL);
		return true;
	}
	for (b = model_breaks; b; b = b->next)
		for (i = 0; breaks_of(b, e) && i < (calls_for_real(b, e, r) ? 1 : b->nstack); i++)
			if (b->stack[i].line == a->line && host->files.fits(a->file, b->stack[i].file)) {
				locate_add(a, e, r, inlined_break(b, i, e));
				return true;
			}
	return false;
}

static bool in_graph(struct ask *a, struct entry *e)
{
	const struct region *r = regions_first(e, REGION_GRAPH_CALL);
	const struct source_line *s;
	int g, i;

	for (g = 0; r && g < e->made.ngraphs; g++) {
		model_read_graph(&e->made.graph[g]);
		for (i = 0; i < e->made.graph[g].nspots; i++) {
			s = &e->made.graph[g].spot[i];
			if (s->line != a->line || !host->files.fits(a->file, s->file))
				continue;
			locate_add(a, e, r,
				   s->own ? mem_fmt("line %d is in the graph call of %s", a->line, e->id) :
					    mem_fmt("%s is inlined in %s: line %d is in the graph call of %s",
						    inlined_name(e, s), qualname_func(model_root(e->func)), a->line,
						    e->id));
			return true;
		}
	}
	return false;
}

/* The user's bytecode, copied in: each first instruction of the line. */
static bool in_original(struct ask *a, struct entry *e)
{
	const struct region *r = regions_first(e, REGION_ORIGINAL);
	struct code *c;
	int i;

	if (!r || !host->files.fits(a->file, e->func->file))
		return false;
	c = host->code.get((struct py_code *)e->co);
	for (i = r->start; i < r->end; i++)
		if (c->instr[i].line == a->line && c->instr[i].col >= 0) {
			host->files.add_place(a->out, c, i, a->line, NULL);
			a->found++;
			return true;
		}
	return false;
}

/* The main region of generated code: the graph call, else the first region that does more than packing. */
static const struct region *main_region(struct entry *e)
{
	const struct region *r = regions_first(e, REGION_GRAPH_CALL), *all;
	int i, n = r ? 0 : regions_of(e, &all);

	for (i = 0; i < n && !r; i++)
		if (all[i].kind != REGION_PROLOGUE && all[i].kind != REGION_OUTPUTS)
			r = &all[i];
	return r;
}

/* For a line that put nothing into the graph: its effect is complete when the graph's is. */
static void beside_graph(struct ask *a, struct entry *e)
{
	const char *inlined;
	const struct region *r = evaluated_line(e, a->file, a->line, &inlined) ? main_region(e) : NULL;

	if (r && inlined)
		locate_add(a, e, r,
			   mem_fmt("%s is inlined in %s: line %d was evaluated when %s was compiled: it stops "
				   "at the %s",
				   inlined, qualname_func(model_root(e->func)), a->line, e->id,
				   host->code.region_name(r->kind)));
	else if (r)
		locate_add(a, e, r,
			   mem_fmt("line %d was evaluated when %s was compiled: it stops at the %s", a->line, e->id,
				   host->code.region_name(r->kind)));
}

/* A resume function that runs in eager mode. */
static void in_resume(struct ask *a, struct func *f)
{
	struct code *c;
	int i;

	if (!f->root || !f->co || f->seen.compiles || !host->files.fits(a->file, f->file) || a->line < f->resume_line)
		return;
	c = host->code.get((struct py_code *)f->co);
	host->code.decode(c);
	for (i = locate_first(c); i < c->n; i++)
		if (c->instr[i].line == a->line && c->instr[i].flags & INSTR_LINE && c->instr[i].col > 0) {
			host->files.add_place(a->out, c, i, a->line, NULL);
			return;
		}
}

int locate_line(const char *file, int line, struct places *out)
{
	struct ask a = { .file = file, .line = line, .out = out };
	struct entry *e;
	struct func *f;

	for (e = model_entries; e; e = e->next)
		if (e->co && !at_break(&a, e) && !in_original(&a, e) && !in_graph(&a, e))
			beside_graph(&a, e);
	for (f = model_funcs; f; f = f->next)
		in_resume(&a, f);
	return a.found;
}

/* ---- functions -------------------------------------------------------------------------------------------- */

int locate_function(struct py_code *original, struct places *out)
{
	struct func *f = model_func((PyCodeObject *)original, false);
	struct entry *e;
	struct code *c;
	int n = 0, line = f && f->root && f->resume_line ? f->resume_line : f ? f->line : 0;

	for (e = f ? model_entries : NULL; e; e = e->next)
		if (e->func == f && e->co) {
			c = host->code.get((struct py_code *)e->co);
			host->files.add_place(out, c, locate_first(c), line, NULL);
			n++;
		}
	return n;
}

/* The graph that holds a part of the function, else the break that came in it: one place an entry. */
static const struct region *inlined_in(struct entry *e, struct code *c)
{
	const struct region *r = regions_first(e, REGION_GRAPH_CALL);
	struct breakage *b;
	int g, i;

	for (g = 0; r && g < e->made.ngraphs; g++) {
		model_read_graph(&e->made.graph[g]);
		for (i = 0; i < e->made.graph[g].nspots; i++)
			if (!e->made.graph[g].spot[i].own && inlined_line_of(c, &e->made.graph[g].spot[i]))
				return r;
	}
	r = regions_first(e, REGION_BREAK);
	for (b = r ? model_breaks : NULL; b; b = b->next)
		for (i = 1; breaks_of(b, e) && !calls_for_real(b, e, r) && i < b->nstack; i++)
			if (inlined_line_of(c, &b->stack[i]))
				return r;
	return evaluated_inlined(e, (PyCodeObject *)c->co) ? main_region(e) : NULL;
}

bool locate_inlines(struct entry *e, struct py_code *original)
{
	return e->co && inlined_in(e, host->code.get(original));
}

int locate_inlined(struct py_code *original, struct places *out)
{
	struct code *c = host->code.get(original);
	const struct region *r;
	struct entry *e;
	char *note;
	int n = 0;

	for (e = model_entries; e; e = e->next) {
		r = e->co ? inlined_in(e, c) : NULL;
		if (!r)
			continue;
		note = inlined_note(e, c, r);
		host->files.add_place(out, host->code.get((struct py_code *)e->co), r->start, r->line, note);
		free(note);
		n++;
	}
	return n;
}

int locate_pieces(struct py_code *original, add_code *add_piece, void *arg)
{
	struct func *f = model_func((PyCodeObject *)original, false);
	struct entry *e;
	int n = 0;

	for (e = f ? model_entries : NULL; e; e = e->next)
		if (e->co && (e->func == f || e->func->root == f)) {
			add_piece(arg, (struct py_code *)e->co);
			n++;
		}
	return n;
}

int locate_by_name(const char *name, add_code *add_named, void *arg)
{
	PyCodeObject *unknown;
	struct entry *e;
	struct func *f;
	int n = 0, i;

	for (f = model_funcs; f; f = f->next)
		if (f->co && f->root && (!strcmp(f->name, name) || !strcmp(qualname_func(f), name))) {
			add_named(arg, (struct py_code *)f->co);
			n++;
		}
	for (e = model_entries; e; e = e->next)
		for (i = 0; i < e->made.nresumes; i++)
			if (e->made.resume[i].func->co && !strcmp(e->made.resume[i].global, name)) {
				add_named(arg, (struct py_code *)e->made.resume[i].func->co);
				n++;
			}
	unknown = n ? NULL : resume_global_named(name); /* without a session no entry is known */
	if (unknown)
		add_named(arg, (struct py_code *)unknown);
	return n > 0 || unknown;
}

bool locate_known_as(const struct func *f, const char *global)
{
	struct entry *e;
	int i;

	for (e = f->root ? model_entries : NULL; e; e = e->next)
		for (i = 0; i < e->made.nresumes; i++)
			if (e->made.resume[i].func == f && !strcmp(e->made.resume[i].global, global))
				return true;
	return false;
}

/* ---- wrappers --------------------------------------------------------------------------------------------- */

static bool type_is_named(PyObject *v, const char *type)
{
	PyTypeObject *t;

	for (t = Py_TYPE(v); t; t = t->tp_base) {
		const char *dot = strrchr(t->tp_name, '.');

		if (!strcmp(dot ? dot + 1 : t->tp_name, type))
			return true;
	}
	return false;
}

/* What this one wraps: a new reference, or NULL. */
static PyObject *wrapped_by(PyObject *v, bool *compiled)
{
	PyObject *dict, *w;

	if (PyMethod_Check(v))
		return Py_NewRef(PyMethod_GET_FUNCTION(v));
	if (type_is_named(v, "OptimizedModule")) {
		*compiled = true;
		return attr(v, "_orig_mod");
	}
	if (type_is_named(v, "Module"))
		return attr(v, "forward");
	if (type_is_named(v, "partial"))
		return attr(v, "func");
	dict = attr(v, "__dict__");
	w = dict && PyDict_Check(dict) ? PyDict_GetItemString(dict, "_torchdynamo_orig_callable") : NULL;
	if (w)
		*compiled = true;
	else
		w = dict && PyDict_Check(dict) ? PyDict_GetItemString(dict, "__wrapped__") : NULL;
	Py_XINCREF(w);
	Py_XDECREF(dict);
	return w;
}

/* The function at the bottom: a new reference, NULL when there is none.  *steps: how many were taken off. */
static PyObject *bottom(PyObject *v, int *steps, bool *compiled)
{
	PyObject *next;

	*steps = 0;
	*compiled = false;
	for (v = Py_NewRef(v); *steps < 50; v = next, ++*steps) {
		next = wrapped_by(v, compiled);
		if (!next)
			break;
		Py_DECREF(v);
	}
	if (PyFunction_Check(v))
		return v;
	Py_DECREF(v);
	return NULL;
}

/* The module that the function is of, by name: its globals themselves would be kept alive. */
static void note_wrapped(PyObject *function)
{
	struct func *f = model_func((PyCodeObject *)PyFunction_GET_CODE(function), true);
	PyObject *globals = PyFunction_GET_GLOBALS(function);

	f->seen.wrapped = true;
	model_module(f, globals);
}

int locate_unwrap(struct py_obj *v, add_code *add_found, void *arg)
{
	bool compiled;
	int steps;
	PyObject *function = bottom((PyObject *)v, &steps, &compiled);

	if (function && compiled)
		note_wrapped(function);
	if (function && steps)
		add_found(arg, (struct py_code *)PyFunction_GET_CODE(function));
	steps = function && steps;
	PyErr_Clear();
	Py_XDECREF(function);
	return steps;
}

void locate_wrapped(PyObject *wrapper)
{
	bool compiled;
	int steps;
	PyObject *function = bottom(wrapper, &steps, &compiled);

	if (function && compiled && !attrs_torch_code((PyCodeObject *)PyFunction_GET_CODE(function)))
		note_wrapped(function);
	Py_XDECREF(function);
	PyErr_Clear();
}

/* ---- where a function's own code runs --------------------------------------------------------------------- */

/* The object of this qualified name in the function's module: a new reference or NULL. */
static PyObject *by_qualname(struct func *f)
{
	PyObject *name = PyUnicode_FromString(f->module), *v = name ? PyImport_GetModule(name) : NULL, *dict, *next;
	const char *part = py_text_utf8(f->co->co_qualname), *dot;

	Py_XDECREF(name);
	while (v && part && *part) {
		dot = strchr(part, '.');
		name = PyUnicode_FromStringAndSize(part, dot ? dot - part : (Py_ssize_t)strlen(part));
		dict = attr(v, "__dict__"); /* runs none of the program's code: calls no descriptor */
		next = name && dict ? PyObject_GetItem(dict, name) : NULL;
		PyErr_Clear();
		Py_XDECREF(dict);
		Py_XDECREF(name);
		Py_DECREF(v);
		v = next;
		part = dot ? dot + 1 : "";
	}
	PyErr_Clear();
	return v;
}

/* Does this function run only inside compiled regions?  It does if it can be called only through its
   compiled wrapper. */
int locate_inside(struct py_code *original)
{
	struct func *f = model_func((PyCodeObject *)original, false);
	const char *qualname;
	PyObject *v, *function;
	bool compiled = true;
	int steps;

	if (!f || !f->co || stance_is("force_eager"))
		return 0;
	if (f->root)
		return 1;
	if (!f->seen.wrapped || !f->module)
		return 0;
	qualname = py_text_utf8(f->co->co_qualname);
	if (!qualname || strstr(qualname, "<locals>"))
		return 1;
	v = by_qualname(f);
	function = v ? bottom(v, &steps, &compiled) : NULL;
	if (function && PyFunction_GET_CODE(function) != (PyObject *)f->co)
		compiled = true; /* the name belongs to another object */
	Py_XDECREF(function);
	Py_XDECREF(v);
	PyErr_Clear();
	return compiled;
}
