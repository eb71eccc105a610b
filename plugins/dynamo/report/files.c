/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a report for other tools: see files.h. */
#include "report/files.h"
#include "report/data.h"
#include "report/file_names.h"
#include "report/page.h"
#include <stdlib.h>
#include <string.h>

struct target {
	files_write *put;
	void *arg;
	const char *folder;
	struct file_names names; /* of files in the folder */
	PyObject *known;	 /* see files_function() */
	int failed;
	struct err *err;
};

/* In the function's folder; text is released.  Name: owned. */
static void add_file(struct target *t, const char *name, struct buf *text)
{
	char *path = mem_fmt("%s/%s", t->folder, name);

	if (!t->failed)
		t->failed = t->put(t->arg, path, text, t->err);
	free(path);
	buf_release(text);
}

static char *entry_file(const struct val *e, const char *suffix)
{
	char *id = page_anchor(val_text(e, "entry")), *name = mem_fmt("entry-%s%s", id, suffix);

	free(id);
	return name;
}

/* The text in comments where it has lines of its own. */
static void file_comment(struct buf *out, const char *text)
{
	const char *end;

	for (; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		buf_addf(out, "# %.*s\n", (int)(end - text), text);
	}
}

/* Can Python read it?  mode: Py_file_input or Py_eval_input. */
static bool is_python(const char *text, int mode)
{
	PyCompilerFlags flags = _PyCompilerFlags_INIT;
	PyObject *tree;

	flags.cf_flags = PyCF_ONLY_AST; /* the compiler would warn of guards like "x is 0" */
	tree = Py_CompileStringExFlags(text, "<report>", mode, &flags, 0);
	PyErr_Clear();
	Py_XDECREF(tree);
	return tree != NULL;
}

/* Text that Python cannot read becomes comments, so that tools can read the file; release b. */
static void comment_out(struct buf *b, const char *why)
{
	char *text = buf_detach(b);

	buf_addf(b, "# %s\n", why);
	file_comment(b, text);
	free(text);
}

/* A graph's function: lines that Python cannot read, like those with the repr of an object, become comments. */
static void comment_out_lines(struct buf *b)
{
	char *text = buf_detach(b), *line, *end, *test;
	int i;

	for (i = 0, line = text; *line; line = *end ? end + 1 : end, i++) {
		end = line + strcspn(line, "\n");
		test = mem_fmt(i ? "def graph():\n%.*s\n    pass\n" : "%.*s\n    pass\n", (int)(end - line), line);
		buf_addf(b, "%s%.*s\n", is_python(test, Py_file_input) ? "" : "    # not Python: ", (int)(end - line),
			 line);
		free(test);
	}
	buf_adds(b, "    pass\n");
	free(text);
	if (!is_python(buf_str(b), Py_file_input))
		comment_out(b, "Python cannot read this.");
}

/* Writes a function that assigns to variables of an outer one within a function that has all those that it uses: by
   itself it is a syntax error for the compiler, though not for the parser. */
static void enclose(struct buf *b, const struct val *e)
{
	const struct val *names = data_list(e, "free_variables");
	char *text, *line, *end;
	size_t i;

	if (!names->u.list.n || !strstr(buf_str(b), "\n    nonlocal "))
		return;
	text = buf_detach(b);
	for (i = 0; i < names->u.list.n; i++)
		buf_addf(b, "%s%s", i ? ", " : "def enclosing(", names->u.list.item[i]->u.s);
	buf_adds(b, "):  # variables that the function shares\n");
	for (line = text; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		buf_addf(b, "%s%.*s\n", end > line ? "    " : "", (int)(end - line), line);
	}
	free(text);
}

static void python_file(struct target *t, const struct val *e)
{
	const struct val *list = data_list(e, "python");
	char *name = entry_file(e, ".py");
	struct buf b = { 0 };
	size_t i;

	for (i = 0; i < list->u.list.n; i++)
		buf_addf(&b, "%s\n", val_text(list->u.list.item[i], "text"));
	if (!is_python(buf_str(&b), Py_file_input))
		comment_out(&b, "Parts of this code cannot be written as Python; they are instructions here.");
	else
		enclose(&b, e);
	add_file(t, name, &b);
	free(name);
}

static void listing(struct target *t, const struct val *e)
{
	const struct val *list = data_list(e, "code"), *row;
	char *name = entry_file(e, ".dis");
	struct buf b = { 0 };
	const char *region = "";
	size_t i, from;

	for (i = 0; i < list->u.list.n; i++) {
		row = list->u.list.item[i];
		if (strcmp(region, val_text(row, "region")))
			buf_addf(&b, "%s# %s\n", i ? "\n" : "", val_text(row, "region"));
		region = val_text(row, "region");
		from = b.len;
		if (val_number(row, "line", 0))
			buf_addf(&b, "%5lld", val_number(row, "line", 0));
		buf_pad(&b, 6, from);
		buf_addf(&b, "%6lld  %s", val_number(row, "offset", 0), val_text(row, "opname"));
		buf_pad(&b, 44, from);
		buf_addf(&b, " %s\n", val_text(row, "arg"));
	}
	add_file(t, name, &b);
	free(name);
}

