/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and helper functions of generated code as a person would write them.  Moves nothing. */
#include <Python.h>
#include <ctype.h>
#include <string.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/tidy/read.h"

/* Generated code for people: a call of the compiler's library as the expression that it stands for, "$1.size($2)". */

enum { FORM_ARGUMENTS = 8 };

struct form {
	struct dec *d;
	const char *at;
	const struct expr *call;
};

static struct expr *form_part(struct form *f);

/* A name: its text; NULL: there is none. */
static const char *form_word(struct form *f)
{
	const char *begin = f->at;

	while (isalnum((unsigned char)*f->at) || *f->at == '_')
		f->at++;
	return f->at == begin ? NULL : dec_text(f->d, "%.*s", (int)(f->at - begin), begin);
}

/* "(", what it is called with, and ")"; at is after the bracket. */
static struct expr *form_call(struct form *f, struct expr *callee)
{
	struct expr *kid[FORM_ARGUMENTS] = { callee };
	int n = 1;

	while (*f->at != ')' && n < FORM_ARGUMENTS) {
		kid[n] = form_part(f);
		if (!kid[n++])
			return NULL;
		f->at += strspn(f->at, ", ");
	}
	return *f->at++ == ')' ? dec_expr_n(f->d, E_CALL, NULL, kid, n) : NULL;
}

static struct expr *form_first(struct form *f)
{
	const char *word;
	int k;

	if (*f->at != '$') {
		word = form_word(f);
		return word ? dec_builtin(f->d, word) : NULL;
	}
	k = f->at[1] - '0';
	f->at += 2;
	return k > 0 && k < f->call->n ? f->call->kid[k] : NULL;
}

static struct expr *form_part(struct form *f)
{
	struct expr *e = form_first(f), *key;
	const char *word;

	for (;;) {
		if (e && *f->at == '.') {
			f->at++;
			word = form_word(f);
			e = word ? dec_expr(f->d, E_ATTR, word, 1, e) : NULL;
		} else if (e && *f->at == '(') {
			f->at++;
			e = form_call(f, e);
		} else if (e && *f->at == '[') {
			f->at++;
			key = form_part(f);
			e = key && *f->at++ == ']' ? dec_expr(f->d, E_SUBSCR, NULL, 2, e, key) : NULL;
		} else {
			return e;
		}
	}
}

/* A call as an expression of its arguments: "$1.size($2)".  NULL: the form is that of a statement, or of another number
   of arguments. */
static struct expr *call_form_written(struct dec *d, const char *form, const struct expr *call)
{
	struct form f = { .d = d, .at = form, .call = call };
	int i, most = 0;
	struct expr *e;

	for (i = 0; form[i]; i++)
		if (form[i] == '$' && form[i + 1] - '0' > most)
			most = form[i + 1] - '0';
	if (most != call->n - 1 || form[0] == '\0' || strchr(form, '='))
		return NULL;
	e = form_part(&f);
	return e && !*f.at ? e : NULL;
}

/* ---- names -------------------------------------------------------------------------------------- */

/* NULL: a variable of the function has the first name. */
static struct expr *dotted(struct dec *d, const char *name)
{
	const char *dot = name ? strchr(name, '.') : NULL;
	PyObject *root = name ? PyUnicode_FromStringAndSize(name, dot ? dot - name : (Py_ssize_t)strlen(name)) : NULL;
	struct expr *e;

	root = dec_hold(d, root);
	if (!root || run_has_variable(d->c, root) || PySet_Contains(d->globals, root)) {
		PyErr_Clear();
		return NULL;
	}
	e = dec_name(d, root);
	return dot ? dec_expr(d, E_ATTR, dec_text(d, "%s", dot + 1), 1, e) : e;
}

/* ---- calls -------------------------------------------------------------------------------------- */

static bool is_keyword_display(const struct expr *e)
{
	int i;

	for (i = 0; e->kind == E_DICT && i < e->n; i += 2)
		if (!e->kid[i] || e->kid[i]->kind != E_CONST || !PyUnicode_CheckExact(e->kid[i]->obj) ||
		    !dec_is_identifier(e->kid[i]->obj))
			return false;
	return e->kind == E_DICT;
}

