/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes stretches of generated code in terms of the user's code: what a graph is called with, what a resume
   function gets.  Knows no region. */
#include "code/dynamo_code.h"
#include "model/entry.h"
#include "model/func.h"
#include "torch/py_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 256, LONG = 200 };

static const char *op(struct code *c, int i)
{
	return host->code.op_name(c->instr[i].op);
}

static char *arg_of(struct code *c, int i)
{
	struct buf b = { 0 };
	const char *text;
	char *copy;

	host->code.arg_text(c, i, &b);
	text = buf_str(&b);
	if (!strncmp(text, "NULL + ", 7))
		text += 7;
	/* Dynamo imports modules under names of its own. */
	if (!strncmp(text, "__import_", 9))
		text += 9;
	if (!strncmp(text, "___stack", 8))
		text += 3;
	copy = mem_str(text);
	buf_release(&b);
	return copy;
}

/* A temporary of Dynamo is replaced by the expression that was stored in it. */
struct temps {
	char *name[32], *text[32];
	int n;
};

static const char *temp_find(const struct temps *t, const char *name)
{
	int i;

	for (i = t->n - 1; i >= 0; i--)
		if (!strcmp(t->name[i], name))
			return t->text[i];
	return name;
}

static void push_text(char **stack, int depth, char *text)
{
	if (depth < 0 || depth >= DEEP) {
		free(text);
		return;
	}
	free(stack[depth]);
	stack[depth] = text;
}

static const char *at_depth(char **stack, int depth)
{
	return depth >= 0 && depth < DEEP && stack[depth] ? stack[depth] : "...";
}

/* Parts of a module are in dictionaries, but are written as attributes. */
static char *item(const char *of, const char *key)
{
	static const char *const parts[] = { "._modules", "._parameters", "._buffers" };
	size_t i, n = strlen(key);

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (py_text_ends_with(of, parts[i]) && n > 2 && key[0] == '\'' &&
		    strspn(key + 1, "0123456789") == n - 2)
			return mem_fmt("%.*s[%.*s]", (int)(strlen(of) - strlen(parts[i])), of, (int)n - 2, key + 1);
		else if (py_text_ends_with(of, parts[i]) && n > 2 && key[0] == '\'' && key[1] > '9')
			return mem_fmt("%.*s.%.*s", (int)(strlen(of) - strlen(parts[i])), of, (int)n - 2, key + 1);
	return mem_fmt("%s[%s]", of, key);
}

