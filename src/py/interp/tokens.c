/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits source text into tokens, a letter for each byte. Runs tokenize of the standard library, inside a stop;
   after an error it continues with the next line. */
#include <Python.h>
#include "py/interp/host.h"
#include "py/interp/tokens.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

/* Decides where a soft keyword is a keyword, by CPython's grammar: a line that cannot be an expression is the
   statement. */

enum { SOFT_BLOCKS = 128 };

enum soft_token { SOFT_NAME, SOFT_KEYWORD, SOFT_OP, SOFT_OTHER, SOFT_NEWLINE, SOFT_INDENT, SOFT_DEDENT };

/* All zero at the start of a statement that begins in the first column. */
struct soft {
	int nth;	  /* tokens of this logical line */
	int depth;	  /* open brackets */
	bool match, type; /* the line may be such a statement: its first token is the word, and the second fits */
	bool colon;	  /* the last token was ':' outside of brackets */
	bool pattern;	  /* between case and its ':' or if */
	bool header;	  /* the previous logical line was the first of a match statement */
	bool block[SOFT_BLOCKS]; /* for each depth: is the block that of a match statement? */
	int nblocks;
};

/* The token that is known to be a keyword so far. */
enum soft_answer { SOFT_NONE, SOFT_THIS, SOFT_FIRST };

static bool in_match(const struct soft *s)
{
	return s->nblocks > 0 && s->nblocks <= SOFT_BLOCKS && s->block[s->nblocks - 1];
}

static enum soft_answer soft_end_line(struct soft *s)
{
	/* an expression or an annotation does not end with a colon */
	bool header = s->match && s->colon && s->nth > 2;

	if (s->nth)
		s->header = header;
	s->nth = s->depth = 0;
	s->match = s->type = s->colon = s->pattern = false;
	return header ? SOFT_FIRST : SOFT_NONE;
}

static enum soft_answer take_op(struct soft *s, const char *text)
{
	if (strchr("([{", *text))
		s->depth++;
	else if (strchr(")]}", *text) && s->depth > 0)
		s->depth--;
	s->colon = !s->depth && !strcmp(text, ":");
	if (s->colon)
		s->pattern = false;
	if (s->nth == 2 && (*text == ':' || *text == '.' || *text == '=' || *text == ','))
		s->match = false;
	return SOFT_NONE;
}

static enum soft_answer take_name(struct soft *s, const char *text, bool has_type)
{
	s->colon = false;
	if (s->nth == 1) {
		s->match = !strcmp(text, "match");
		s->type = has_type && !strcmp(text, "type");
		s->pattern = in_match(s) && !strcmp(text, "case");
		return s->pattern ? SOFT_THIS : SOFT_NONE;
	}
	if (s->nth == 2 && s->type)
		return SOFT_FIRST;
	return s->pattern && !strcmp(text, "_") ? SOFT_THIS : SOFT_NONE;
}

/* SOFT_FIRST: the first token of this logical line is one after all.  `has_type`: this Python has type statements. */
static enum soft_answer soft_take(struct soft *s, enum soft_token type, const char *text, bool has_type)
{
	switch (type) {
	case SOFT_NEWLINE:
		return soft_end_line(s);
	case SOFT_INDENT:
		if (s->nblocks < SOFT_BLOCKS)
			s->block[s->nblocks] = s->header;
		s->nblocks++;
		return SOFT_NONE;
	case SOFT_DEDENT:
		s->nblocks -= s->nblocks > 0;
		return SOFT_NONE;
	default:
		break;
	}
	s->nth++;
	if (type == SOFT_OP)
		return take_op(s, text);
	if (type == SOFT_NAME)
		return take_name(s, text, has_type);
	s->colon = false;
	if (type == SOFT_KEYWORD && !strcmp(text, "if") && !s->depth)
		s->pattern = false;
	return SOFT_NONE;
}

enum { TRIES = 50 };

struct span {
	Py_ssize_t line, column, end_line, end_column; /* lines from 1, counted from r->from */
};

