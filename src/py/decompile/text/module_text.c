/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of a module as its text: what the compiler puts into it is left out, and a variable of the decompiler's own
   would be one of the module's.  Knows no control flow. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/text/print.h"

/* Text that is compiled has nothing that the module would show, and no `return`. */
static void check_statements(struct dec *d, const struct body *b)
{
	const struct stmt *s;
	const struct function *f;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		f = s->function;
		if (s->kind == S_RETURN)
			dec_refuse(d, s->from, "a module that ends in the middle of a statement");
		if (dec_has_temp(s->target) || dec_has_temp(s->value) ||
		    (f &&
		     (item_has_temp(f->defaults) || item_has_temp(f->kwdefaults) || item_has_temp(f->annotations))))
			dec_refuse(d, s->from, "a module that needs a variable which its source lacks");
		check_statements(d, &s->body);
		check_statements(d, &s->other);
		check_statements(d, &s->last);
	}
}

/* CPython 3.14 and later note which annotations have been reached, also where these are strings: the text does, too. */
static void drop_conditional(struct body *b)
{
	const struct stmt *s = b->first;

	if (!s || s->kind != S_ASSIGN || s->target->kind != E_NAME || s->value->kind != E_SET ||
	    PyUnicode_CompareWithASCIIString(s->target->obj, "__conditional_annotations__"))
		return;
	b->first = s->next;
	dec_body_end(b);
}

void module_tidy(struct dec *d, struct function *f, bool whole)
{
	const bool annotated = body_annotations(d, &f->body) > 0;

	if (annotated != setup_annotations(f->code) || f->annotations)
		dec_refuse(d, 0, "the annotations of a module");
	if (annotated)
		drop_conditional(&f->body);
	class_end(&f->body);
	tidy_count(d, &f->body);
	chain_targets(d, &f->body);
	class_doc(f);
	if (whole)
		check_statements(d, &f->body);
}

/* Names that functions within say are globals need not be said to be some. */
static void drop_declared(PyObject *names, const struct body *b)
{
	const struct stmt *s;
	PyObject *rest;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->function) {
			if (s->function->globals && PySet_GET_SIZE(s->function->globals)) {
				rest = PyObject_CallMethod(names, "difference_update", "O", s->function->globals);
				Py_XDECREF(rest);
			}
			drop_declared(names, &s->function->body);
		}
		drop_declared(names, &s->body);
		drop_declared(names, &s->other);
		drop_declared(names, &s->last);
	}
}

static PyObject *globals_stored(struct dec *d, const struct function *f)
{
	PyObject *names = dec_hold(d, PySet_New(f->globals));

	if (names)
		drop_declared(names, &f->body);
	PyErr_Clear();
	return names;
}

void print_module(struct printer *p, const struct function *f)
{
	struct body before, rest;
	struct stmt *s;

	dec_body_init(&before);
	dec_body_init(&rest);
	p->strings = ((PyCodeObject *)f->code->co)->co_flags & CO_FUTURE_ANNOTATIONS;
	if (f->doc && !line_docstring(p, f->doc)) {
		dec_literal(f->doc, p->out);
		line_end(p, -1, -1);
	}
	for (s = f->body.first; s && s->kind == S_IMPORT && !strncmp(s->text, "from __future__ ", 16); s = s->next)
		before.end = &s->next;
	if (s != f->body.first) {
		before.first = f->body.first;
		*before.end = NULL;
		lines_body(p, &before);
	}
	print_globals(p, globals_stored(p->d, f));
	rest.first = s;
	lines_body(p, &rest);
}
