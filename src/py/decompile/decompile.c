/* SPDX-License-Identifier: BSD-3-Clause */
/* Decompiling a code object, and compiling the text again: what the rest of cdbg calls.  Knows no instructions. */
#include <Python.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/shape/shape.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/text/print.h"

static const struct dec_style plain;

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
	w->d.steps = &passes_steps;
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

/* ---- what is not covered: its bytecode ---------------------------------------------------------- */

static void as_bytecode(struct work *w, struct dec_source *s)
{
	struct code *c = w->f.code;
	struct buf out = { NULL, 0, 0 };
	int i;

	s->partial = true;
	s->why = w->d.why_index >= 0 && w->d.why_index < c->n ?
			 mem_fmt("%s, at %d", w->d.why, c->instr[w->d.why_index].offset) :
			 mem_str(w->d.why);
	buf_addf(&out, "def %s(...):\n", code_name(c));
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