struct reader {
	char *const *line;
	char **kind;
	int n, from; /* from: the line that tokenize calls 1 */
	bool bytes;  /* columns count bytes: the text is not UTF-8 */
	int clean;   /* the last line at which a statement begins in the first column */
	/* what came before */
	bool fresh; /* nothing in this logical line */
	bool defines, decorates, dotted;
	struct soft soft;
	struct span first; /* the first token of this logical line */
	bool has_type;	   /* type is a soft keyword */
	/* owned */
	PyObject *keywords, *builtins;
	long name, number, string, comment, op, newline, nl, indent, dedent, fstring[3];
};

static long constant(PyObject *module, const char *name)
{
	PyObject *v = PyObject_GetAttrString(module, name);
	long n = v && PyLong_Check(v) ? PyLong_AsLong(v) : -1;

	PyErr_Clear(); /* other versions have other tokens */
	Py_XDECREF(v);
	return n;
}

static void learn_tokens(struct reader *r, PyObject *tokenize)
{
	static const char *const parts[] = { "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END" };
	PyObject *keyword = PyImport_ImportModuleLevel("keyword", NULL, NULL, NULL, 0);
	PyObject *list = keyword ? PyObject_GetAttrString(keyword, "kwlist") : NULL;
	PyObject *soft = keyword ? PyObject_GetAttrString(keyword, "softkwlist") : NULL;
	PyObject *type = PyUnicode_FromString("type");
	int i;

	r->name = constant(tokenize, "NAME");
	r->number = constant(tokenize, "NUMBER");
	r->string = constant(tokenize, "STRING");
	r->comment = constant(tokenize, "COMMENT");
	r->op = constant(tokenize, "OP");
	r->newline = constant(tokenize, "NEWLINE");
	r->nl = constant(tokenize, "NL");
	r->indent = constant(tokenize, "INDENT");
	r->dedent = constant(tokenize, "DEDENT");
	for (i = 0; i < 3; i++)
		r->fstring[i] = constant(tokenize, parts[i]);
	r->keywords = list ? PyFrozenSet_New(list) : NULL;
	r->builtins = Py_XNewRef((PyObject *)host_builtins());
	r->has_type = soft && type && PySequence_Contains(soft, type) > 0;
	PyErr_Clear();
	Py_XDECREF(type);
	Py_XDECREF(soft);
	Py_XDECREF(list);
	Py_XDECREF(keyword);
}

/* ---- marks ---------------------------------------------------------------------------------------- */

/* The byte at which character `column` of a line begins. */
static size_t byte_at(const struct reader *r, const char *s, Py_ssize_t column)
{
	size_t i = 0, n = strlen(s);

	if (r->bytes)
		return (size_t)column < n ? (size_t)column : n;
	while (i < n && column-- > 0)
		for (i++; i < n && ((unsigned char)s[i] & 0xc0) == 0x80; i++)
			;
	return i;
}

/* Marks bytes a..b of line i as this kind. */
static void mark_bytes(struct reader *r, int i, size_t a, size_t b, enum token_kind kind)
{
	size_t n;

	if (i < 0 || i >= r->n || a >= b)
		return;
	if (!r->kind[i]) {
		n = strlen(r->line[i]);
		r->kind[i] = mem_alloc(n + 1);
		memset(r->kind[i], TOKEN_NONE, n);
	}
	memset(r->kind[i] + a, kind, b - a);
}

static void mark(struct reader *r, const struct span *s, enum token_kind kind)
{
	Py_ssize_t k;

	for (k = s->line; k <= s->end_line && r->from + k - 1 < r->n; k++) {
		int i = r->from + (int)k - 1;
		size_t a = k == s->line ? byte_at(r, r->line[i], s->column) : 0;
		size_t b = k == s->end_line ? byte_at(r, r->line[i], s->end_column) : strlen(r->line[i]);

		mark_bytes(r, i, a, b, kind);
	}
}

/* ---- tokens --------------------------------------------------------------------------------------- */

