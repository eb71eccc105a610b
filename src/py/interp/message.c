/* SPDX-License-Identifier: BSD-3-Clause */
/* The message of a logpoint: see message.h.  Each expression is compiled alone, so that quotes and backslashes in it
   mean on every version what they mean in Python. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/interp/message.h"
#include "py/value/value.h"

enum { SPECS_DEEP = 2 }; /* {x:{width}}, as in Python */

struct piece {
	char *text;	      /* before the expression, or after the last one */
	struct expr *e;	      /* NULL: no expression follows */
	char conversion;      /* 'r', 's', 'a', or 0 */
	struct message *spec; /* NULL: none */
};

struct message {
	int users;
	char *text;
	struct piece *piece;
	size_t n, cap;
};

/* ---- parsing ----------------------------------------------------------------------------------------------- */

static const char *after_string(const char *p)
{
	char quote = *p;
	bool triple = p[1] == quote && p[2] == quote;

	for (p += triple ? 3 : 1; *p; p += *p == '\\' && p[1] ? 2 : 1) {
		if (*p != quote)
			continue;
		if (!triple)
			return p + 1;
		if (p[1] == quote && p[2] == quote)
			return p + 3;
	}
	return p;
}

/* Is this the `=` of {x = }, and not part of an operator? */
static bool shows_itself(const char *from, const char *p)
{
	const char *next = p + 1 + strspn(p + 1, " \t");

	return *p == '=' && p > from && !strchr("=!<>", p[-1]) && *next && strchr("}!:", *next);
}

/* Where the expression that begins here ends: at `}`, `!`, `:`, the `=` of {x=}, or the end of the text. */
static const char *expression_end(const char *from)
{
	const char *p = from;
	int deep = 0;

	while (*p) {
		if (*p == '\'' || *p == '"') {
			p = after_string(p);
			continue;
		}
		if (!deep && (*p == '}' || *p == ':' || (*p == '!' && p[1] != '=') || shows_itself(from, p)))
			return p;
		if (strchr("([{", *p))
			deep++;
		else if (strchr(")]}", *p) && deep)
			deep--;
		p += *p == '!' && p[1] == '=' ? 2 : 1;
	}
	return p;
}

static struct piece *add_piece(struct message *m, struct buf *text)
{
	m->piece = mem_grow(m->piece, &m->cap, m->n + 1, sizeof(*m->piece));
	m->piece[m->n] = (struct piece){ .text = mem_str(buf_str(text)) };
	buf_reset(text);
	return &m->piece[m->n++];
}

static struct message *parse(const char **text, int deep, struct err *err);

/* !r, then :SPEC, then the brace. */
static int parse_form(struct piece *piece, const char **text, int deep, struct err *err)
{
	const char *p = *text;

	if (*p == '!') {
		if (!p[1] || !strchr("rsa", p[1]))
			return err_set(err, "unknown conversion '!%.1s' in the message: !r, !s and !a are known",
				       p + 1);
		piece->conversion = p[1];
		p += 2;
	}
	if (*p == ':') {
		if (deep == SPECS_DEEP)
			return err_set(err, "a format in a format in a format in the message: one is allowed");
		p++;
		piece->spec = parse(&p, deep + 1, err);
		if (!piece->spec)
			return -1;
	}
	if (*p != '}')
		return err_set(err, "missing '}' in the message at '%.20s': '{{' is a brace", *text);
	*text = p + 1;
	return 0;
}

/* From the character after the brace; text: what comes before it. */
static int parse_expression(struct message *m, struct buf *text, const char **at, int deep, struct err *err)
{
	const char *from = *at, *p = expression_end(from), *end = p;
	struct piece *piece;
	char *expr;

	if (!*p)
		return err_set(err, "missing '}' in the message after '{%.20s': '{{' is a brace", from);
	if (*p == '=') {
		p += 1 + strspn(p + 1, " \t");
		buf_add(text, from, (size_t)(p - from));
	}
	piece = add_piece(m, text);
	if (*end == '=' && *p == '}') /* {x=} is {x=!r} */
		piece->conversion = 'r';
	expr = mem_strn(from, (size_t)(end - from));
	piece->e = expr_new(expr, err);
	free(expr);
	*at = p;
	return piece->e ? parse_form(piece, at, deep, err) : -1;
}

/* deep: 0: all of the text; else a format, up to its brace. */
static struct message *parse(const char **at, int deep, struct err *err)
{
	struct message *m = mem_alloc(sizeof(*m));
	struct buf text = { 0 };
	const char *p = *at;
	int rc = 0;

	m->users = 1;
	while (*p && rc == 0) {
		if (*p == '}' && deep)
			break;
		if ((*p == '{' || *p == '}') && p[1] == *p) {
			buf_addc(&text, *p);
			p += 2;
		} else if (*p == '{') {
			p++;
			rc = parse_expression(m, &text, &p, deep, err);
		} else if (*p == '}') {
			rc = err_set(err, "a single '}' in the message: write '}}'");
		} else {
			buf_addc(&text, *p++);
		}
	}
	add_piece(m, &text);
	buf_release(&text);
	*at = p;
	if (rc == 0)
		return m;
	message_unref(m);
	return NULL;
}

struct message *message_new(const char *text, struct err *err)
{
	const char *p = text;
	struct message *m = parse(&p, 0, err);

