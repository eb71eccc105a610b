/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements and functions as lines of text.  What is folded is in the text that is compiled, and a comment in the one
   that is read. */
#include <Python.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/dec_flow.h"
#include "py/decompile/dec_print.h"

static void body(struct printer *p, const struct body *b);

void print_init(struct printer *p, struct dec *d, struct buf *out, bool whole)
{
	*p = (struct printer){ .d = d, .root = d->c, .out = out, .whole = whole };
}

void print_release(struct printer *p)
{
	free(p->odd);
	free(p->bound);
	free(p->line);
	free(p->made);
}

/* ---- lines --------------------------------------------------------------------------------------- */

static void begin_line(struct printer *p)
{
	int i;

	for (i = 0; i < p->indent; i++)
		buf_adds(p->out, "    ");
}

static void end(struct printer *p, int from, int to)
{
	buf_addc(p->out, '\n');
	p->line = mem_grow(p->line, &p->line_cap, (size_t)p->nlines + 1, sizeof(*p->line));
	p->line[p->nlines++] = (struct dec_line){ .from = from, .to = to, .nested = p->d->c != p->root };
}

static void words(struct printer *p, const char *text, const struct stmt *s)
{
	begin_line(p);
	buf_adds(p->out, text);
	end(p, s ? s->from : -1, s ? s->to : -1);
}

/* ---- folded statements --------------------------------------------------------------------------- */

/* What every instruction of this statement is folded into; NULL: it is to be read. */
static const char *folded(struct printer *p, const struct stmt *s)
{
	const struct dec_style *style = p->d->style;
	const char *what = NULL, *this;
	int i;

	if (p->whole || style->whole || !style->folded || s->from < 0 || s->body.first || s->other.first)
		return NULL;
	for (i = s->from; i <= s->to; i++) {
		this = style->folded(style->arg, p->d->c, i);
		if (!this)
			return NULL;
		what = this;
	}
	return what;
}

/* ---- functions ----------------------------------------------------------------------------------- */

static void name_list(struct printer *p, const char *word, PyObject *set)
{
	PyObject *sorted = PySet_GET_SIZE(set) ? PySequence_List(set) : NULL;
	Py_ssize_t i;

	if (!sorted || PyList_Sort(sorted) < 0) {
		PyErr_Clear();
		Py_XDECREF(sorted);
		return;
	}
	begin_line(p);
	buf_addf(p->out, "%s ", word);
	for (i = 0; i < PyList_GET_SIZE(sorted); i++) {
		buf_adds(p->out, i ? ", " : "");
		print_name(p, PyList_GET_ITEM(sorted, i));
	}
	end(p, -1, -1);
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
	int i, n = code_nlocals(c),
	       args = co->co_argcount + co->co_kwonlyargcount + !!(co->co_flags & CO_VARARGS) +
		      !!(co->co_flags & CO_VARKEYWORDS);

	begin_line(p);
	buf_adds(p->out, "if 0:");
	end(p, -1, -1);
	p->indent++;
	for (i = 0; i < n; i++) {
		if (code_local_kind(c, i) == LOCAL_FREE)
			continue;
		if (i >= args && !shadowed(c, i)) {
			begin_line(p);
			print_name(p, PyTuple_GET_ITEM(names, i));
			buf_adds(p->out, " = None");
			end(p, -1, -1);
		}
	}
	begin_line(p);
	buf_adds(p->out, "lambda: (");
	for (i = 0; i < n; i++)
		if (code_local_kind(c, i) != LOCAL_FAST) {
			print_name(p, PyTuple_GET_ITEM(names, i));
			buf_adds(p->out, ", ");
		}
	buf_adds(p->out, ")");
	end(p, -1, -1);
	if (co->co_flags & (CO_GENERATOR | CO_ASYNC_GENERATOR))
		words(p, "yield", NULL);
	p->indent--;
}

static bool is_async(const struct function *f)
{
	return ((PyCodeObject *)f->code->co)->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR);
}

static void decorator_lines(struct printer *p, const struct stmt *s)
{
	const struct expr *list = s && s->value ? s->value->kid[0] : NULL;
	int i;

	for (i = 0; list && i < list->n; i++) {
		begin_line(p);
		buf_addc(p->out, '@');
		print_expression(p, list->kid[i]);
		end(p, s->from, s->to);
	}
}