static bool token_position(PyObject *pair, Py_ssize_t *line, Py_ssize_t *column)
{
	if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2)
		return false;
	*line = PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 0));
	*column = PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 1));
	return *line > 0 && *column >= 0;
}

static enum token_kind name_kind(struct reader *r, PyObject *text)
{
	bool defines = r->defines, dotted = r->dotted;

	r->defines = r->dotted = false;
	if (r->decorates)
		return TOKEN_DECORATOR;
	if (r->keywords && PySet_Contains(r->keywords, text) > 0) {
		r->defines = !PyUnicode_CompareWithASCIIString(text, "def") ||
			     !PyUnicode_CompareWithASCIIString(text, "class");
		return dotted ? TOKEN_NONE : TOKEN_KEYWORD;
	}
	if (defines)
		return TOKEN_DEFINED;
	if (!dotted && r->builtins && PyDict_Contains(r->builtins, text) > 0)
		return TOKEN_BUILTIN;
	return TOKEN_NONE;
}

static enum token_kind op_kind(struct reader *r, PyObject *text)
{
	bool dot = !PyUnicode_CompareWithASCIIString(text, "."), at = !PyUnicode_CompareWithASCIIString(text, "@");

	r->dotted = dot;
	r->defines = false;
	r->decorates = (at && r->fresh) || (dot && r->decorates);
	return at && r->fresh ? TOKEN_DECORATOR : dot && r->decorates ? TOKEN_DECORATOR : TOKEN_NONE;
}

/* The kind of a token, which may be a soft keyword. */
static enum token_kind soft_kind(struct reader *r, long type, PyObject *text, const struct span *at,
				 enum token_kind kind)
{
	enum soft_token soft = type == r->name ? kind == TOKEN_KEYWORD ? SOFT_KEYWORD : SOFT_NAME :
			       type == r->op   ? SOFT_OP :
						 SOFT_OTHER;
	const char *s = PyUnicode_AsUTF8(text);
	enum soft_answer answer;

	if (!s)
		PyErr_Clear();
	if (!r->soft.nth)
		r->first = *at;
	answer = soft_take(&r->soft, soft, s ? s : "", r->has_type);
	if (answer == SOFT_FIRST) { /* the name of a type statement */
		mark(r, &r->first, TOKEN_KEYWORD);
		return TOKEN_DEFINED;
	}
	return answer == SOFT_THIS ? TOKEN_KEYWORD : kind;
}

/* The end of a line or a block. */
static void soft_between(struct reader *r, long type)
{
	enum soft_answer answer = SOFT_NONE;

	if (type != r->nl)
		answer = soft_take(&r->soft,
				   type == r->newline ? SOFT_NEWLINE :
				   type == r->indent  ? SOFT_INDENT :
							SOFT_DEDENT,
				   "", r->has_type);
	if (answer == SOFT_FIRST)
		mark(r, &r->first, TOKEN_KEYWORD);
}

/* One token; false: there is none. */
static bool take_token(struct reader *r, PyObject *token)
{
	struct span s;
	PyObject *text;
	enum token_kind kind = TOKEN_NONE;
	long type;

	if (!PyTuple_Check(token) || PyTuple_GET_SIZE(token) < 4 || !PyUnicode_Check(PyTuple_GET_ITEM(token, 1)) ||
	    !token_position(PyTuple_GET_ITEM(token, 2), &s.line, &s.column) ||
	    !token_position(PyTuple_GET_ITEM(token, 3), &s.end_line, &s.end_column))
		return false;
	type = PyLong_AsLong(PyTuple_GET_ITEM(token, 0));
	text = PyTuple_GET_ITEM(token, 1);
	if (type == r->newline || type == r->nl || type == r->indent || type == r->dedent) {
		if (type == r->newline)
			r->fresh = true;
		r->defines = r->dotted = r->decorates = false;
		soft_between(r, type);
		return true;
	}
	if (r->fresh && s.column == 0)
		r->clean = r->from + (int)s.line - 1;
	if (type == r->name)
		kind = name_kind(r, text);
	else if (type == r->op)
		kind = op_kind(r, text);
	else if (type == r->string || type == r->fstring[0] || type == r->fstring[1] || type == r->fstring[2])
		kind = TOKEN_STRING;
	else if (type == r->number)
		kind = TOKEN_NUMBER;
	else if (type == r->comment)
		kind = TOKEN_COMMENT;
	if (type != r->comment) {
		r->fresh = false;
		kind = soft_kind(r, type, text, &s, kind);
	}
	if (kind != TOKEN_NONE)
		mark(r, &s, kind);
	return true;
}