	if (m)
		m->text = mem_str(text);
	return m;
}

struct message *message_ref(struct message *m)
{
	if (m)
		m->users++;
	return m;
}

void message_unref(struct message *m)
{
	size_t i;

	if (!m || --m->users)
		return;
	for (i = 0; i < m->n; i++) {
		free(m->piece[i].text);
		expr_unref(m->piece[i].e);
		message_unref(m->piece[i].spec);
	}
	free(m->piece);
	free(m->text);
	free(m);
}

const char *message_text(const struct message *m)
{
	return m->text;
}

/* ---- values --------------------------------------------------------------------------------------------------- */

/* A container whose str is its repr, which is not walked further than needed. */
static bool is_container(PyObject *v)
{
	return PyList_CheckExact(v) || PyTuple_CheckExact(v) || PyDict_CheckExact(v) || PySet_CheckExact(v);
}

static PyObject *formatted(PyObject *v, char conversion, const char *spec)
{
	PyObject *text = NULL, *how, *done;

	if (conversion)
		text = conversion == 'r' ? PyObject_Repr(v) : conversion == 'a' ? PyObject_ASCII(v) : PyObject_Str(v);
	if (conversion && !text)
		return NULL;
	how = PyUnicode_FromString(spec);
	done = how ? PyObject_Format(text ? text : v, how) : NULL;
	Py_XDECREF(how);
	Py_XDECREF(text);
	return done;
}

static int put_value(PyObject *v, char conversion, const char *spec, size_t max, struct buf *out, struct err *err)
{
	PyObject *type, *value, *tb, *text;
	struct buf all = { 0 };
	bool cut = false;
	int rc = 0;

	if (!*spec && (conversion == 'r' || (conversion != 'a' && is_container(v)))) {
		rc = value_repr((struct py_obj *)v, &all, max, &cut, err);
	} else {
		PyErr_Fetch(&type, &value, &tb);
		text = formatted(v, conversion, spec);
		if (text)
			cut = !value_text((struct py_obj *)text, &all, max);
		else
			rc = err_from_python(err, NULL);
		Py_XDECREF(text);
		PyErr_Restore(type, value, tb);
	}
	if (rc == 0)
		buf_addf(out, "%s%s", buf_str(&all), cut ? "..." : "");
	buf_release(&all);
	return rc;
}

static void put_piece(const struct piece *p, const struct scope *sc, size_t max, struct buf *out,
		      void (*explain)(void *arg, struct err *err), void *arg)
{
	struct err err = { "" };
	struct py_obj *v = expr_eval(p->e, sc, &err);
	struct buf spec = { 0 };

	if (v && p->spec)
		message_add(p->spec, sc, max, &spec, explain, arg);
	if (!v || put_value((PyObject *)v, p->conversion, buf_str(&spec), max, out, &err) < 0) {
		if (explain)
			explain(arg, &err);
		buf_addf(out, "<%s>", err.text);
	}
	buf_release(&spec);
	py_unref(v);
}

void message_add(const struct message *m, const struct scope *sc, size_t max, struct buf *out,
		 void (*explain)(void *arg, struct err *err), void *arg)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		buf_adds(out, m->piece[i].text);
		if (m->piece[i].e)
			put_piece(&m->piece[i], sc, max, out, explain, arg);
	}
}

/* ---- as a command line has it ---------------------------------------------------------------------------------- */

/* The end of the expression with its braces that begins here; NULL: none begins. */
static const char *after_braces(const char *p)
{
	const char *end = p;
	int deep = 0;

	if (*p != '{' || p[1] == '{')
		return NULL;
	do {
		if (*end == '\'' || *end == '"') {
			end = after_string(end);
			continue;
		}
		deep += (*end == '{') - (*end == '}');
		end++;
	} while (deep && *end);
	return deep ? NULL : end;
}

void message_quote(const char *text, struct buf *out)
{
	const char *end;

	buf_addc(out, '"');
	while (*text) {
		end = after_braces(text);
		if (end) {
			buf_add(out, text, (size_t)(end - text));
			text = end;
			continue;
		}
		if (*text == '{') /* of "{{" */
			buf_addc(out, *text++);
		if (*text == '\n' || *text == '\t')
			buf_adds(out, *text == '\n' ? "\\n" : "\\t");
		else
			buf_addf(out, "%s%c", strchr("\"\\", *text) ? "\\" : "", *text);
		text++;
	}
	buf_addc(out, '"');
}

char *message_unquote(const char *typed)
{
	size_t n = strlen(typed);
	const char *p = typed + 1, *last = typed + n - 1, *end;
	struct buf out = { 0 };

	if (n < 2 || (*typed != '"' && *typed != '\'') || *last != *typed)
		return mem_str(typed);
	while (p < last) {
		end = after_braces(p);
		if (end && end <= last) {
			buf_add(&out, p, (size_t)(end - p));
			p = end;
			continue;
		}
		if (*p == '{' && p + 1 < last)
			buf_addc(&out, *p++);
		if (*p == '\\' && p + 1 < last && strchr("\"'\\nt", p[1])) {
			p++;
			buf_addc(&out, *p == 'n' ? '\n' : *p == 't' ? '\t' : *p);
		} else {
			buf_addc(&out, *p);
		}
		p++;
	}
	return buf_detach(&out);
}