static void function_lines(struct printer *p, const struct function *f, const struct stmt *s, const struct expr *name,
			   const char *text)
{
	struct code *outer = p->d->c;
	const int first = p->nlines + 1; /* a code object begins with its first decorator */

	decorator_lines(p, s);
	begin_line(p);
	buf_adds(p->out, is_async(f) ? "async def " : "def ");
	if (name)
		print_expression(p, name);
	else
		buf_adds(p->out, text);
	buf_addc(p->out, '(');
	print_arguments(p, f, false);
	buf_addc(p->out, ')');
	print_returned(p, f);
	buf_addc(p->out, ':');
	p->made = mem_grow(p->made, &p->made_cap, (size_t)p->nmade + 1, sizeof(*p->made));
	p->made[p->nmade].line = first;
	p->made[p->nmade++].code = f->code;
	end(p, s ? s->from : -1, s ? s->to : -1);
	p->indent++;
	p->d->c = f->code;
	name_list(p, "global", f->globals);
	name_list(p, "nonlocal", f->nonlocals);
	if (p->whole && !p->bare)
		print_names(p, f);
	if (!f->body.first)
		words(p, "pass", NULL);
	body(p, &f->body);
	p->d->c = outer;
	p->indent--;
}

void print_function(struct printer *p, const struct function *f, const char *name, bool around)
{
	struct code *c = f->code;
	int i;

	if (!around) {
		function_lines(p, f, NULL, NULL, name);
		return;
	}
	words(p, "def _around():", NULL);
	p->indent++;
	for (i = 0; i < code_nlocals(c); i++)
		if (code_local_kind(c, i) == LOCAL_FREE) {
			begin_line(p);
			print_name(p, PyTuple_GET_ITEM(((PyCodeObject *)c->co)->co_localsplusnames, i));
			buf_adds(p->out, " = None");
			end(p, -1, -1);
		}
	function_lines(p, f, NULL, NULL, name);
	p->indent--;
}

/* ---- statements ---------------------------------------------------------------------------------- */

static void block(struct printer *p, const struct body *b)
{
	p->indent++;
	if (p->indent > 95)
		p->too_deep = true;
	if (b->first)
		body(p, b);
	else
		words(p, "pass", NULL);
	p->indent--;
}

static void if_lines(struct printer *p, const struct stmt *s, const char *word)
{
	const struct stmt *e = s->other.first;

	begin_line(p);
	buf_addf(p->out, "%s ", word);
	print_test(p, s->value);
	buf_addc(p->out, ':');
	end(p, s->from, s->to);
	block(p, &s->body);
	if (!e)
		return;
	if (e->kind == S_IF && !e->next) {
		if_lines(p, e, "elif");
		return;
	}
	words(p, "else:", NULL);
	block(p, &s->other);
}

/* The cases of one subject, then what happens if none matches. */
static void match_lines(struct printer *p, const struct stmt *s)
{
	const struct expr *subject = dec_match_of(s->value)->kid[0], *m;
	struct expr guard;

	begin_line(p);
	buf_adds(p->out, "match ");
	print_value(p, subject);
	buf_addc(p->out, ':');
	end(p, s->from, s->to);
	p->indent++;
	for (;;) {
		m = dec_match_of(s->value);
		begin_line(p);
		buf_addf(p->out, "case %s", m->text);
		if (m != s->value) {
			guard = *s->value;
			guard.kid++;
			guard.n--;
			buf_adds(p->out, " if ");
			print_expression(p, guard.n > 1 ? &guard : guard.kid[0]);
		}
		buf_addc(p->out, ':');
		end(p, s->from, s->to);
		block(p, &s->body);
		if (!s->other.first || s->other.first->kind != S_MATCH || s->other.first->next ||
		    !dec_same(dec_match_of(s->other.first->value)->kid[0], subject))
			break;
		s = s->other.first;
	}
	if (s->other.first) {
		words(p, "case _:", NULL);
		block(p, &s->other);
	}
	p->indent--;
}

static void loop_lines(struct printer *p, const struct stmt *s)
{
	begin_line(p);
	if (s->kind == S_FOR) {
		buf_addf(p->out, "%sfor ", s->text ? s->text : "");
		print_value(p, s->target);
		buf_adds(p->out, " in ");
	} else {
		buf_adds(p->out, "while ");
	}
	if (s->kind == S_FOR)
		print_expression(p, s->value);
	else
		print_test(p, s->value);
	buf_addc(p->out, ':');
	end(p, s->from, s->to);
	block(p, &s->body);
	if (s->other.first) {
		words(p, "else:", NULL);
		block(p, &s->other);
	}
}

