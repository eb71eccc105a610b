/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines that Dynamo evaluates while it compiles, of the function and of all that it inlines: a line that puts
   nothing into a graph leaves no other trace.  Changes nothing; knows no breakpoint and no region. */
#include "dynamo.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 100000 };                /* of one code object; what lies behind is not noted */

void evaluated_free(struct evaluated *v)
{
	struct evaluated *next;

	for (; v; v = next) {
		next = v->next;
		free(v->bits);
		free(v);
	}
}

/* The record of this code object, the last one used first.  own: the compiled function itself runs it. */
static struct evaluated *record_of(struct evaluated **list, PyCodeObject *co, bool own)
{
	const char *file = utf8_kept(co->co_filename), *function = qualname_plain(co);
	struct evaluated **p, *v;

	/* utf8_kept() gives each text once */
	for (p = list; (v = *p); p = &v->next)
		if (v->first == co->co_firstlineno && v->own == own && v->file == file && v->function == function)
			break;
	if (v) {
		*p = v->next;
	} else {
		v = mem_alloc(sizeof(*v));
		v->file = file;
		v->function = function;
		v->first = co->co_firstlineno;
		v->own = own;
	}
	v->next = *list;
	*list = v;
	return v;
}

static void set_line(struct evaluated *v, int line)
{
	int at = line - v->first;
	size_t cap = (size_t)v->nbytes, old = cap;

	if (at < 0 || at >= MOST_LINES)
		return;
	if (at / 8 >= v->nbytes) {
		v->bits = mem_grow(v->bits, &cap, (size_t)at / 8 + 1, 1);
		memset(v->bits + old, 0, cap - old);
		v->nbytes = (int)cap;
	}
	v->bits[at / 8] |= (unsigned char)(1 << at % 8);
}

/* Is it the translator of the function that is compiled, not of one that is inlined? */
static bool is_outermost(PyObject *tx)
{
	return !strcmp(_PyType_Name(Py_TYPE(tx)), "InstructionTranslator");
}

void evaluated_again(struct compiling *c, PyObject *tx)
{
	if (!c || !tx || !is_outermost(tx))
		return;
	evaluated_free(c->evaluated);
	c->evaluated = NULL;
	c->under_way = !c->func || !c->func->root;
}

/* A resume function begins in the middle of a line, which began in the function before it. */
static bool goes_on_here(struct compiling *c, int line)
{
	if (!c->under_way)
		c->under_way = line != c->func->line && line != c->func->resume_line;
	return !c->under_way;
}

/* InstructionTranslatorBase.starts_line(self, lineno) */
static void line_starts(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *tx = call_arg(call, 0, "self"), *number = call_arg(call, 1, "lineno"), *code;
	int line = number && PyLong_Check(number) ? (int)PyLong_AsLong(number) : -1;
	bool own;

	if (!c || !tx || line <= 0)
		return;
	own = is_outermost(tx);
	code = own && goes_on_here(c, line) ? NULL : attr(tx, "f_code");
	if (code && PyCode_Check(code))
		set_line(record_of(&c->evaluated, (PyCodeObject *)code, own), line);
	Py_XDECREF(code);
}

const struct watcher watch_starts_line = { .before = line_starts };

/* Where the piece that an entry stands for ends: its resume functions go on there. */
static bool goes_on(const struct entry *e, int offset)
{
	int i;

	for (i = 0; i < e->nresumes; i++)
		if (e->resume[i].offset == offset)
			return true;
	return false;
}

/* Compiled before cdbg came: has what Dynamo may have gone over, from the start of the traced code to where it broke,
   an instruction on this line? */
static bool went_over(const struct entry *e, int line)
{
	struct code *c = host->code_get((struct py_code *)e->func->co);
	bool *seen, found = false;
	int *todo, n = 0, i, next[2], k;

	host->code_decode(c);
	seen = mem_alloc((size_t)(c->n + 1) * sizeof(*seen));
	todo = mem_alloc((size_t)(2 * c->n + 2) * sizeof(*todo));
	todo[n++] = places_first(c);
	while (n && !found) {
		i = todo[--n];
		if (i < 0 || i >= c->n || seen[i] || goes_on(e, c->instr[i].offset))
			continue;
		seen[i] = true;
		found = c->instr[i].line == line && c->instr[i].col >= 0;
		next[0] = c->instr[i].target;
		next[1] = host->op_ends(c->instr[i].op) ? -1 : i + 1;
		for (k = 0; k < 2; k++)
			todo[n++] = next[k];
	}
	free(todo);
	free(seen);
	return found;
}

bool evaluated_line(const struct entry *e, const char *file, int line, const char **inlined)
{
	const struct evaluated *v;
	int at;

	*inlined = NULL;
	if (!e->evaluated)
		return e->func->co && places_file_is(file, e->func->file) && went_over(e, line);
	for (v = e->evaluated; v; v = v->next) {
		at = line - v->first;
		if (at < 0 || at / 8 >= v->nbytes || !(v->bits[at / 8] >> at % 8 & 1) || !places_file_is(file, v->file))
			continue;
		*inlined = v->own ? NULL : v->function;
		return true;
	}
	return false;
}

bool evaluated_inlined(const struct entry *e, PyCodeObject *co)
{
	const char *file = utf8_kept(co->co_filename), *function = qualname_plain(co);
	const struct evaluated *v;

	for (v = e->evaluated; v; v = v->next)
		if (!v->own && v->first == co->co_firstlineno && v->file == file && v->function == function)
			return true;
	return false;
}
