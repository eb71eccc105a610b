/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the nodes of a stage from the text that torch's cache keeps of it: Python, one statement a node, with types as
   annotations and lines as comments.  Knows text and the model only. */
#include "observe/stage_text.h"
#include "observe/moved_lines.h"
#include "observe/statement.h"
#include "model/graph.h"
#include "model/ints.h"
#include "model/source_line.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 16 };

struct reading {
	struct moved_lines *lines;
	struct statement line;
	struct nodes *g; /* borrowed: of the class that is read */
	PyObject *index; /* owned: its names -> index */
	int spot;	 /* the line of the next nodes in g->spot, -1: none */
	int untyped;	 /* placeholders without a type, which begin the graph */
	struct {
		struct nodes *g;
		int indent;
	} class[CLASSES];
	int nclasses;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* ---- lines --------------------------------------------------------------------------------------------------- */

static void read_place(struct reading *r, const char *s, size_t n)
{
	const struct source_line *now = moved_lines_find(r->lines, s, n);

	r->spot = -1;
	if (!now)
		return;
	r->g->spot = mem_grow(r->g->spot, &r->g->spots_cap, (size_t)r->g->nspots + 1, sizeof(*r->g->spot));
	r->spot = r->g->nspots;
	r->g->spot[r->g->nspots++] = *now;
}

static void read_comment(void *arg, const char *s, size_t n)
{
	struct reading *r = arg;

	if (r->g && memmem(s, n, "File: ", 6))
		read_place(r, s, n);
	else if (memmem(s, n, "No stacktrace", 13))
		r->spot = -1;
}

/* ---- nodes --------------------------------------------------------------------------------------------------- */

/* A name's index in the graph so far; -1: no node has it. */
static int named_before(struct reading *r, const char *s, size_t len)
{
	PyObject *name = PyUnicode_FromStringAndSize(s, (Py_ssize_t)len);
	PyObject *at = name ? PyDict_GetItem(r->index, name) : NULL;
	int i = at ? (int)PyLong_AsLong(at) : -1;

	PyErr_Clear();
	Py_XDECREF(name);
	return i;
}

/* The nodes that the arguments name, and the arguments as the model writes them: "a, dim=1". */
static void read_call_args(struct reading *r, struct node *n, const char *s, size_t len)
{
	const char *p = s, *end = s + len, *word;
	struct buf out = { 0 };
	int i;

	while (p < end) {
		if (*p == '"' || *p == '\'') {
			for (word = p++; p < end && *p != *word; p += *p == '\\' ? 2 : 1)
				;
			p = p < end ? p + 1 : end;
			buf_add(&out, word, (size_t)(p - word));
		} else if (is_word(*p)) {
			for (word = p; p < end && (is_word(*p) || *p == '.'); p++)
				;
			i = named_before(r, word, (size_t)(p - word));
			if (i >= 0 && strncmp(p, " = ", 3))
				ints_add(&n->in, &n->nin, i);
			buf_add(&out, word, (size_t)(p - word));
		} else if (!strncmp(p, " = ", 3)) {
			buf_addc(&out, '=');
			p += 3;
		} else
			buf_addc(&out, *p++);
	}
	n->args = buf_detach(&out);
}

static void keep_read_node(struct reading *r, struct node *n)
{
	struct nodes *g = r->g;
	PyObject *at = PyLong_FromLong(g->n);

	n->args = n->args ? n->args : mem_str("");
	n->value = n->value ? n->value : mem_str("");
	n->user = -1;
	if (r->spot >= 0 && strcmp(n->op, "placeholder") && strcmp(n->op, "output")) {
		n->spot = r->spot;
		n->nspots = 1;
		n->user = source_line_inner(g->spot + n->spot, 1);
	}
	if (at)
		PyDict_SetItemString(r->index, n->name, at);
	PyErr_Clear();
	Py_XDECREF(at);
	g->node = mem_grow(g->node, &g->cap, (size_t)g->n + 1, sizeof(*g->node));
	g->node[g->n++] = *n;
}

/* Operators that torch prints as such. */
static bool read_operator(struct reading *r, struct node *n, const char *s)
{
	static const struct {
		const char *sign, *name;
	} all[] = {
		{ " + ", "add" }, { " - ", "sub" },  { " * ", "mul" }, { " // ", "floordiv" }, { " / ", "truediv" },
		{ " % ", "mod" }, { " ** ", "pow" }, { " == ", "eq" }, { " != ", "ne" },       { " <= ", "le" },
		{ " >= ", "ge" }, { " < ", "lt" },   { " > ", "gt" },  { " & ", "and_" },      { " | ", "or_" },
	};
	const char *at, *end = s + strlen(s);
	char *name;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		at = strstr(s, all[i].sign);
		if (!at)
			continue;
		name = mem_fmt("%.*s, %.*s", (int)(at - s), s, (int)(end - at - (long)strlen(all[i].sign)),
			       at + strlen(all[i].sign));
		read_call_args(r, n, name, strlen(name));
		free(name);
		name = mem_fmt("operator.%s", all[i].name);
		n->target = py_text_keep(name);
		free(name);
		return true;
	}
	return false;
}

