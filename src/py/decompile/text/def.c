/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions as text: decorators, the line of the definition, what makes names variables of it, and its body.  Knows no
   other statements. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/flow/flow.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/text/print.h"

static void name_list(struct printer *p, const char *word, PyObject *set)
{
	PyObject *sorted = PySet_GET_SIZE(set) ? PySequence_List(set) : NULL;
	Py_ssize_t i;

	if (!sorted || PyList_Sort(sorted) < 0) {
		PyErr_Clear();
		Py_XDECREF(sorted);
		return;
	}
	statement_line_begin(p);
	buf_addf(p->out, "%s ", word);
	for (i = 0; i < PyList_GET_SIZE(sorted); i++) {
		buf_adds(p->out, i ? ", " : "");
		print_name(p, PyList_GET_ITEM(sorted, i));
	}
	statement_line_end(p, -1, -1);
	Py_DECREF(sorted);
}

/* Generated code may have a variable that it never uses beside a cell or free variable of the same name. */
static bool shadowed(struct code *c, int i)
{
	PyObject *names = ((PyCodeObject *)c->co)->co_localsplusnames;
	int k;

	for (k = i + 1; code_local_kind(c, i) == LOCAL_FAST && k < code_nlocals(c); k++)
		if (code_local_kind(c, k) != LOCAL_FAST &&
		    !PyUnicode_Compare(PyTuple_GET_ITEM(names, i), PyTuple_GET_ITEM(names, k)))
			return true;
	return false;
}

/* Names that must be variables, cells or free variables, whether a statement has them or not, in their order; and what
   makes a generator.  Dead code: the symbol table counts it, and no instruction is left of it. */
void print_names(struct printer *p, const struct function *f)
{
	struct code *c = f->code;
	PyCodeObject *co = (PyCodeObject *)c->co;
	PyObject *names = co->co_localsplusnames;
	int i, n = code_nlocals(c), args = code_nargs(c);

	statement_line_begin(p);
	buf_adds(p->out, "if 0:");
	statement_line_end(p, -1, -1);
	p->indent++;
	for (i = 0; i < n; i++) {
		if (code_local_kind(c, i) == LOCAL_FREE)
			continue;
		/* a comprehension may assign a global: the variable is only in the list of them then */
		if (i >= args && !shadowed(c, i) && !run_has_global(c, PyTuple_GET_ITEM(names, i))) {
			statement_line_begin(p);
			print_name(p, PyTuple_GET_ITEM(names, i));
			buf_adds(p->out, " = None");
			statement_line_end(p, -1, -1);
		}
	}
	statement_line_begin(p);
	buf_adds(p->out, "lambda: (");
	for (i = 0; i < n; i++)
		if (code_local_kind(c, i) != LOCAL_FAST) {
			print_name(p, PyTuple_GET_ITEM(names, i));
			buf_adds(p->out, ", ");
		}
	buf_adds(p->out, ")");
	statement_line_end(p, -1, -1);
	if (co->co_flags & (CO_GENERATOR | CO_ASYNC_GENERATOR) && !print_within(c))
		statement_line_words(p, "yield", NULL);
	p->indent--;
}

/* From 3.15 on a generator expression's code calls iter() before it becomes a generator. */
bool print_within(const struct code *c)
{
	return py_iterator_slots > 1 && !strcmp(code_name(c), "<genexpr>");
}

static bool is_async(const struct function *f)
{
	return !print_within(f->code) && ((PyCodeObject *)f->code->co)->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR);
}

static void decorator_lines(struct printer *p, const struct stmt *s)
{
	const struct expr *list = s && s->value ? s->value->kid[0] : NULL;
	int i;

	for (i = 0; list && i < list->n; i++) {
		statement_line_begin(p);
		buf_addc(p->out, '@');
		print_expression(p, list->kid[i]);
		statement_line_end(p, s->from, s->to);
	}
}

