/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions and statements as text, a line a statement, with the instructions that each line stands for. */
#include <Python.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "py/decompile/flow/flow.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/text/print.h"

/* How tightly an expression binds; one inside another binds tighter, or is put in parentheses. */
enum tightness {
	L_YIELD,
	L_LAMBDA,
	L_IF,
	L_OR,
	L_AND,
	L_NOT,
	L_COMPARE,
	L_BITOR,
	L_XOR,
	L_BITAND,
	L_SHIFT,
	L_SUM,
	L_TERM,
	L_UNARY,
	L_POWER,
	L_AWAIT,
	L_ATOM
};

static void expression(struct printer *p, const struct expr *e, enum tightness around);

static enum tightness binary_level(const char *op)
{
	static const struct {
		const char *op;
		enum tightness level;
	} all[] = {
		{ "|", L_BITOR },  { "^", L_XOR }, { "&", L_BITAND }, { "<<", L_SHIFT },
		{ ">>", L_SHIFT }, { "+", L_SUM }, { "-", L_SUM },    { "**", L_POWER },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].op, op))
			return all[i].level;
	return L_TERM;
}

static enum tightness level_of(const struct expr *e)
{
	switch (e->kind) {
	case E_YIELD:
	case E_YIELD_FROM:
		return L_YIELD;
	case E_LAMBDA:
		return L_LAMBDA;
	case E_IF:
		return L_IF;
	case E_BOOL:
		return !strcmp(e->text, "or") ? L_OR : L_AND;
	case E_UNARY:
		return !strcmp(e->text, "not ") ? L_NOT : L_UNARY;
	case E_COMPARE:
	case E_CHAIN:
		return L_COMPARE;
	case E_BINARY:
		return binary_level(e->text);
	case E_AWAIT:
		return L_AWAIT;
	case E_CONST:
		if (PyLong_CheckExact(e->obj) || PyFloat_CheckExact(e->obj)) {
			PyObject *zero = PyLong_FromLong(0);
			int negative = PyFloat_CheckExact(e->obj) ? signbit(PyFloat_AS_DOUBLE(e->obj)) != 0 :
								    PyObject_RichCompareBool(e->obj, zero, Py_LT);

			Py_XDECREF(zero);
			return negative ? L_UNARY : L_ATOM;
		}
		return L_ATOM;
	default:
		return L_ATOM;
	}
}

void print_name(struct printer *p, PyObject *name)
{
	const char *s = PyUnicode_AsUTF8(name);
	int i;

	PyErr_Clear();
	if (s && dec_is_identifier(name)) {
		i = p->whole || !p->d->style->shown ? 0 : p->d->style->shown(p->d->style->arg, s);
		buf_add(p->out, s, i ? (size_t)i : strlen(s));
		return;
	}
	for (i = 0; i < p->nodd; i++)
		if (p->odd[i] == name || !PyUnicode_Compare(p->odd[i], name))
			break;
	if (i == p->nodd) {
		p->odd = mem_grow(p->odd, &p->odd_cap, (size_t)i + 1, sizeof(*p->odd));
		p->odd[p->nodd++] = name;
	}
	buf_addf(p->out, "_name_%d", i);
}

static void list(struct printer *p, struct expr *const *kid, int n, int from)
{
	int i;

	for (i = from; i < n; i++) {
		if (i > from)
			buf_adds(p->out, ", ");
		expression(p, kid[i], L_LAMBDA);
	}
}

static void slice(struct printer *p, const struct expr *const part[3])
{
	int i;

	for (i = 0; i < 3; i++) {
		if (i == 1 || (i && part[i]))
			buf_addc(p->out, ':');
		if (part[i])
			expression(p, part[i], L_LAMBDA);
	}
}

static void dictionary(struct printer *p, const struct expr *e)
{
	int i;

	buf_addc(p->out, '{');
	for (i = 0; i < e->n; i += 2) {
		buf_adds(p->out, i ? ", " : "");
		if (e->kid[i]) {
			expression(p, e->kid[i], L_LAMBDA);
			buf_adds(p->out, ": ");
		} else {
			buf_adds(p->out, "**");
		}
		expression(p, e->kid[i + 1], e->kid[i] ? L_LAMBDA : L_BITOR);
	}
	buf_addc(p->out, '}');
}

/* ---- expressions -------------------------------------------------------------------------------- */

