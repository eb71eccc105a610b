/* SPDX-License-Identifier: BSD-3-Clause */
/* Decompiling a code object, and compiling the text again: what the rest of cdbg calls.  Knows no instructions. */
#include <Python.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/dec_flow.h"
#include "py/decompile/dec_made.h"
#include "py/decompile/dec_print.h"

static const struct dec_style plain;

enum { RETRIES = 60, RETRIED_SIZE = 4000, SAME_NAMES = 100 };

/* ---- a function's statements --------------------------------------------------------------------- */

static void statements(struct dec *d, struct item *const *stack, int n, struct body *out)
{
	part_find(d);
	flow_build(d);
	shape_code(d, stack, n, out);
}

static void attempt(struct dec *d, struct function *f)
{
	int flags = ((PyCodeObject *)f->code->co)->co_flags;

	d->c = f->code;
	f->globals = PySet_New(NULL);
	f->nonlocals = PySet_New(NULL);
	if (!f->globals || !f->nonlocals || PyList_Append(d->bound, f->globals) < 0 ||
	    PyList_Append(d->bound, f->nonlocals) < 0) {
		PyErr_Clear();
		dec_refuse(d, -1, "out of memory");
	}
	Py_DECREF(f->globals); /* d->bound has them */
	Py_DECREF(f->nonlocals);
	d->globals = f->globals;
	d->nonlocals = f->nonlocals;
	dec_body_init(&f->body);
	d->made.annotations = NULL;
	d->made.params = NULL;
	if (!(flags & CO_OPTIMIZED) && !d->depth && !module_is(d->c))
		dec_refuse(d, -1, "the code of a class");
	dec_decode(d);
	part_find(d);
	if (d->stretches)
		stretch_apply(d);
	d->made.all = d->ins;
	d->made.nall = d->n;
	d->made.part = NULL;
	d->jumps.ntests = d->jumps.ndecisions = 0;
	d->jumps.next = NULL;
	statements(d, NULL, 0, &f->body);
	raised_check(d, &f->body);
	shape_begin(d, &f->body);
	f->annotations = d->made.annotations;
	f->params = d->made.params;
}

/* false: it is refused; d->why. */
static bool tried(struct dec *d, struct function *f)
{
	jmp_buf trap, *before = d->trap;
	struct temp *const temps = d->temps;
	const int ntemps = d->ntemps;

	d->trap = &trap;
	if (!setjmp(trap)) {
		attempt(d, f);
		d->trap = before;
		return true;
	}
	d->trap = before;
	d->temps = temps;
	d->ntemps = ntemps;
	return false;
}

/* Some jumps of the text are expressed by no statement: choose, among texts that mean the same and within limited time,
   the one with the fewest of them. */
static void fewer_jumps(struct dec *d, struct function *f)
{
	struct function other = { .code = f->code };
	const int work = d->work;
	int i, n = d->jumps.ndecisions, least = d->jumps.ntests;
	uint64_t best = 0;

	for (i = 0; i < n && i < 64 && least && d->jumps.nretries < RETRIES && d->n < RETRIED_SIZE; i++) {
		struct temp *temps = d->temps;
		int ntemps = d->ntemps;

		d->jumps.nretries++;
		d->jumps.turned = best ^ (uint64_t)1 << i;
		if (tried(d, &other) && d->jumps.ntests < least) {
			best = d->jumps.turned;
			least = d->jumps.ntests;
			n = d->jumps.ndecisions;
			*f = other;
		} else {
			d->temps = temps;
			d->ntemps = ntemps;
		}
		other = (struct function){ .code = f->code };
		d->work = work;
	}
	d->jumps.turned = 0;
	d->jumps.ntests = least;
}

/* Where a class statement does not fit it is a call; what is refused then becomes bytecode within the text, as long as
   there is a stretch of it. */
static void dec_function(struct dec *d, struct function *f)
{
	d->stretches = NULL;
	d->made.ntries = 0;
	d->made.class = d->made.raw_class = false;
	d->made.finally = false;
	d->made.raw_finally = d->copies.keep;
	d->jumps.turned = 0;
	if (!d->depth)
		d->copies.same = NULL;
	while (!tried(d, f)) {
		if (!d->depth)
			d->copies.same = NULL;
		if (d->made.finally && !d->made.raw_finally)
			d->made.raw_finally = true;
		else if (d->made.class && !d->made.raw_class)
			d->made.raw_class = true;
		else if (!d->partial || !stretch_add(d))
			longjmp(*d->trap, 1);
	}
	if (d->jumps.ntests)
		fewer_jumps(d, f);
}

