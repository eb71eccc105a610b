/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements and functions as lines of text.  What is folded is in the text that is compiled, and a comment in the one
   that is read. */
#include <Python.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/flow/flow.h"
#include "py/decompile/text/print.h"

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

/* ---- lines -------------------------------------------------------------------------------------- */

void statement_line_begin(struct printer *p)
{
	int i;

	for (i = 0; i < p->indent; i++)
		buf_adds(p->out, "    ");
}

static void line_add(struct printer *p, struct dec_line line)
{
	line.nested = p->d->c != p->root;
	p->line = mem_grow(p->line, &p->line_cap, (size_t)p->nlines + 1, sizeof(*p->line));
	p->line[p->nlines++] = line;
}

void statement_line_as_is(struct printer *p, int from, int to)
{
	buf_addc(p->out, '\n');
	line_add(p, (struct dec_line){ .from = from, .to = to });
}

void statement_line_end(struct printer *p, int from, int to)
{
	int more = p->whole && !p->bare ? 0 : long_line_wrap(p->out);

	statement_line_as_is(p, from, to);
	while (more--)
		line_add(p, (struct dec_line){ .from = -1, .to = -1, .wrapped = true });
}

void statement_line_words(struct printer *p, const char *text, const struct stmt *s)
{
	statement_line_begin(p);
	buf_adds(p->out, text);
	statement_line_end(p, s ? s->from : -1, s ? s->to : -1);
}

/* ---- folded statements -------------------------------------------------------------------------- */

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

/* ---- functions ---------------------------------------------------------------------------------- */

void statement_lines_block(struct printer *p, const struct body *b)
{
	p->indent++;
	if (p->indent > 95)
		p->too_deep = true;
	if (b->first)
		statement_lines_body(p, b);
	else
		statement_line_words(p, "pass", NULL);
	p->indent--;
}

static void if_lines(struct printer *p, const struct stmt *s, const char *word)
{
	const struct stmt *e = s->other.first;

	statement_line_begin(p);
	buf_addf(p->out, "%s ", word);
	print_test(p, s->value);
	buf_addc(p->out, ':');
	statement_line_end(p, s->from, s->to);
	statement_lines_block(p, &s->body);
	if (!e)
		return;
	if (e->kind == S_IF && !e->next) {
		if_lines(p, e, "elif");
		return;
	}
	statement_line_words(p, "else:", NULL);
	statement_lines_block(p, &s->other);
}

static void loop_lines(struct printer *p, const struct stmt *s)
{
	statement_line_begin(p);
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
	statement_line_end(p, s->from, s->to);
	statement_lines_block(p, &s->body);
	if (s->other.first) {
		statement_line_words(p, "else:", NULL);
		statement_lines_block(p, &s->other);
	}
}

/* One, or several of the same value, see class_body_chain_targets(). */
static void print_targets(struct printer *p, const struct expr *e)
{
	const bool several = e->kind == E_TUPLE && e->text;
	int i;

	for (i = 0; several && i < e->n - 1; i++) {
		print_value(p, e->kid[i]);
		buf_adds(p->out, " = ");
	}
	print_value(p, several ? e->kid[i] : e);
}