static void simple(struct printer *p, const struct stmt *s)
{
	begin_line(p);
	switch (s->kind) {
	case S_EXPR:
		print_value(p, s->value);
		break;
	case S_ASSIGN:
		print_value(p, s->target);
		buf_adds(p->out, " = ");
		print_value(p, s->value);
		break;
	case S_AUG:
		print_expression(p, s->target);
		buf_addf(p->out, " %s ", s->text);
		print_value(p, s->value);
		break;
	case S_DELETE:
		buf_adds(p->out, "del ");
		print_expression(p, s->target);
		break;
	case S_RETURN:
		buf_adds(p->out, "return");
		if (s->value->kind == E_CONST && s->value->obj == Py_None &&
		    (((PyCodeObject *)p->d->c->co)->co_flags & CO_ASYNC_GENERATOR))
			break;
		buf_addc(p->out, ' ');
		if (s->value->kind == E_YIELD || s->value->kind == E_YIELD_FROM)
			print_expression(p, s->value);
		else
			print_value(p, s->value);
		break;
	case S_RAISE:
		buf_adds(p->out, s->value ? "raise " : "raise");
		if (s->value)
			print_expression(p, s->value);
		if (s->target) {
			buf_adds(p->out, " from ");
			print_expression(p, s->target);
		}
		break;
	case S_IMPORT:
		buf_adds(p->out, s->text);
		break;
	case S_BREAK:
	case S_CONTINUE:
		buf_adds(p->out, s->kind == S_BREAK ? "break" : "continue");
		break;
	default:
		break;
	}
	end(p, s->from, s->to);
}

/* "with VALUE as NAME:" and "except TYPE as NAME:", with the block below. */
static void named_block(struct printer *p, const char *word, const struct expr *value, const struct stmt *s)
{
	begin_line(p);
	buf_adds(p->out, word);
	if (value) {
		buf_addc(p->out, ' ');
		print_expression(p, value);
	}
	if (s->target) {
		buf_adds(p->out, " as ");
		print_expression(p, s->target);
	}
	buf_addc(p->out, ':');
	end(p, s->from, s->to);
	block(p, &s->body);
}

static void clause_lines(struct printer *p, const struct stmt *s)
{
	bool any = !s->target && s->value && s->value->kind == E_BOUND && s->value->obj == PyExc_BaseException;

	named_block(p, s->text ? s->text : "except", any ? NULL : s->value, s);
}

void print_instruction(struct code *c, int index, struct buf *out)
{
	buf_addf(out, "# %5d %-28s ", c->instr[index].offset, py_op_name(op_plain(c->instr[index].op)));
	code_arg_text(c, index, out);
	while (out->len && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
}

/* What is not covered: its instructions, a line each. */
static void bytecode_lines(struct printer *p, const struct stretch *s)
{
	struct code *c = p->d->c;
	int i;

	begin_line(p);
	buf_addf(p->out, "# bytecode, since this is not covered: %s", s->why);
	end(p, -1, -1);
	for (i = 0; i < c->n; i++) {
		if (!s->at[i])
			continue;
		begin_line(p);
		print_instruction(c, i, p->out);
		end(p, i, i);
	}
}

static bool is_finally(const struct stmt *clause)
{
	return clause->text && !strcmp(clause->text, "finally");
}

/* `else` comes before `finally`. */
static void try_lines(struct printer *p, const struct stmt *s)
{
	const struct stmt *c;

	words(p, "try:", s);
	block(p, &s->body);
	for (c = s->other.first; c && !is_finally(c); c = c->next)
		clause_lines(p, c);
	if (s->last.first) {
		words(p, "else:", NULL);
		block(p, &s->last);
	}
	if (c)
		clause_lines(p, c);
}

static void statement(struct printer *p, const struct stmt *s)
{
	switch (s->kind) {
	case S_BYTECODE:
		bytecode_lines(p, s->stretch);
		break;
	case S_IF:
		if_lines(p, s, "if");
		break;
	case S_MATCH:
		match_lines(p, s);
		break;
	case S_WHILE:
	case S_FOR:
		loop_lines(p, s);
		break;
	case S_DEF:
		function_lines(p, s->function, s, s->target, NULL);
		break;
	case S_TRY:
		try_lines(p, s);
		break;
	case S_CLAUSE:
		clause_lines(p, s);
		break;
	case S_WITH:
		named_block(p, s->text ? "async with" : "with", s->value, s);
		break;
	default:
		simple(p, s);
	}
}

static void body(struct printer *p, const struct body *b)
{
	const struct stmt *s, *last;
	const char *what, *more;
	int n;

	for (s = b->first; s; s = s->next) {
		what = folded(p, s);
		if (!what) {
			statement(p, s);
			continue;
		}
		for (n = 1, last = s; last->next && (more = folded(p, last->next)) && !strcmp(more, what);
		     last = last->next)
			n++;
		begin_line(p);
		buf_addf(p->out, "# %s", what);
		end(p, s->from, last->to);
		p->line[p->nlines - 1].folded = true;
		s = last;
	}
}