/* "torch.ops.aten.mm.default" is called "aten.mm.default" in the model. */
static const char *target_text(const char *s, size_t n)
{
	static const char ops[] = "torch.ops.", higher[] = "torch.ops.higher_order.";
	char *text = mem_fmt("%.*s", (int)n, s);
	const char *kept = py_text_keep(
		!strncmp(text, ops, strlen(ops)) && strncmp(text, higher, strlen(higher)) ? text + strlen(ops) : text);

	free(text);
	return kept;
}

/* What a node computes. */
static void read_expression(struct reading *r, struct node *n, const char *s)
{
	size_t word = 0, len = strlen(s), dot;
	char *args;

	n->op = py_text_keep("call_function");
	while (is_word(s[word]) || s[word] == '.')
		word++;
	dot = strcspn(s, ".");
	if (!strncmp(s, "self.", 5) && word == len) {
		n->op = py_text_keep("get_attr");
		n->target = py_text_keep(s + 5);
	} else if (word && s[word] == '(' && s[len - 1] == ')') {
		n->target = target_text(s, word);
		if (dot < word && named_before(r, s, dot) >= 0) {
			n->op = py_text_keep("call_method");
			n->target = target_text(s + dot + 1, word - dot - 1);
			args = mem_fmt("%.*s%s%.*s", (int)dot, s, word + 2 < len ? ", " : "", (int)(len - word - 2),
				       s + word + 1);
			read_call_args(r, n, args, strlen(args));
			free(args);
		} else
			read_call_args(r, n, s + word + 1, len - word - 2);
	} else if (word && s[word] == '[' && s[len - 1] == ']') {
		n->target = py_text_keep("operator.getitem");
		args = mem_fmt("%.*s, %.*s", (int)word, s, (int)(len - word - 2), s + word + 1);
		read_call_args(r, n, args, strlen(args));
		free(args);
	} else if (!read_operator(r, n, s)) {
		n->target = py_text_keep("?");
		read_call_args(r, n, s, len);
	}
}

/* ---- statements ---------------------------------------------------------------------------------------------- */

/* The type in quotes at s, which ends where it does; NULL: there is none. */
static char *take_type(const char **s)
{
	const char *p = *s + strspn(*s, ": "), *end;

	if (**s != ':' || (*p != '"' && *p != '\''))
		return NULL;
	end = strchr(p + 1, *p);
	if (!end)
		return NULL;
	*s = end + 1;
	return mem_fmt("%.*s", (int)(end - p - 1), p + 1);
}

static void read_typed(struct node *n, const char **s)
{
	char *type = take_type(s);

	if (type)
		n->value = statement_type(type, &n->stride);
	free(type);
}

static void forget_untyped(struct reading *r)
{
	for (; r->untyped; r->untyped--) { /* "primals, tangents", whose parts follow */
		struct node *n = &r->g->node[--r->g->n];

		PyDict_DelItemString(r->index, n->name);
		free(n->name);
		free(n->args);
		free(n->value);
	}
	PyErr_Clear();
}

static void put_placeholder(struct reading *r, const char *name, size_t len, const char **rest)
{
	struct node n = { .name = mem_fmt("%.*s", (int)len, name), .op = py_text_keep("placeholder") };

	n.target = py_text_keep(n.name);
	read_typed(&n, rest);
	keep_read_node(r, &n);
}