static char *call_text(char **stack, int first, int n)
{
	struct buf b = { 0 };
	char *text;
	int i;

	buf_addf(&b, "%s(", at_depth(stack, first - 1));
	for (i = 0; i < n && b.len < LONG; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", at_depth(stack, first + i));
	buf_addf(&b, i < n ? ", ...)" : ")");
	text = mem_str(b.s);
	buf_release(&b);
	return text;
}

/* What one instruction leaves on the stack, as an expression; "..." for what is not worth more. */
static void follow(struct code *c, int i, char **stack, struct temps *temps)
{
	const char *name = op(c, i);
	int d = c->instr[i].depth, after = i + 1 < c->n ? c->instr[i + 1].depth : d, k;
	char *arg;
	bool subscript = !strcmp(name, "BINARY_SUBSCR");

	if (!strcmp(name, "BINARY_OP")) { /* 3.14 has it for subscripts too */
		arg = arg_of(c, i);
		subscript = !strcmp(arg, "[]");
		free(arg);
	}
	if (!strcmp(name, "STORE_FAST") && temps->n < 32) {
		temps->name[temps->n] = arg_of(c, i);
		temps->text[temps->n++] = mem_str(at_depth(stack, d - 1));
	} else if (!strcmp(name, "LOAD_FAST") || !strcmp(name, "LOAD_FAST_BORROW")) {
		arg = arg_of(c, i);
		push_text(stack, d, mem_str(temp_find(temps, arg)));
		free(arg);
	} else if (!strcmp(name, "LOAD_DEREF") || !strcmp(name, "LOAD_CONST") || !strcmp(name, "LOAD_SMALL_INT") ||
		   !strcmp(name, "LOAD_CLASSDEREF") ||
		   !strcmp(name, "LOAD_COMMON_CONSTANT")) { /* 3.15 has None and the like there */
		push_text(stack, d, arg_of(c, i));
	} else if (!strcmp(name, "LOAD_GLOBAL")) {
		push_text(stack, after - 1, arg_of(c, i));
	} else if (!strcmp(name, "LOAD_ATTR")) {
		arg = arg_of(c, i);
		push_text(stack, d - 1, mem_fmt("%s.%s", at_depth(stack, d - 1), arg));
		free(arg);
	} else if (subscript) {
		push_text(stack, d - 2, item(at_depth(stack, d - 2), at_depth(stack, d - 1)));
	} else if (!strcmp(name, "CALL")) {
		push_text(stack, after - 1, call_text(stack, d - c->instr[i].arg, c->instr[i].arg));
	} else if (!strcmp(name, "COPY")) {
		k = d - c->instr[i].arg;
		push_text(stack, d, mem_str(at_depth(stack, k)));
	} else if (after >= d && strcmp(name, "PRECALL") && strcmp(name, "NOP") && strcmp(name, "NOT_TAKEN") &&
		   strcmp(name, "EXTENDED_ARG")) {
		for (k = d > 0 ? d - 1 : 0; k < after; k++)
			push_text(stack, k, mem_fmt("..."));
	} else if (after < d && after > 0 && !strncmp(name, "BUILD_", 6)) {
		push_text(stack, after - 1, mem_fmt("..."));
	}
}

char *call_text_of(struct code *c, int at, int call, const char *name)
{
	char *stack[DEEP] = { NULL }, *text;
	struct temps temps = { .n = 0 };
	struct buf b = { 0 };
	int i, n, first;

	if (call < 0 || c->instr[call].depth < 0 || strcmp(op(c, call), "CALL"))
		return mem_fmt("%s(...)", name);
	n = c->instr[call].arg;
	first = c->instr[call].depth - n;
	for (i = at; i < call; i++)
		if (c->instr[i].depth >= 0)
			follow(c, i, stack, &temps);
	buf_addf(&b, "%s(", name);
	for (i = 0; i < n; i++) {
		if (b.len > LONG) {
			buf_addf(&b, ", ... %d more", n - i);
			break;
		}
		buf_addf(&b, "%s%s", i ? ", " : "", at_depth(stack, first + i));
	}
	buf_adds(&b, ")");
	for (i = 0; i < DEEP; i++)
		free(stack[i]);
	for (i = 0; i < temps.n; i++) {
		free(temps.name[i]);
		free(temps.text[i]);
	}
	text = mem_str(b.s);
	buf_release(&b);
	return text;
}

static void add_value(struct buf *out, const char *name)
{
	buf_addf(out, "%s%s", out->len ? ", " : "", !strncmp(name, "___stack", 8) ? name + 3 : name);
}

/* Is it `LIST[k]`, which is loaded here? */
static bool loads_item(struct code *c, int i, const char *list, int k)
{
	char *of, *index, number[16];
	bool yes;

	if (i + 3 >= c->n || strncmp(op(c, i), "LOAD_FAST", 9) || strncmp(op(c, i + 1), "LOAD_", 5) ||
	    (strcmp(op(c, i + 2), "BINARY_SUBSCR") && strcmp(op(c, i + 2), "BINARY_OP")))
		return false;
	snprintf(number, sizeof(number), "%d", k);
	of = arg_of(c, i);
	index = arg_of(c, i + 1);
	yes = !strcmp(of, list) && !strcmp(index, number);
	free(of);
	free(index);
	return yes;
}

/* Where the function deletes a variable, its values come in a list.  The first instructions take them out in order:
   those of the stack, which stay there, then the variables. */
static void add_listed(struct buf *out, PyCodeObject *co, const char *list)
{
	struct code *c = host->code.get((struct py_code *)co);
	char *name;
	int i, k = 0;

	if (c)
		host->code.decode(c);
	for (i = 0; c && i < c->n && c->instr[i].target < 0; i++) { /* up to the jump to where it continues */
		if (!loads_item(c, i, list, k))
			continue;
		name = strcmp(op(c, i + 3), "STORE_FAST") ? mem_fmt("stack%d", k) : arg_of(c, i + 3);
		add_value(out, name);
		free(name);
		k++;
	}
}

/* Arguments of a resume function without Dynamo's own: what is on the stack, and the locals that live on. */
char *call_text_live(const struct func *f)
{
	struct buf b = { 0 };
	PyObject *names = f->co ? PyCode_GetVarnames(f->co) : NULL;
	const char *s;
	char *text;
	int i;

	for (i = 0; names && i < f->co->co_argcount; i++) {
		s = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
		if (!s || !strncmp(s, "__nested_", 9))
			continue;
		if (!strcmp(s, "__resume_frame_values"))
			add_listed(&b, f->co, s);
		else
			add_value(&b, s);
	}
	PyErr_Clear();
	Py_XDECREF(names);
	text = mem_str(b.s);
	buf_release(&b);
	return text;
}

char *call_text_resume(const struct resume *r)
{
	char *live = call_text_live(r->func), *text = mem_fmt("%s(%s)", r->global, live ? live : "");

	free(live);
	return text;
}
