/* SPDX-License-Identifier: BSD-3-Clause */
/* NAME=EXPR NAME=EXPR ..., evaluated in the selected frame. */
#include "edit/given_values.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Does text begin with a name and one `=` after it?  The length of the name, or 0. */
static size_t given_name(const char *s)
{
	size_t n = 0;

	if (!isalpha((unsigned char)*s) && *s != '_')
		return 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return s[n] == '=' && s[n + 1] != '=' ? n : 0;
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

char *entry_given_name(const char **args)
{
	size_t n = given_name(*args);
	char *name = n ? mem_fmt("%.*s", (int)n, *args) : NULL;

	if (n)
		*args = expr_end(*args + n + 1, ' ');
	*args += strspn(*args, " \t");
	return name;
}

int entry_given(const char *args, PyObject *values, struct err *err)
{
	const char *end;
	PyObject *v;
	char *name, *text;
	size_t n;
	int ret = 0;

	while (ret == 0 && *args) {
		n = given_name(args);
		if (!n)
			return err_set(err, "missing values after 'with': NAME=EXPR, as in 'with n=3 x=torch.ones(4)'");
		name = mem_fmt("%.*s", (int)n, args);
		end = expr_end(args + n + 1, ' ');
		text = mem_fmt("%.*s", (int)(end - args - (ptrdiff_t)n - 1), args + n + 1);
		v = (PyObject *)host->eval(text, err);
		if (!v || PyDict_SetItemString(values, name, v) < 0)
			ret = -1;
		if ((!v || text[strlen(text) - 1] == ',') && parts_by_comma(text, *end != '\0'))
			ret = err_set(err, "values are separated by spaces, not by commas: NAME=EXPR NAME=EXPR, as "
					   "in 'with n=3 x=torch.ones(4)'");
		Py_XDECREF(v);
		free(text);
		free(name);
		args = end + strspn(end, " \t");
	}
	PyErr_Clear();
	return ret;
}