/* Names that code within this one looks up. */
static bool is_name_within(PyCodeObject *co, const char *name)
{
	PyObject *v;
	Py_ssize_t i, k;

	dec_deep();
	for (i = 0; i < PyTuple_GET_SIZE(co->co_consts); i++) {
		v = PyTuple_GET_ITEM(co->co_consts, i);
		if (!PyCode_Check(v))
			continue;
		for (k = 0; k < PyTuple_GET_SIZE(((PyCodeObject *)v)->co_names); k++)
			if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(((PyCodeObject *)v)->co_names, k), name))
				return true;
		if (is_name_within((PyCodeObject *)v, name))
			return true;
	}
	return false;
}

bool dec_name_taken(struct dec *d, struct code *c, const char *name)
{
	struct temp *t;
	PyObject *names = ((PyCodeObject *)c->co)->co_names;
	Py_ssize_t i;
	int k;

	for (t = d->temps; t; t = t->next)
		if (t->name && !strcmp(t->name, name))
			return true;
	for (i = 0; i < PyTuple_GET_SIZE(names); i++)
		if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), name) &&
		    (!dec_only_read(d) || run_has_global(c, PyTuple_GET_ITEM(names, i))))
			return true;
	if (is_name_within((PyCodeObject *)c->co, name))
		return true;
	code_decode(c);
	for (k = 0; k < c->n; k++) { /* a variable that the code never touches is free to be used */
		PyObject *v = op_arg_kind(c->instr[k].op) == ARG_LOCAL ? (PyObject *)code_arg_object(c, k) : NULL;

		if (v && !PyUnicode_CompareWithASCIIString(v, name))
			return true;
	}
	for (k = 0; k < code_nlocals(c); k++)
		if (!strcmp(code_local_name(c, k), name) &&
		    (code_local_kind(c, k) != LOCAL_FAST ||
		     k < ((PyCodeObject *)c->co)->co_argcount + ((PyCodeObject *)c->co)->co_kwonlyargcount))
			return true;
	return false;
}

static bool plain_text(const char *s)
{
	PyObject *v = PyUnicode_FromString(s);
	bool yes = v && dec_is_identifier(v);

	PyErr_Clear();
	Py_XDECREF(v);
	return yes;
}

const char *dec_hinted_name(struct dec *d, struct code *c, const struct temp *t)
{
	const char *name = t->hint;

	if (!name || !plain_text(name))
		return NULL;
	if (*name != '_' && dec_name_taken(d, c, name))
		name = dec_text(d, "%s_", name);
	return dec_name_taken(d, c, name) ? NULL : name;
}

const char *dec_numbered_name(struct dec *d, struct code *c, const char *name)
{
	const char *text = NULL;
	int i;

	for (i = 2; i < SAME_NAMES && (!text || dec_name_taken(d, c, text)); i++)
		text = dec_text(d, "%s_%d", name, i);
	return i < SAME_NAMES ? text : NULL;
}

/* The name of what it is passed as and a number, where others have that name, too, or for `__name`, where a number may
   be that of an item, an underscore; NULL: none is free. */
static const char *another_hinted_name(struct dec *d, struct code *c, const struct temp *t)
{
	const char *name = t->hint && !strncmp(t->hint, "__", 2) ? dec_text(d, "%s_", t->hint) : NULL;

	if (!t->hint || !plain_text(t->hint))
		return NULL;
	if (!name)
		return dec_numbered_name(d, c, t->hint);
	return dec_name_taken(d, c, name) ? NULL : name;
}

/* Names for the temporaries: what they are passed as, else _t1 and so on. */
static void name_temps(struct dec *d, struct code *c)
{
	struct temp *t, *order = NULL, *next;
	const char *name;
	int n = 0;

	for (t = d->temps; t; t = next) { /* oldest first */
		next = t->next;
		t->next = order;
		order = t;
	}
	d->temps = order;
	for (t = order; t; t = t->next)
		if (!t->name && (t->uses || t->stores))
			t->name = dec_hinted_name(d, c, t);
	for (t = order; t && dec_only_read(d); t = t->next)
		if (!t->name && (t->uses || t->stores))
			t->name = another_hinted_name(d, c, t);
	for (t = order; t; t = t->next) {
		if (t->name || !(t->uses || t->stores))
			continue;
		do
			name = dec_text(d, "_t%d", ++n);
		while (dec_name_taken(d, c, name));
		t->name = name;
	}
	for (t = order; t; t = t->next)
		if (!t->name)
			t->name = "_t0";
}