/* f(*(a, b), **{"k": c}) as f(a, b, k=c) */
static void flatten(struct dec *d, struct expr **at)
{
	struct expr *e = *at, *of, **kid;
	int i, k, n = 0, room = 1;

	for (i = 1; i < e->n; i++)
		room += e->kid[i]->kind == E_STAR || e->kid[i]->kind == E_STAR_STAR ? e->kid[i]->kid[0]->n : 1;
	kid = dec_alloc(d, (size_t)(room + e->n) * sizeof(*kid));
	kid[n++] = e->kid[0];
	for (i = 1; i < e->n; i++) {
		of = e->kid[i]->kind == E_STAR || e->kid[i]->kind == E_STAR_STAR ? e->kid[i]->kid[0] : NULL;
		if (of && e->kid[i]->kind == E_STAR && (of->kind == E_TUPLE || of->kind == E_LIST)) {
			dec_copy(kid + n, of->kid, (size_t)of->n * sizeof(*kid));
			n += of->n;
		} else if (of && e->kid[i]->kind == E_STAR_STAR && is_keyword_display(of)) {
			for (k = 0; k < of->n; k += 2) {
				kid[n] = dec_expr(d, E_KEYWORD, NULL, 1, of->kid[k + 1]);
				kid[n++]->obj = of->kid[k]->obj;
			}
		} else {
			kid[n++] = e->kid[i];
		}
	}
	*at = dec_expr_n(d, E_CALL, e->text, kid, n);
	(*at)->index = e->index;
}

static bool has_stars(const struct expr *e)
{
	int i, n = 0;

	for (i = 1; e->kind == E_CALL && i < e->n; i++) /* with several, a keyword may be there twice */
		n += e->kid[i]->kind == E_STAR_STAR ? 1 : e->kid[i]->kind == E_KEYWORD ? 2 : 0;
	for (i = 1; e->kind == E_CALL && n < 2 && i < e->n; i++)
		if (e->kid[i]->kind == E_STAR || e->kid[i]->kind == E_STAR_STAR)
			return true;
	return false;
}

/* __import_m.f as m.f, and a builtin by its name alone; arguments one by one. */
static void rename_in(struct dec *d, struct expr **at);

static void rename_parts(struct dec *d, const struct function *f)
{
	if (f->defaults && (!code_kind_is_class(f->code) || f->given))
		rename_in(d, &f->defaults->e);
	if (f->kwdefaults)
		rename_in(d, &f->kwdefaults->e);
	if (f->annotations)
		rename_in(d, &f->annotations->e);
}

/* (lambda a: [... for v in a])(iter(x)) as [... for v in x] */
static void write_comprehension(struct dec *d, struct expr **at)
{
	struct expr *e = *at, *value, *all;

	if (e->kind != E_CALL || e->n != 2 || e->kid[0]->kind != E_LAMBDA ||
	    !comprehension_brackets(e->kid[0]->function->code))
		return;
	value = e->kid[0]->function->body.first->value;
	all = e->kid[1];
	if (all->kind == E_CALL && all->n == 2 && all->kid[0]->kind == E_NAME &&
	    !run_has_variable(d->c, all->kid[0]->obj) && !PyUnicode_CompareWithASCIIString(all->kid[0]->obj, "iter"))
		all = all->kid[1];
	*at = comprehension_close(d, value, all);
	if (e->index >= 0)
		(*at)->index = e->index;
}

/* {*()}: set(); or NULL. */
static struct expr *empty_set(struct dec *d, const struct expr *e)
{
	const struct expr *of = e->kind == E_SET && e->n == 1 && e->kid[0]->kind == E_STAR ? e->kid[0]->kid[0] : NULL;
	struct expr *f;

	if (!dec_only_generated(d) || e->kind != E_SET || (e->n && (!of || of->kind != E_TUPLE || of->n)))
		return NULL;
	f = dotted(d, "set");
	return f ? dec_expr(d, E_CALL, NULL, 1, f) : NULL;
}

