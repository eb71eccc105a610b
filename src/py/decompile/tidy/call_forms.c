/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: a call of the compiler's library as the expression that it stands for, "$1.size($2)".
   Knows no statements. */
#include <Python.h>
#include <ctype.h>
#include <string.h>
#include "py/decompile/tidy/read.h"

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

struct expr *call_form_written(struct dec *d, const char *form, const struct expr *call)
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