/* "forward(self, a: "f32[2]", b):" */
static void read_parameters(struct reading *r, const char *s)
{
	const char *name;
	bool typed;

	for (s = strchr(s, '('); s && *s && *s != ')'; s += strcspn(s, ",)")) {
		s += strspn(s, "(, ");
		for (name = s; is_word(*s); s++)
			;
		if (s == name)
			break;
		if (s - name == 4 && !strncmp(name, "self", 4))
			continue;
		typed = *s == ':';
		put_placeholder(r, name, (size_t)(s - name), &s);
		r->untyped += !typed;
	}
}

/* One of the statements that are separated by ";". */
static void read_part(struct reading *r, char *s)
{
	struct node n = { 0 };
	size_t len, name;
	const char *rest;

	s += strspn(s, " ");
	len = strlen(s);
	for (name = 0; is_word(s[name]); name++)
		;
	rest = s + name;
	if (!name || (len > 7 && !strcmp(s + len - 7, " = None")))
		return; /* several names, or a value that dies */
	if (*rest == ':' && !strstr(rest, "\" = ")) {
		forget_untyped(r);
		put_placeholder(r, s, name, &rest);
		return;
	}
	n.name = mem_fmt("%.*s", (int)name, s);
	read_typed(&n, &rest);
	if (strncmp(rest, " = ", 3)) {
		free(n.name);
		free(n.value);
		free(n.stride);
		return;
	}
	read_expression(r, &n, rest + 3);
	keep_read_node(r, &n);
}

static void read_result(struct reading *r, const char *s)
{
	struct node n = { .name = mem_str("output"), .op = py_text_keep("output"), .target = py_text_keep("output") };
	const char *list = strstr(s, "tree_unflatten([");
	const char *end = list ? statement_group_end(list + 15) : NULL;

	if (list)
		read_call_args(r, &n, list + 15, (size_t)(end - list - 15));
	else
		read_call_args(r, &n, s, strlen(s));
	keep_read_node(r, &n);
}

/* "class NAME(torch.nn.Module):" begins a graph, or one inside of the class that is less indented. */
static void read_class(struct reading *r, const char *s)
{
	size_t len = strcspn(s, "(:");
	struct nodes *g;
	char *name;

	while (r->nclasses > 1 && r->class[r->nclasses - 1].indent >= r->line.indent)
		r->nclasses--;
	if (r->nclasses == CLASSES)
		return;
	g = mem_alloc(sizeof(*g));
	if (r->nclasses) {
		name = mem_fmt("%.*s", (int)len, s);
		graphs_add_sub(r->class[r->nclasses - 1].g, name, g);
		free(name);
	}
	r->class[r->nclasses].g = r->g = g;
	r->class[r->nclasses++].indent = r->line.indent;
	r->spot = -1;
	r->untyped = 0;
	PyDict_Clear(r->index);
}

static void read_statement(struct reading *r)
{
	char *s = r->line.text.s, *end = s, quote = '\0';

	if (!strncmp(s, "class ", 6)) {
		read_class(r, s + 6);
	} else if (!r->g) {
		return;
	} else if (!strncmp(s, "def ", 4)) {
		read_parameters(r, s);
	} else if (!strncmp(s, "return ", 7)) {
		read_result(r, s + 7);
	} else {
		for (; s; s = end) {
			for (end = s; *end && (quote || *end != ';'); end++)
				if (quote ? *end == quote : *end == '"' || *end == '\'')
					quote = quote ? '\0' : *end;
			end = *end ? (*end = '\0', end + 1) : NULL;
			read_part(r, s);
		}
	}
}

struct nodes *stage_text_read(const struct nodes *captured, const char *text)
{
	struct reading r = { .lines = moved_lines_new(captured, text),
			     .line = { .p = text, .comment = read_comment },
			     .spot = -1,
			     .index = PyDict_New() };
	struct nodes *g;

	r.line.arg = &r;
	while (r.index && statement_next(&r.line))
		read_statement(&r);
	PyErr_Clear();
	buf_release(&r.line.text);
	moved_lines_free(r.lines);
	Py_XDECREF(r.index);
	g = r.nclasses ? r.class[0].g : NULL;
	if (g && !g->n) {
		graphs_free(g);
		g = NULL;
	}
	return g;
}