int work_init(struct work *w, struct code *c, const struct dec_style *style, bool whole)
{
	static const char *const names[] = { "format", "repr", "ascii" };
	PyObject *builtins = PyImport_ImportModuleLevel("builtins", NULL, NULL, NULL, 0);
	int i;

	memset(w, 0, sizeof(*w));
	w->d.c = w->f.code = c;
	w->d.style = style ? style : &plain;
	w->d.bound = PyList_New(0);
	w->d.partial = !whole;
	w->d.statements = statements;
	w->d.nested = dec_function;
	print_init(&w->p, &w->d, &w->text, whole);
	for (i = 0; builtins && i < 3; i++)
		w->keep[i] = PyObject_GetAttrString(builtins, names[i]);
	Py_XDECREF(builtins);
	PyErr_Clear();
	w->p.format = w->keep[0];
	w->p.repr = w->keep[1];
	w->p.ascii = w->keep[2];
	return w->d.bound && w->keep[2] ? 0 : -1;
}

void work_release(struct work *w)
{
	int i;

	print_release(&w->p);
	buf_release(&w->text);
	for (i = 0; i < 3; i++)
		Py_CLEAR(w->keep[i]);
	Py_CLEAR(w->d.bound);
	dec_arena_free(&w->d);
}

static void generator_expression(struct work *w)
{
	struct dec *d = &w->d;
	struct expr *e = d->stretches ? NULL : comp_of(d, &w->f.body, "()");

	if (!e)
		dec_refuse(d, -1, "a generator expression that can only be written as a loop");
	e = comp_close(d, e, dec_name(d, PyTuple_GET_ITEM(((PyCodeObject *)w->f.code->co)->co_localsplusnames, 0)));
	dec_body_init(&w->f.body);
	dec_stmt(&w->f.body, d, S_RETURN, NULL, e, e->index);
}

static bool text_made(struct work *w, const char *name)
{
	struct code *c = w->f.code;
	struct dec *volatile before;
	jmp_buf trap;
	int i;
	volatile bool around = false;

	code_decode(c);
	for (i = 0; i < code_nlocals(c); i++)
		around = around || (w->p.whole && !w->p.bare && code_local_kind(c, i) == LOCAL_FREE);
	w->d.trap = &trap;
	before = dec_guard(&w->d);
	if (setjmp(trap)) {
		dec_guard(before);
		w->interrupted = dec_ended();
		if (w->interrupted) /* a later reason may be there: of something else that was tried */
			snprintf(w->d.why, sizeof(w->d.why), "interrupted");
		return false;
	}
	dec_function(&w->d, &w->f);
	if (print_within(c))
		generator_expression(w);
	tidy_all(&w->d, &w->f.body);
	if (module_is(c))
		module_tidy(&w->d, &w->f, w->p.whole);
	if (!w->p.whole) {
		if (w->d.style->function)
			w->f.doc = doc_of_function((PyObject *)w->d.style->function);
		read_tidy(&w->d, &w->f.body);
		end_drop(&w->f);
	}
	if (w->d.style->function)
		default_items(&w->d, &w->f, (PyObject *)w->d.style->function);
	name_temps(&w->d, c);
	if (module_is(c))
		print_module(&w->p, &w->f);
	else
		print_function(&w->p, &w->f, name, around);
	if (w->p.too_deep)
		dec_refuse(&w->d, -1, "an expression or statement that is nested too deeply");
	dec_poll();
	dec_guard(before);
	return true;
}

bool work_text(struct work *w, const char *name)
{
	if (text_made(w, name))
		return true;
	if (w->interrupted || !w->d.copies.left_out || w->text.len)
		return false;
	w->d.copies.keep = true; /* what is refused may be what finally clauses would have to be */
	w->d.c = w->f.code;
	w->d.temps = NULL;
	w->d.outer = NULL;
	w->d.ntemps = w->d.depth = w->d.work = 0;
	return text_made(w, name);
}

