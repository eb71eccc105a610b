/* SPDX-License-Identifier: BSD-3-Clause */
/* Long lines of the text that is read: a statement continues on more lines, and a docstring has its own.  Knows
   characters only, no expression. */
#include <Python.h>
#include <string.h>
#include "py/decompile/dec_print.h"

enum {
	WIDTH = 100,   /* columns of a line */
	DEEPEST = 100, /* brackets within brackets: print_expression() goes no deeper */
	MOST = 20000,  /* longer lines stay as they are: nobody reads them to their end */
	FAR = 60,      /* lines are aligned with an opening bracket up to this column */
};

/* Where a scan is: in what brackets, by the column after each, and in what string. */
struct wrap_state {
	const char *text, *s; /* the line and where it is in it */
	size_t column;
	char quote; /* 0: in none */
	int n;
	size_t within[DEEPEST];
	bool comprehension[DEEPEST]; /* its commas are of targets */
};

/* One character.  false: too many brackets. */
static bool wrap_step(struct wrap_state *w)
{
	uint32_t c;
	size_t n = text_next(w->s, strlen(w->s), &c);

	w->column += text_char_width(c);
	if (w->quote) {
		if (*w->s == '\\' && w->s[1]) {
			w->column++;
			n++;
		} else if (*w->s == w->quote) {
			w->quote = '\0';
		}
	} else if (*w->s == '\'' || *w->s == '"') {
		w->quote = *w->s;
	} else if (strchr("([{", *w->s)) {
		if (w->n == DEEPEST)
			return false;
		w->comprehension[w->n] = false;
		w->within[w->n++] = w->column;
	} else if (strchr(")]}", *w->s) && w->n) {
		w->n--;
	} else if (w->n && (!strncmp(w->s, " for ", 5) || !strncmp(w->s, " async for ", 11))) {
		w->comprehension[w->n - 1] = true;
	}
	w->s += n;
	return true;
}

static bool follows(const struct wrap_state *w, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(w->s - w->text) >= n && !strncmp(w->s - n, word, n);
}

/* After a comma, or before `for` and `if` of a comprehension. */
static bool wrap_may_break(const struct wrap_state *w)
{
	if (!w->n || w->quote)
		return false;
	if (!w->comprehension[w->n - 1])
		return follows(w, ", ");
	return follows(w, " ") && (!strncmp(w->s, "async for ", 10) || !strncmp(w->s, "if ", 3) ||
				   (!strncmp(w->s, "for ", 4) && !follows(w, "async ")));
}

/* The end of the line that begins at w, in as few brackets as possible if that leaves no line half empty; else the last
   that fits, else the first.  NULL: there is none, or the line fits. */
static const char *wrap_end(struct wrap_state w)
{
	const size_t half = (w.column + WIDTH) / 2;
	const char *found = NULL;
	size_t at = 0;
	int n = 0;

	while (*w.s && (w.column <= WIDTH || !found)) {
		if (!wrap_step(&w))
			return NULL;
		if (wrap_may_break(&w) && (!found || (w.column - 1 <= WIDTH && (w.n <= n || at < half)))) {
			found = w.s;
			at = w.column;
			n = w.n;
		}
	}
	return *w.s || w.column > WIDTH ? found : NULL;
}

/* The column of the next line. */
static size_t wrap_indent(const struct wrap_state *w, size_t indent)
{
	return w->within[w->n - 1] <= FAR ? w->within[w->n - 1] : indent + 8;
}

int line_wrap(struct buf *out)
{
	size_t begin = out->len, indent;
	struct wrap_state w = { 0 };
	const char *end;
	char *text;
	int more = 0;

	while (begin && out->s[begin - 1] != '\n')
		begin--;
	if (out->len - begin <= WIDTH || out->len - begin > MOST)
		return 0;
	text = mem_strn(out->s + begin, out->len - begin);
	indent = strspn(text, " ");
	w.text = w.s = text;
	out->len = begin;
	while (text[indent] != '#' && (end = wrap_end(w)) != NULL) {
		buf_add(out, w.s, (size_t)(end - w.s) - 1);
		buf_addc(out, '\n');
		while (w.s < end)
			wrap_step(&w);
		w.column = wrap_indent(&w, indent);
		buf_pad(out, w.column, out->len);
		more++;
	}
	buf_adds(out, w.s);
	free(text);
	return more;
}

/* ---- docstrings ---------------------------------------------------------------------------------- */

/* Can this be written in lines between triple quotes, so that compiling it gives the same text again? */
static bool fits_quotes(PyObject *doc)
{
	const char *s = PyUnicode_AsUTF8(doc), *line;
	const Py_ssize_t n = PyUnicode_GET_LENGTH(doc);
	Py_ssize_t i;

	PyErr_Clear();
	if (!s || !strchr(s, '\n') || strstr(s, "\"\"\"") || strchr(s, '\\') || s[strlen(s) - 1] == '"')
		return false;
	for (i = 0; i < n; i++)
		if (PyUnicode_READ_CHAR(doc, i) != '\n' && !Py_UNICODE_ISPRINTABLE(PyUnicode_READ_CHAR(doc, i)))
			return false;
	if (!doc_margin_goes())
		return true;
	for (line = strchr(s, '\n'); line; line = strchr(line + 1, '\n')) /* CPython removes spaces of an empty line */
		if (line[1] == ' ' && strspn(line + 1, " ") == strcspn(line + 1, "\n"))
			return false;
	return true;
}

bool line_docstring(struct printer *p, PyObject *doc)
{
	const char *s, *end;

	if (p->whole || !fits_quotes(doc))
		return false;
	line_begin(p);
	buf_adds(p->out, "\"\"\"");
	for (s = PyUnicode_AsUTF8(doc); (end = strchr(s, '\n')) != NULL; s = end + 1) {
		buf_add(p->out, s, (size_t)(end - s));
		line_as_is(p, -1, -1);
		if (doc_margin_goes() && end[1] != '\n')
			line_begin(p);
	}
	buf_addf(p->out, "%s\"\"\"", s);
	line_as_is(p, -1, -1);
	return true;
}