static void class_bases(struct printer *p, const struct function *f)
{
	const struct expr *e = f->defaults->e;
	int i;

	for (i = 0; i < e->n; i++) {
		buf_adds(p->out, i ? ", " : "(");
		print_expression(p, e->kid[i]);
	}
	buf_adds(p->out, e->n ? ")" : "");
}

/* its code is compiled from that line on */
static void print_made(struct printer *p, int line, const struct function *f)
{
	p->made = mem_grow(p->made, &p->made_cap, (size_t)p->nmade + 1, sizeof(*p->made));
	p->made[p->nmade].line = line;
	p->made[p->nmade++].code = f->code;
}

/* What names in it stand for that the code around it does not have under them. */
static void cell_lines(struct printer *p, const struct function *f)
{
	PyObject *names = ((PyCodeObject *)f->code->co)->co_localsplusnames;
	int i, k = 0;

	if (f->module) {
		statement_line_begin(p);
		buf_addf(p->out, "# its globals are those of the module '%s'", f->module);
		statement_line_as_is(p, -1, -1);
	}
	for (i = 0; f->cells && i < code_nlocals(f->code); i++) {
		if (code_local_kind(f->code, i) != LOCAL_FREE || !f->cells->kid[k++])
			continue;
		statement_line_begin(p);
		buf_adds(p->out, "# ");
		print_name(p, PyTuple_GET_ITEM(names, i));
		buf_adds(p->out, " here is ");
		print_expression(p, f->cells->kid[k - 1]);
		statement_line_as_is(p, -1, -1);
	}
}

void def_lines(struct printer *p, const struct function *f, const struct stmt *s, const struct expr *name,
	       const char *text)
{
	struct code *outer = p->d->c;
	const int first = p->nlines + 1; /* a code object begins with its first decorator */
	const bool class = code_kind_is_class(f->code);

	decorator_lines(p, s);
	statement_line_begin(p);
	buf_adds(p->out, class ? "class " : is_async(f) ? "async def " : "def ");
	if (class && (!name || name->kind != E_NAME))
		dec_refuse(p->d, s ? s->from : 0, "a class that is not stored under its name");
	if (name)
		print_expression(p, name);
	else
		buf_adds(p->out, text);
	if (class) {
		class_bases(p, f);
	} else {
		buf_addc(p->out, '(');
		print_arguments(p, f, false);
		buf_addc(p->out, ')');
		print_returned(p, f);
	}
	buf_addc(p->out, ':');
	print_made(p, first, f);
	statement_line_end(p, s ? s->from : -1, s ? s->to : -1);
	p->indent++;
	p->d->c = f->code;
	if (f->doc && !long_line_docstring(p, f->doc)) {
		statement_line_begin(p);
		dec_literal(f->doc, p->out);
		statement_line_end(p, -1, -1);
	}
	cell_lines(p, f);
	name_list(p, "global", f->globals);
	name_list(p, "nonlocal", f->nonlocals);
	if (p->whole && !p->bare && !class)
		print_names(p, f);
	if (!f->body.first && !f->doc)
		statement_line_words(p, "pass", NULL);
	p->classes += class;
	statement_lines_body(p, &f->body);
	p->classes -= class;
	p->d->c = outer;
	p->indent--;
}

void print_function(struct printer *p, const struct function *f, const char *name, bool around)
{
	struct code *c = f->code;
	int i;

	if (!around) {
		def_lines(p, f, NULL, NULL, name);
		return;
	}
	statement_line_words(p, "def _around():", NULL);
	p->indent++;
	for (i = 0; i < code_nlocals(c); i++)
		if (code_local_kind(c, i) == LOCAL_FREE) {
			statement_line_begin(p);
			print_name(p, PyTuple_GET_ITEM(((PyCodeObject *)c->co)->co_localsplusnames, i));
			buf_adds(p->out, " = None");
			statement_line_end(p, -1, -1);
		}
	def_lines(p, f, NULL, NULL, name);
	p->indent--;
}

/* ---- statements --------------------------------------------------------------------------------- */