/* An iterator of the tokens from r->from on; NULL with an exception. */
static PyObject *begin_tokens(struct reader *r, PyObject *tokenize)
{
	struct buf text = { 0 };
	/* owned */
	PyObject *whole, *io = PyImport_ImportModuleLevel("_io", NULL, NULL, NULL, 0), *file = NULL, *read = NULL,
			 *tokens = NULL;
	int i;

	for (i = r->from; i < r->n; i++)
		buf_addf(&text, "%s\n", r->line[i]);
	whole = PyUnicode_DecodeUTF8(buf_str(&text), (Py_ssize_t)text.len, NULL);
	r->bytes = !whole;
	if (!whole) {
		PyErr_Clear();
		whole = PyUnicode_DecodeLatin1(buf_str(&text), (Py_ssize_t)text.len, NULL);
	}
	file = whole && io ? PyObject_CallMethod(io, "StringIO", "O", whole) : NULL;
	read = file ? PyObject_GetAttrString(file, "readline") : NULL;
	tokens = read ? PyObject_CallMethod(tokenize, "generate_tokens", "O", read) : NULL;
	if (tokens && !PyIter_Check(tokens))
		Py_CLEAR(tokens);
	Py_XDECREF(read);
	Py_XDECREF(file);
	Py_XDECREF(whole);
	Py_XDECREF(io);
	buf_release(&text);
	return tokens;
}

/* Reads tokens from r->from; returns the line to continue from, or r->n. */
static int read_tokens(struct reader *r, PyObject *tokenize, int upto)
{
	PyObject *tokens, *token;
	int seen = r->from, next;

	r->fresh = true;
	r->defines = r->decorates = r->dotted = false;
	memset(&r->soft, 0, sizeof(r->soft));
	r->clean = r->from;
	tokens = begin_tokens(r, tokenize);
	if (!tokens)
		return r->n;
	while ((token = PyIter_Next(tokens))) {
		Py_ssize_t line = 0, column;

		if (take_token(r, token) && token_position(PyTuple_GET_ITEM(token, 3), &line, &column))
			seen = r->from + (int)line - 1;
		Py_DECREF(token);
		if (PyErr_Occurred() || r->clean > upto)
			break;
	}
	/* an unclosed bracket or text is an error at the end only: earlier tokens stay */
	next = r->clean > upto ? r->clean : PyErr_Occurred() ? seen + 1 : r->n;
	PyErr_Clear();
	Py_DECREF(tokens);
	return next;
}

int tokens_read(char *const *line, int n, int from, int upto, char **kind)
{
	struct reader r = { .line = line, .kind = kind, .n = n, .from = from };
	PyObject *type, *exc, *tb, *tokenize;
	int tries;

	PyErr_Fetch(&type, &exc, &tb);
	tokenize = PyImport_ImportModuleLevel("tokenize", NULL, NULL, NULL, 0);
	if (tokenize)
		learn_tokens(&r, tokenize);
	for (tries = 0; r.from <= upto && r.from < n; tries++)
		r.from = tokenize && tries < TRIES ? read_tokens(&r, tokenize, upto) : n;
	PyErr_Clear();
	Py_XDECREF(r.keywords);
	Py_XDECREF(r.builtins);
	Py_XDECREF(tokenize);
	PyErr_Restore(type, exc, tb);
	return r.from;
}