static void rename_in(struct dec *d, struct expr **at)
{
	struct expr *e = *at, *plain = NULL;
	const char *what;
	int i;

	dec_deep();
	if (!e)
		return;
	if (has_stars(e)) {
		flatten(d, at);
		e = *at;
	}
	plain = empty_set(d, e);
	what = e->kind == E_ATTR && e->obj ? library_module(d, e->kid[0]) : NULL;
	if (what && !strcmp(what, "builtins"))
		plain = dotted(d, PyUnicode_AsUTF8(e->obj));
	if (library_builtin(d, e))
		plain = dotted(d, PyUnicode_AsUTF8(e->kid[1]->obj));
	what = plain ? NULL : e->kind == E_ATTR ? library_form(d, e) : library_module(d, e);
	if (what && *what && !strchr(what, '$'))
		plain = dotted(d, what);
	if (plain) {
		*at = plain;
		return;
	}
	for (i = 0; i < e->n; i++)
		rename_in(d, &e->kid[i]);
	if (e->kind == E_LAMBDA)
		rename_parts(d, e->function);
	write_comprehension(d, at);
}

void read_names(struct dec *d, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->folded)
			continue;
		rename_in(d, &s->value);
		rename_in(d, &s->target);
		if (s->function)
			rename_parts(d, s->function);
		read_names(d, &s->body);
		read_names(d, &s->other);
		read_names(d, &s->last);
	}
}

/* ---- helpers ------------------------------------------------------------------------------------ */

static struct expr *attribute(struct dec *d, struct expr *of, struct expr *name)
{
	struct expr *e;

	if (name->kind != E_CONST || !PyUnicode_CheckExact(name->obj))
		return NULL;
	if (!dec_is_identifier(name->obj))
		return dec_expr(d, E_SUBSCR, NULL, 2, dec_expr(d, E_ATTR, "__dict__", 1, of), name);
	e = dec_expr(d, E_ATTR, NULL, 1, of);
	e->obj = name->obj;
	return e;
}

static bool plain_arguments(const struct expr *call)
{
	int i;

	for (i = 1; i < call->n; i++)
		if (call->kid[i]->kind == E_STAR || call->kid[i]->kind == E_KEYWORD ||
		    call->kid[i]->kind == E_STAR_STAR)
			return false;
	return true;
}

static void write_calls_in(struct dec *d, struct expr **at)
{
	struct expr *e = *at, *written;
	const char *form;
	int i;

	dec_deep();
	if (!e)
		return;
	for (i = 0; i < e->n; i++)
		write_calls_in(d, &e->kid[i]);
	form = e->kind == E_CALL && plain_arguments(e) ? library_form(d, e->kid[0]) : NULL;
	written = form ? call_form_written(d, form, e) : NULL;
	if (written) {
		written->index = e->index;
		*at = written;
	}
}

/* setter(object, "name", value): object.name = value */
static void write_statement(struct dec *d, struct stmt *s)
{
	struct expr *e = s->kind == S_EXPR ? s->value : NULL, *target;
	const char *form = e && e->kind == E_CALL && plain_arguments(e) ? library_form(d, e->kid[0]) : NULL;
	const bool sets = form && !strcmp(form, "$1.$2 = $3") && e->n == 4,
		   deletes = form && !strcmp(form, "del $1.$2") && e->n == 3;

	if (sets || deletes) {
		target = attribute(d, e->kid[1], e->kid[2]);
		if (target) {
			s->kind = sets ? S_ASSIGN : S_DELETE;
			s->target = target;
			s->past_class = target->kind == E_ATTR;
			s->value = sets ? e->kid[3] : NULL;
		}
	}
	write_calls_in(d, &s->value);
	if (s->kind != S_RAISE)
		write_calls_in(d, &s->target);
}

void read_calls(struct dec *d, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		write_statement(d, s);
		read_calls(d, &s->body);
		read_calls(d, &s->other);
		read_calls(d, &s->last);
	}
}
