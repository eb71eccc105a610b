/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the lines of a stack that are shown for what Dynamo made: the innermost one that is not torch's own, and
   an outer line beside it.  Knows no graph, no guard and no view. */
#include "model/source_line.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <string.h>

/* The owner of a line; a higher value is more important to users. */
enum whose { OF_TORCH, OF_NO_FILE, OF_PYTHON, OF_OTHERS };

/* Is it a file of Python's own library?  Those are beside the module os, except for installed packages below
   that folder. */
static bool of_python(const char *file)
{
	static char *folder;
	PyObject *os, *path;
	const char *s, *slash;

	if (!folder) {
		os = PyImport_ImportModuleLevel("os", NULL, NULL, NULL, 0);
		path = os ? attr(os, "__file__") : NULL;
		s = py_text_utf8(path);
		slash = s ? strrchr(s, '/') : NULL;
		folder = slash ? mem_fmt("%.*s", (int)(slash + 1 - s), s) : mem_str("");
		PyErr_Clear();
		Py_XDECREF(path);
		Py_XDECREF(os);
	}
	return text_path_below(file, folder) && !strstr(file, "/site-packages/") && !strstr(file, "/dist-packages/");
}

static enum whose whose(const char *file)
{
	if (host->files.is_user(file))
		return OF_OTHERS;
	if (file[0] == '<')
		return OF_NO_FILE;
	return attrs_torch_file(file) ? OF_TORCH : of_python(file) ? OF_PYTHON : OF_OTHERS;
}

int source_line_inner(const struct source_line *stack, int n)
{
	enum whose best = OF_TORCH, is;
	int i, found = -1;

	for (i = n - 1; i >= 0 && best < OF_OTHERS; i--) {
		is = whose(stack[i].file);
		if (is > best) {
			best = is;
			found = i;
		}
	}
	return found;
}

/* Is it a decorator's call of the wrapped function, "func(self, *args, **kwargs)"?  That line does not help. */
static bool is_passing_call(const struct source_line *s)
{
	const char *text = host->files.line(s->file, s->line), *p;

	for (p = text ? strchr(text, '*') : NULL; p; p = strchr(p + 1, '*')) {
		const char *name = p + 1 + py_text_word(p + 1);

		if (name == p + 1 || !py_text_begins_with(name, ", **"))
			continue;
		name += 4;
		if (name[py_text_word(name)] == ')')
			return true;
	}
	return false;
}

bool source_line_counts(const char *file)
{
	return whose(file) == OF_OTHERS;
}

bool source_line_shown(const struct source_line *s)
{
	return whose(s->file) == OF_OTHERS && !is_passing_call(s);
}

int source_line_outer(const struct source_line *stack, int inner)
{
	bool own = inner > 0 && host->files.is_user(stack[inner].file); /* the outermost line has none around it */
	int i, found = -1;

	/* of a library: the line of the program that called it */
	for (i = inner - 1; i >= 0 && !own && found < 0; i--)
		if (host->files.is_user(stack[i].file) && !is_passing_call(&stack[i]))
			found = i;
	for (i = 0; i < inner && found < 0; i++)
		if (whose(stack[i].file) == OF_OTHERS && !is_passing_call(&stack[i]))
			found = i;
	return found;
}

void source_line_describe(const struct source_line *s, const struct source_line *outer, struct buf *out)
{
	buf_addf(out, "%s:%d", py_text_file_name(s->file), s->line);
	if (s->function && *s->function != '<')
		buf_addf(out, " in %s", s->function);
	if (outer)
		buf_addf(out, " (from %s:%d)", py_text_file_name(outer->file), outer->line);
}