static void binary(struct printer *p, const struct expr *e, enum tightness l)
{
	bool power = l == L_POWER;

	expression(p, e->kid[0], power ? L_AWAIT : l);
	buf_addf(p->out, " %s ", e->text);
	expression(p, e->kid[1], power ? L_UNARY : l + 1);
}

static void boolean(struct printer *p, const struct expr *e, enum tightness l)
{
	int i;

	for (i = 0; i < e->n; i++) {
		if (i)
			buf_addf(p->out, " %s ", e->text);
		expression(p, e->kid[i], l + 1);
	}
}

static void lambda(struct printer *p, const struct expr *e)
{
	buf_adds(p->out, "lambda");
	print_arguments(p, e->function, true);
	buf_adds(p->out, ": ");
	expression(p, e->function->body.first->value, L_LAMBDA);
}

static void bracketed(struct printer *p, const char *open, const struct expr *e, const char *close)
{
	buf_adds(p->out, open);
	list(p, e->kid, e->n, 0);
	buf_adds(p->out, close);
}

static void print_attribute(struct printer *p, const struct expr *e)
{
	const struct expr *of = e->kid[0];

	/* a number and the dot after it would be another number */
	expression(p, of, of->kind == E_CONST && PyLong_CheckExact(of->obj) ? L_ATOM + 1 : L_ATOM);
	buf_addc(p->out, '.');
	if (e->obj)
		print_name(p, e->obj);
	else
		buf_adds(p->out, e->text);
}

static void print_key(struct printer *p, const struct expr *key)
{
	const struct expr *part[3];

	if (expr_slice_parts(key, part))
		slice(p, part);
	else
		expression(p, key, L_LAMBDA);
}

static void print_subscript(struct printer *p, const struct expr *e)
{
	struct expr *key = e->kid[1];
	int i;

	expression(p, e->kid[0], L_ATOM);
	buf_addc(p->out, '[');
	if (!items_listed(p->d, &key, true) || !key->n)
		print_key(p, key);
	for (i = 0; key->kind == E_TUPLE && i < key->n; i++) {
		print_key(p, key->kid[i]);
		buf_adds(p->out, i + 1 < key->n ? ", " : i ? "" : ",");
	}
	buf_addc(p->out, ']');
}

static void print_call(struct printer *p, const struct expr *e)
{
	const struct expr *one = e->n == 2 ? e->kid[1] : NULL;

	expression(p, e->kid[0], L_ATOM);
	if (one && one->kind == E_COMPREHENSION && one->text[0] == '(' && one->kid[3]) { /* with its own parentheses */
		expression(p, one, L_LAMBDA);
		return;
	}
	buf_addc(p->out, '(');
	list(p, e->kid, e->n, 1);
	buf_addc(p->out, ')');
}

static void conditional(struct printer *p, const struct expr *e)
{
	expression(p, e->kid[1], L_OR);
	buf_adds(p->out, " if ");
	expression(p, e->kid[0], L_OR);
	buf_adds(p->out, " else ");
	expression(p, e->kid[2], L_IF);
}

static void prefixed(struct printer *p, const char *prefix, const struct expr *e, enum tightness l)
{
	buf_adds(p->out, prefix);
	expression(p, e->kid[0], l);
}

static void comparison(struct printer *p, const struct expr *e, enum tightness left)
{
	expression(p, e->kid[0], left);
	buf_addf(p->out, " %s ", e->text);
	if ((p->whole && !p->bare) || e->kid[1]->kind != E_BOUND || strcmp(e->text + strlen(e->text) - 2, "in") ||
	    !dec_set_literal(e->kid[1]->obj, p->out))
		expression(p, e->kid[1], L_BITOR);
}

static void keyword(struct printer *p, const struct expr *e)
{
	print_name(p, e->obj);
	prefixed(p, "=", e, L_LAMBDA);
}

static void print_cell(struct printer *p, const struct expr *e)
{
	buf_adds(p->out, dec_only_read(p->d) ? "cell_of(" : "(lambda: ");
	print_name(p, e->obj);
	buf_adds(p->out, dec_only_read(p->d) ? ")" : ").__closure__[0]");
}