/* ---- what is not covered: its bytecode ----------------------------------------------------------- */

static void as_bytecode(struct work *w, struct dec_source *s)
{
	struct code *c = w->f.code;
	struct buf out = { NULL, 0, 0 };
	int i;

	s->partial = true;
	s->why = w->d.why_index >= 0 && w->d.why_index < c->n ?
			 mem_fmt("%s, at %d", w->d.why, c->instr[w->d.why_index].offset) :
			 mem_str(w->d.why);
	buf_addf(&out, module_is(c) ? "# %s\n" : "def %s(...):\n", code_name(c));
	buf_addf(&out, "    # bytecode, since this is not covered: %s\n", s->why);
	s->line = mem_alloc((size_t)(c->n + 2) * sizeof(*s->line));
	s->line[0] = s->line[1] = (struct dec_line){ .from = -1, .to = -1 };
	for (i = 0, s->n = 2; i < c->n; i++) {
		buf_adds(&out, "    ");
		print_instruction(c, i, &out);
		buf_addc(&out, '\n');
		s->line[s->n++] = (struct dec_line){ .from = i, .to = i };
	}
	s->text = buf_detach(&out);
}

/* The name to write after "def": that of the code, with _ for what no identifier has. Owned by the caller. */
static char *def_name(struct code *c)
{
	char *name = mem_str(code_name(c)), *p;

	if (dec_is_identifier(((PyCodeObject *)c->co)->co_name))
		return name;
	for (p = name; *p; p++)
		if ((unsigned char)*p >= 0x80 || (!isalnum((unsigned char)*p) && *p != '_'))
			*p = '_';
	if (isdigit((unsigned char)*name) || !*name) {
		p = mem_fmt("_%s", name);
		free(name);
		name = p;
	}
	return name;
}

/* By instruction of the code: the one that its line is about.  Owned by the caller; NULL: itself. */
static int *written_instead(const struct dec *d, int n)
{
	int *same, i, k;

	if (!d->copies.same)
		return NULL;
	same = mem_alloc((size_t)(n + 1) * sizeof(*same));
	for (i = 0; i < n; i++) {
		for (k = i; d->copies.same[k] != k;)
			k = d->copies.same[k];
		same[i] = k;
	}
	return same;
}

static void forget_nested(struct dec_source *s)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (s->line[i].nested)
			s->line[i].from = s->line[i].to = -1;
}

/* Above the definition: what the names in it stand for. */
static void explain_bound(struct work *w)
{
	struct buf out = { NULL, 0, 0 };
	int i, n = 0;

	for (i = 0; i < w->p.nbound; i++)
		n += print_explained(&w->p, i, &out);
	if (!n)
		return;
	w->p.line = mem_grow(w->p.line, &w->p.line_cap, (size_t)(w->p.nlines + n), sizeof(*w->p.line));
	memmove(w->p.line + n, w->p.line, (size_t)w->p.nlines * sizeof(*w->p.line));
	w->p.nlines += n;
	for (i = 0; i < n; i++)
		w->p.line[i] = (struct dec_line){ .from = -1, .to = -1 };
	buf_add(&out, w->text.s, w->text.len);
	buf_release(&w->text);
	w->text = out;
}

struct dec_source *decompile(struct code *c, const struct dec_style *style)
{
	struct dec_source *s = mem_alloc(sizeof(*s));
	char *name = def_name(c);
	struct work w;

	if (work_init(&w, c, style, false) == 0 && work_text(&w, name)) {
		explain_bound(&w);
		s->text = buf_detach(&w.text);
		s->line = w.p.line;
		s->n = w.p.nlines;
		w.p.line = NULL;
		s->same = written_instead(&w.d, c->n);
		forget_nested(s);
		s->partial = w.d.stretches != NULL;
		s->why = s->partial ? mem_str(w.d.stretches->why) : NULL;
	} else if (w.interrupted) {
		dec_source_free(s);
		s = NULL;
	} else {
		code_decode(c);
		as_bytecode(&w, s);
	}
	PyErr_Clear();
	work_release(&w);
	free(name);
	return s;
}

void dec_source_free(struct dec_source *s)
{
	if (!s)
		return;
	free(s->text);
	free(s->line);
	free(s->same);
	free(s->why);
	free(s);
}
