/* SPDX-License-Identifier: BSD-3-Clause */
/* Long lines of the text that is read: a statement continues on more lines, and a docstring has its own.  Knows
   characters only, no expression. */
#include <Python.h>
#include <string.h>
#include "py/decompile/text/print.h"

enum {
	WIDTH = 100,   /* columns of a line */
	DEEPEST = 100, /* brackets within brackets: print_expression() goes no deeper */
	MOST = 20000,  /* longer lines stay as they are: nobody reads them to their end */
	NEAR = 40,     /* lines are aligned with an opening bracket up to this column */
	FAR = 60,      /* and up to this one, if what is left in the bracket fits one line there */
};

void scan_step(struct scan *x)
{
	const char c = *x->s++;
	const bool three = x->s[0] == c && x->s[0] && x->s[1] == c;

	if (c == '\n') {
		x->comment = false;
	} else if (x->quote) {
		if (c == '\\' && *x->s) {
			x->s++;
		} else if (c == x->quote && (three || !x->triple)) {
			x->quote = '\0';
			x->s += x->triple ? 2 : 0;
		}
	} else if (c == '\'' || c == '"') {
		x->quote = x->comment ? '\0' : c;
		x->triple = three;
		x->s += three && !x->comment ? 2 : 0;
	} else if (c == '#') {
		x->comment = true;
	} else if (!x->comment) {
		x->deep += strchr("([{", c) ? 1 : strchr(")]}", c) ? -1 : 0;
	}
}

/* Where a scan of a line is: in which brackets, by the column after each. */
struct wrap_state {
	struct scan at;
	const char *text; /* the line */
	size_t column, within[DEEPEST];
	bool comprehension[DEEPEST]; /* its commas are of targets */
	bool lambda[DEEPEST];	     /* its commas are of parameters */
	bool hung[DEEPEST];	     /* `within` is no longer the column after it */
};

static bool follows(const struct wrap_state *w, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(w->at.s - w->text) >= n && !strncmp(w->at.s - n, word, n);
}

/* One character.  false: too many brackets, or one that closes none. */
static bool wrap_step(struct wrap_state *w)
{
	const char *s = w->at.s;
	const int deep = w->at.deep;
	uint32_t c;

	if (deep < 0 || deep == DEEPEST)
		return false;
	if (!w->at.quote && deep && (!strncmp(s, " for ", 5) || !strncmp(s, " async for ", 11)))
		w->comprehension[deep - 1] = true;
	if (!w->at.quote && deep && follows(w, "lambda "))
		w->lambda[deep - 1] = true;
	else if (!w->at.quote && deep && *s == ':')
		w->lambda[deep - 1] = false;
	if (((unsigned char)*s & 0xc0) != 0x80) { /* the first byte of a character */
		text_decode(s, &c);
		w->column += text_char_width(c);
	}
	scan_step(&w->at);
	w->column += (size_t)(w->at.s - s) - 1;
	if (w->at.deep > deep) {
		w->comprehension[deep] = w->lambda[deep] = w->hung[deep] = false;
		w->within[deep] = w->column;
	}
	return true;
}

/* After a comma, or before `for` and `if` of a comprehension. */
static bool wrap_may_break(const struct wrap_state *w)
{
	const char *s = w->at.s;

	if (w->at.deep <= 0 || w->at.quote || w->lambda[w->at.deep - 1])
		return false;
	if (!w->comprehension[w->at.deep - 1])
		return follows(w, ", ");
	return follows(w, " ") && (!strncmp(s, "async for ", 10) || !strncmp(s, "if ", 3) ||
				   (!strncmp(s, "for ", 4) && !follows(w, "async ")));
}

/* The end of the line that begins at w, in as few brackets as possible if that leaves no line half empty; else the last
   that fits, else the first.  NULL: there is none, or the line fits. */
static const char *wrap_end(struct wrap_state w)
{
	const size_t half = (w.column + WIDTH) / 2;
	const char *found = NULL;
	size_t at = 0;
	int deep = 0;

	while (*w.at.s && (w.column <= WIDTH || !found)) {
		if (!wrap_step(&w))
			return NULL;
		if (wrap_may_break(&w) && (!found || (w.column - 1 <= WIDTH && (w.at.deep <= deep || at < half)))) {
			found = w.at.s;
			at = w.column;
			deep = w.at.deep;
		}
	}
	return *w.at.s || w.column > WIDTH ? found : NULL;
}

/* Does what is left in the bracket fit one line that begins at this column? */
static bool rest_fits(struct wrap_state w, size_t column)
{
	const int deep = w.at.deep;

	for (w.column = column; *w.at.s && w.at.deep >= deep && w.column <= WIDTH;)
		if (!wrap_step(&w))
			return false;
	return w.column <= WIDTH;
}

/* The column of the next line: that after the bracket, or where that leaves little room, and so for all lines in this
   bracket, one near the beginning of the statement. */
static size_t wrap_indent(struct wrap_state *w, size_t indent)
{
	const int k = w->at.deep - 1;

	if (!w->hung[k] && w->within[k] > NEAR && (w->within[k] > FAR || !rest_fits(*w, w->within[k]))) {
		w->within[k] = k && w->hung[k - 1] ? w->within[k - 1] + 4 : indent + 8;
		w->hung[k] = true;
	}
	return w->within[k];
}

int long_line_wrap(struct buf *out)
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
	w.text = w.at.s = text;
	out->len = begin;
	while (text[indent] != '#' && (end = wrap_end(w)) != NULL) {
		buf_add(out, w.at.s, (size_t)(end - w.at.s) - 1);
		buf_addc(out, '\n');
		while (w.at.s < end)
			wrap_step(&w);
		w.column = wrap_indent(&w, indent);
		buf_pad(out, w.column, out->len);
		more++;
	}
	buf_adds(out, w.at.s);
	free(text);
	return more;
}

/* ---- docstrings --------------------------------------------------------------------------------- */

/* Can this be written between triple quotes, so that compiling it gives the same text again? */
static bool fits_quotes(PyObject *doc)
{
	const char *s = PyUnicode_AsUTF8(doc), *line;
	const Py_ssize_t n = PyUnicode_GET_LENGTH(doc);
	Py_ssize_t i;

	PyErr_Clear();
	if (!s || !*s || strstr(s, "\"\"\"") || strchr(s, '\\') || s[strlen(s) - 1] == '"')
		return false;
	for (i = 0; i < n; i++)
		if (PyUnicode_READ_CHAR(doc, i) != '\n' && !Py_UNICODE_ISPRINTABLE(PyUnicode_READ_CHAR(doc, i)))
			return false;
	if (!literal_doc_margin_goes())
		return true;
	for (line = strchr(s, '\n'); line; line = strchr(line + 1, '\n')) /* CPython removes spaces of an empty line */
		if (line[1] == ' ' && strspn(line + 1, " ") == strcspn(line + 1, "\n"))
			return false;
	return true;
}

bool long_line_docstring(struct printer *p, PyObject *doc)
{
	const char *s, *end;

	if (p->whole || !fits_quotes(doc))
		return false;
	statement_line_begin(p);
	buf_adds(p->out, "\"\"\"");
	for (s = PyUnicode_AsUTF8(doc); (end = strchr(s, '\n')) != NULL; s = end + 1) {
		buf_add(p->out, s, (size_t)(end - s));
		statement_line_as_is(p, -1, -1);
		if (literal_doc_margin_goes() && end[1] != '\n')
			statement_line_begin(p);
	}
	buf_addf(p->out, "%s\"\"\"", s);
	statement_line_as_is(p, -1, -1);
	return true;
}