static void comprehension(struct printer *p, const struct expr *e)
{
	const struct expr *target;
	int i;

	if (!e->kid[3]) /* called with its iterable elsewhere */
		buf_adds(p->out, "(lambda _of: ");
	buf_addc(p->out, e->text[0]);
	expression(p, e->kid[0], L_LAMBDA);
	if (e->kid[1]) {
		buf_adds(p->out, ": ");
		expression(p, e->kid[1], L_LAMBDA);
	}
	for (i = 2; i < e->n; i += 2) {
		target = e->kid[i];
		if (!target) {
			buf_adds(p->out, " if ");
		} else {
			buf_adds(p->out, target->kind == E_AWAIT ? " async for " : " for ");
			print_value(p, target->kind == E_AWAIT ? target->kid[0] : target);
			buf_adds(p->out, " in ");
		}
		if (e->kid[i + 1])
			expression(p, e->kid[i + 1], L_OR);
		else
			buf_adds(p->out, "_of");
	}
	buf_addc(p->out, e->text[1]);
	if (!e->kid[3])
		buf_addc(p->out, ')');
}

static void walrus(struct printer *p, const struct expr *e)
{
	expression(p, e->kid[0], L_ATOM);
	buf_adds(p->out, " := ");
	expression(p, e->kid[1], L_LAMBDA);
}

/* Opcodes of one kind share a line. */
/* clang-format off */
static void print_inner(struct printer *p, const struct expr *e, enum tightness l)
{
	switch (e->kind) {
	case E_CONST: dec_literal(e->obj, p->out); break;
	case E_BOUND: print_bound(p, e->obj); break;
	case E_NAME:
		buf_adds(p->out, e->text && p->whole ? LOOKED_UP : "");
		print_name(p, e->obj);
		break;
	case E_TEMP: buf_adds(p->out, e->temp->name); break;
	case E_ATTR: print_attribute(p, e); break;
	case E_SUBSCR: print_subscript(p, e); break;
	case E_CALL: print_call(p, e); break;
	case E_KEYWORD: keyword(p, e); break;
	case E_STAR: prefixed(p, "*", e, L_BITOR); break;
	case E_STAR_STAR: prefixed(p, "**", e, L_BITOR); break;
	case E_BINARY: binary(p, e, l); break;
	case E_UNARY: prefixed(p, e->text, e, l); break;
	case E_COMPARE: comparison(p, e, L_BITOR); break;
	case E_CHAIN: comparison(p, e, L_COMPARE); break;
	case E_BOOL: boolean(p, e, l); break;
	case E_IF: conditional(p, e); break;
	case E_TUPLE: bracketed(p, "(", e, e->n == 1 ? ",)" : ")"); break;
	case E_LIST: bracketed(p, "[", e, "]"); break;
	case E_SET: bracketed(p, "{", e, "}"); break;
	case E_DICT: dictionary(p, e); break;
	case E_STRING: print_fstring(p, e); break;
	case E_LAMBDA: lambda(p, e); break;
	case E_YIELD: prefixed(p, "yield ", e, L_LAMBDA); break;
	case E_YIELD_FROM: prefixed(p, "yield from ", e, L_LAMBDA); break;
	case E_AWAIT: prefixed(p, "await ", e, L_ATOM); break;
	case E_CELL: print_cell(p, e); break;
	case E_WALRUS:
		buf_addc(p->out, '(');
		walrus(p, e);
		buf_addc(p->out, ')');
		break;
	case E_COMPREHENSION: comprehension(p, e); break;
	default: BUG("an expression of kind %d is printed", (int)e->kind);
	}
}
/* clang-format on */

static void expression(struct printer *p, const struct expr *e, enum tightness around)
{
	enum tightness l = level_of(e);
	bool parentheses = l < around;

	if (++p->deep > 90)
		p->too_deep = true;
	if (parentheses)
		buf_addc(p->out, '(');
	if (!p->too_deep)
		print_inner(p, e, l);
	if (parentheses)
		buf_addc(p->out, ')');
	p->deep--;
}

void print_expression(struct printer *p, const struct expr *e)
{
	expression(p, e, L_LAMBDA);
}

void print_braced(struct printer *p, const struct expr *e)
{
	expression(p, e, L_IF);
}

/* The condition of `if` and `while`: an assignment needs no parentheses there. */
void print_test(struct printer *p, const struct expr *e)
{
	if (e->kind == E_WALRUS)
		walrus(p, e);
	else
		print_expression(p, e);
}

/* A statement's value: a tuple or yield needs no parentheses there. */
void print_value(struct printer *p, const struct expr *e)
{
	if (e->kind == E_TUPLE && e->n > 1)
		list(p, e->kid, e->n, 0);
	else
		expression(p, e, L_YIELD);
}