/* Is the text of a guard an expression?  Many guards of a program have the same text, which is parsed once. */
static bool is_expression(struct target *t, const char *text)
{
	PyObject *key = PyUnicode_FromString(text);
	PyObject *known = key ? PyDict_GetItemWithError(t->known, key) : NULL;
	bool yes = known ? known == Py_True : !strchr(text, '\n') && is_python(text, Py_eval_input);

	if (key && !known)
		PyDict_SetItem(t->known, key, yes ? Py_True : Py_False);
	PyErr_Clear();
	Py_XDECREF(key);
	return yes;
}

static void write_guards(struct target *t, const struct val *e)
{
	const struct val *list = data_list(e, "guards"), *g;
	char *name = entry_file(e, ".guards.py");
	struct buf b = { 0 };
	const char *text;
	size_t i, n = 0;

	buf_addf(&b,
		 "# Guards of entry %s: L are the function's locals, G its globals.\n\n\ndef write_guards(L, G):\n   "
		 " return (\n",
		 val_text(e, "entry"));
	for (i = 0; i < list->u.list.n; i++) {
		g = list->u.list.item[i];
		text = visible(val_text(g, "text"));
		if (val_number(g, "line", 0))
			buf_addf(&b, "        # %s:%lld\n", visible(val_text(g, "file")), val_number(g, "line", 0));
		if (!is_expression(t, text)) {
			buf_addf(&b, "        # not an expression: %s\n", text);
			continue;
		}
		buf_addf(&b, "        %s%s\n", n++ ? "and " : "", text);
	}
	buf_addf(&b, "        %sTrue\n    )\n", n ? "and " : "");
	add_file(t, name, &b);
	free(name);
}

static const char *kernel_suffix(const char *language)
{
	return !strcmp(language, "c++") ? ".cpp" : ".py";
}

static void write_kernels(struct target *t, struct val *stage)
{
	const struct val *list = data_list(stage, "kernels");
	struct val *k;
	struct buf b = { 0 };
	char *plain, *name, *file;
	size_t i;

	for (i = 0; i < list->u.list.n; i++) {
		k = list->u.list.item[i];
		if (!*val_text(k, "source"))
			continue;
		plain = mem_fmt("kernel-%s", val_text(k, "kernel"));
		name = file_names_unique(&t->names, plain);
		file = mem_fmt("%s%s", name, kernel_suffix(val_text(k, "language")));
		buf_adds(&b, val_text(k, "source"));
		add_file(t, file, &b);
		val_put(k, "file", val_str(file));
		free(file);
		free(name);
		free(plain);
	}
}

static void write_graphs(struct target *t, const struct val *e)
{
	const struct val *list = data_list(e, "graphs"), *stages;
	struct val *s;
	struct buf b = { 0 };
	char *plain, *name, *file;
	size_t i, k;

	for (i = 0; i < list->u.list.n; i++) {
		stages = data_list(list->u.list.item[i], "stages");
		for (k = 0; k < stages->u.list.n; k++) {
			s = stages->u.list.item[k];
			plain = mem_fmt("graph-%s.%s", val_text(list->u.list.item[i], "graph"), val_text(s, "stage"));
			name = file_names_unique(&t->names, plain);
			file = mem_fmt("%s.py", name);
			if (!*val_text(s, "code"))
				file_comment(&b, "This graph has no text.");
			buf_adds(&b, val_text(s, "code"));
			if (!is_python(buf_str(&b), Py_file_input))
				comment_out_lines(&b);
			add_file(t, file, &b);
			val_put(s, "file", val_str(file));
			write_kernels(t, s);
			free(file);
			free(name);
			free(plain);
		}
	}
}

int files_function(struct val *f, PyObject *known, files_write *to, void *arg, struct err *err)
{
	struct target t = {
		.put = to,
		.arg = arg,
		.folder = val_text(f, "folder"),
		.known = known,
		.err = err,
	};
	const struct val *list = data_list(f, "entry"), *e;
	size_t i;

	for (i = 0; i < list->u.list.n && !t.failed; i++) {
		e = list->u.list.item[i];
		if (data_list(e, "python")->u.list.n)
			python_file(&t, e);
		if (data_list(e, "code")->u.list.n)
			listing(&t, e);
		if (data_list(e, "guards")->u.list.n)
			write_guards(&t, e);
		write_graphs(&t, e);
	}
	file_names_release(&t.names);
	return t.failed;
}
