/* SPDX-License-Identifier: BSD-3-Clause */
/* NAME=EXPR NAME=EXPR ..., evaluated in the selected frame. */
#include "edit/dynamo_edit.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Does text begin with a name and one `=` after it?  The length of the name, or 0. */
static size_t given_name(const char *s)
{
	size_t n = py_text_word(s);

	if (isdigit((unsigned char)*s))
		return 0;
	return n && s[n] == '=' && s[n + 1] != '=' ? n : 0;
}

/* The first of these characters outside of brackets and quotes, or the end.  A space counts only before NAME= or
   at the end. */
static const char *expr_end(const char *s, char stop)
{
	int depth = 0;
	char quote = 0;

	for (; *s; s++) {
		if (quote) {
			if (*s == '\\' && s[1])
				s++;
			else if (*s == quote)
				quote = 0;
		} else if (*s == '\'' || *s == '"') {
			quote = *s;
		} else if (strchr("([{", *s)) {
			depth++;
		} else if (strchr(")]}", *s)) {
			depth--;
		} else if (*s == stop && stop != ' ' && depth == 0) {
			return s;
		} else if (isspace((unsigned char)*s) && stop == ' ' && depth == 0) {
			const char *next = s + strspn(s, " \t");

			if (!*next || given_name(next))
				return s;
		}
	}
	return s;
}

/* A comma outside of brackets and quotes, before NAME= or at the end: the user meant it to separate two values. */
static bool parts_by_comma(const char *text, bool more)
{
	const char *p = text, *next;

	while (*p) {
		next = expr_end(p, ',');
		if (!*next)
			return false;
		next += 1 + strspn(next + 1, " \t");
		if (*next ? given_name(next) > 0 : more)
			return true;
		p = next;
	}
	return false;
}

/* One NAME=EXPR, where it is written in the text. */
struct given {
	const char *name, *text;
	int name_len, text_len;
};

/* The next one; *args moves past it.  false: there is none. */
static bool next_given(const char **args, struct given *out)
{
	const char *end;

	out->name = *args;
	out->name_len = (int)given_name(*args);
	if (!out->name_len)
		return false;
	out->text = *args + out->name_len + 1;
	end = expr_end(out->text, ' ');
	out->text_len = (int)(end - out->text);
	*args = end + strspn(end, " \t");
	return true;
}

const char *entry_given_begin(const char *args)
{
	bool with = !strncmp(args, "with", 4) && (isspace((unsigned char)args[4]) || !args[4]);

	return with ? args + 4 + strspn(args + 4, " \t") : args;
}

char *entry_given_name(const char **args)
{
	struct given g;

	return next_given(args, &g) ? mem_fmt("%.*s", g.name_len, g.name) : NULL;
}

int entry_given(const char *args, PyObject *values, struct err *err)
{
	struct given g;
	PyObject *v;
	char *name, *text;
	int ret = 0;

	while (ret == 0 && *args) {
		if (!next_given(&args, &g))
			return err_set(err, "missing values after 'with': NAME=EXPR, as in 'with n=3 x=torch.ones(4)'");
		name = mem_fmt("%.*s", g.name_len, g.name);
		text = mem_fmt("%.*s", g.text_len, g.text);
		v = (PyObject *)host->frames.eval(text, err);
		if (!v || PyDict_SetItemString(values, name, v) < 0)
			ret = -1;
		if ((!v || text[strlen(text) - 1] == ',') && parts_by_comma(text, g.text[g.text_len] != '\0'))
			ret = err_set(err, "values are separated by spaces, not by commas: NAME=EXPR NAME=EXPR, as "
					   "in 'with n=3 x=torch.ones(4)'");
		Py_XDECREF(v);
		free(text);
		free(name);
	}
	PyErr_Clear();
	return ret;
}