static void simple(struct printer *p, const struct stmt *s)
{
	statement_line_begin(p);
	switch (s->kind) {
	case S_EXPR:
		print_value(p, s->value);
		break;
	case S_ASSIGN:
		print_targets(p, s->target);
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
		if (dec_is_none(s->value) && (((PyCodeObject *)p->d->c->co)->co_flags & CO_ASYNC_GENERATOR))
			break;
		buf_addc(p->out, ' ');
		if (s->value->kind == E_YIELD || s->value->kind == E_YIELD_FROM)
			print_expression(p, s->value);
		else
			print_value(p, s->value);
		break;
	case S_ASSERT:
		buf_adds(p->out, "assert ");
		print_expression(p, s->value);
		if (s->target) {
			buf_adds(p->out, ", ");
			print_expression(p, s->target);
		}
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
	statement_line_end(p, s->from, s->to);
}

static void wraps_line(struct printer *p, const struct stmt *s)
{
	statement_line_begin(p);
	buf_adds(p->out, "# the attributes that functools.wraps(");
	print_value(p, s->value);
	buf_adds(p->out, ") sets of ");
	print_value(p, s->target);
	statement_line_end(p, s->from, s->to);
	p->line[p->nlines - 1].folded = true;
}

static void named(struct printer *p, const struct expr *value, const struct stmt *s)
{
	if (value) {
		buf_addc(p->out, ' ');
		print_expression(p, value);
	}
	if (s->target) {
		buf_adds(p->out, " as ");
		print_expression(p, s->target);
	}
}

/* "except TYPE as NAME:", with the block below. */
static void named_block(struct printer *p, const char *word, const struct expr *value, const struct stmt *s)
{
	statement_line_begin(p);
	buf_adds(p->out, word);
	named(p, value, s);
	buf_addc(p->out, ':');
	statement_line_end(p, s->from, s->to);
	statement_lines_block(p, &s->body);
}

static int line_of(struct printer *p, const struct stmt *s)
{
	return s->from >= 0 && s->from < p->d->c->n ? p->d->c->instr[s->from].line : 0;
}

/* "with VALUE as NAME:"; those that were one statement are one. */
static void with_lines(struct printer *p, const struct stmt *s)
{
	const struct stmt *inner;
	int from = s->from, to = s->to;

	if (s->astray) {
		statement_line_begin(p);
		buf_adds(p->out,
			 "# some exceptions do not call __exit__(): its handler finds another value in its place");
		statement_line_end(p, -1, -1);
	}
	statement_line_begin(p);
	buf_adds(p->out, s->text ? "async with" : "with");
	named(p, s->value, s);
	for (; (inner = s->body.first) && !inner->next && inner->kind == S_WITH && !inner->astray &&
	       !inner->text == !s->text && line_of(p, inner) == line_of(p, s);
	     s = inner) {
		buf_addc(p->out, ',');
		named(p, inner->value, inner);
		to = inner->to > to ? inner->to : to;
	}
	buf_addc(p->out, ':');
	statement_line_end(p, from, to);
	statement_lines_block(p, &s->body);
}

static bool is_finally(const struct stmt *clause)
{
	return clause->text && !strcmp(clause->text, "finally");
}

static void clause_lines(struct printer *p, const struct stmt *s)
{
	bool any = !s->target && s->value && s->value->kind == E_BOUND && s->value->obj == PyExc_BaseException;

	if (is_finally(s)) { /* nothing is done in that line, and Python's own tracing does not stop there */
		statement_line_words(p, "finally:", NULL);
		statement_lines_block(p, &s->body);
		return;
	}
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

	statement_line_begin(p);
	buf_addf(p->out, "# bytecode, since this is not covered: %s", s->why);
	statement_line_end(p, -1, -1);
	for (i = 0; i < c->n; i++) {
		if (!s->at[i])
			continue;
		statement_line_begin(p);
		print_instruction(c, i, p->out);
		statement_line_end(p, i, i);
	}
}

/* `else` comes before `finally`. */
static void try_lines(struct printer *p, const struct stmt *s)
{
	const struct stmt *c;

	statement_line_words(p, "try:", s);
	statement_lines_block(p, &s->body);
	for (c = s->other.first; c && !is_finally(c); c = c->next)
		clause_lines(p, c);
	if (s->last.first) {
		statement_line_words(p, "else:", NULL);
		statement_lines_block(p, &s->last);
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
	case S_WHILE:
	case S_FOR:
		loop_lines(p, s);
		break;
	case S_DEF:
		def_lines(p, s->function, s, s->target, NULL);
		break;
	case S_WRAPS:
		wraps_line(p, s);
		break;
	case S_TRY:
		try_lines(p, s);
		break;
	case S_CLAUSE:
		clause_lines(p, s);
		break;
	case S_WITH:
		with_lines(p, s);
		break;
	default:
		simple(p, s);
	}
}

void statement_lines_body(struct printer *p, const struct body *b)
{
	const struct stmt *s, *last;
	const char *what, *more;
	bool any = !b->first;

	for (s = b->first; s; s = s->next) {
		what = folded(p, s);
		if (!what) {
			statement(p, s);
			any = true;
			continue;
		}
		last = s;
		while (last->next && (more = folded(p, last->next)) && !strcmp(more, what))
			last = last->next;
		statement_line_begin(p);
		buf_addf(p->out, "# %s", what);
		statement_line_end(p, s->from, last->to);
		p->line[p->nlines - 1].folded = true;
		s = last;
	}
	if (!any)
		statement_line_words(p, "pass", NULL);
}
