/* SPDX-License-Identifier: BSD-3-Clause */
/* A NameError about a variable of the user's function that generated code, or a resume function, was not given, or of a
   graph that has no value of it now.  Knows no plugin by name and evaluates nothing. */
#include "engine/missing_variable.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "engine/stack.h"

/* The name in "... NameError: name 'x' is not defined ...": owned by the caller, NULL: it is another error. */
static char *missing_name(const char *text)
{
	static const char begin[] = "NameError: name '";
	const char *name = strstr(text, begin), *end;

	name = name ? name + strlen(begin) : NULL;
	end = name ? strstr(name, "' is not defined") : NULL;
	return end ? mem_strn(name, (size_t)(end - name)) : NULL;
}

static bool has_variable(struct py_code *co, const char *name)
{
	struct code *c = code_get(co);
	int i, n = code_nlocals(c);

	for (i = 0; i < n; i++)
		if (!strcmp(code_local_name(c, i), name))
			return true;
	return false;
}

static void explain_graph(struct code *c, const char *name, struct err *err)
{
	char *text = NULL;

	if (name && has_variable(c->co, name))
		text = mem_fmt(
			"%s: the graph computes '%s' later, or has freed it or given its memory another name; 'break "
			"node:%s' stops before it, 'info graph' lists what it has",
			err->text, name, name);
	else if (name)
		text = mem_fmt("%s: the graph's code has no such variable; 'info graph' lists its nodes and buffers",
			       err->text);
	else if (strstr(err->text, "'NoneType'"))
		text = mem_fmt(
			"%s: a graph sets its variables to None after their last use; 'info graph' has the figures of "
			"all that were computed",
			err->text);
	if (text)
		err_set(err, "%s", text);
	free(text);
}

void missing_variable_note_freed(struct session *s, const struct frame *f, const char *expr)
{
	if (f->kind == KIND_GRAPH && f->code && has_variable(f->code->co, expr))
		session_note(
			s, NOTE_INFO,
			"a graph sets a variable to None after its last use: 'info graph' has the figures of '%s', "
			"'break node:%s' and a step stop while it has its value",
			expr, expr);
}

void missing_variable_explain(struct session *s, struct code *c, struct err *err)
{
	char *name = missing_name(err->text), *text;
	struct code_info info;

	if (c && stack_kind(s, c) == KIND_GRAPH)
		explain_graph(c, name, err);
	else if (name && c && plug_code(s, c->co, &info) && info.root && has_variable(info.root, name)) {
		text = mem_fmt("%s: '%s' is a variable of %s, and this %s", err->text, name,
			       code_name(code_get(info.root)),
			       info.resume ? "resume function did not receive it" :
					     "generated code does not hold its value here");
		err_set(err, "%s", text);
		free(text);
	}
	free(name);
}
