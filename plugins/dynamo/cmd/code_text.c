/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes generated code as text, reads it from a file, and assembles it into a clone of its entry.  Never changes
   the code that Dynamo made.  Knows no command. */
#include "cmd/code_text.h"
#include "code/dynamo_code.h"
#include "edit/clone.h"
#include "edit/dynamo_edit.h"
#include "guards/guard_model.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_word(const char *s)
{
	return s + strspn(s, " \t");
}

/* ---- graphs by their short names ------------------------------------------------------------------------ */

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Every whole word `from` becomes `to`. */
static void replace_word(struct buf *text, const char *from, const char *to)
{
	struct buf out = { 0 };
	const char *s = text->s, *at;
	size_t n = strlen(from);

	while ((at = strstr(s, from))) {
		buf_add(&out, s, (size_t)(at - s));
		if ((at > text->s && is_word_char(at[-1])) || is_word_char(at[n]))
			buf_add(&out, at, n);
		else
			buf_addf(&out, "%s", to);
		s = at + n;
	}
	buf_addf(&out, "%s", s);
	buf_release(text);
	*text = out;
}

/* A graph's name in the globals ends with a part that differs between runs: the text omits it. */
static void name_graphs(struct entry *e, struct buf *text, bool shortly)
{
	int i;

	for (i = 0; i < e->made.ngraphs; i++)
		if (strcmp(e->made.graph[i].full, e->made.graph[i].name))
			replace_word(text, shortly ? e->made.graph[i].full : e->made.graph[i].name,
				     shortly ? e->made.graph[i].name : e->made.graph[i].full);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

/* The code of an entry as text. */
struct writing {
	struct entry *e;
	int *line; /* the old index of each instruction, or NULL: not needed */
	int lines;
	size_t counted;
};

static void add_index_comment(void *arg, struct code *c, int index, struct buf *out)
{
	struct writing *w = arg;
	const struct region *r = regions_at(w->e, index);

	(void)c;
	for (; w->line && w->counted < out->len; w->counted++)
		w->lines += out->s[w->counted] == '\n';
	if (w->line)
		w->line[index] = w->lines;
	if (!r || r->start != index)
		return;
	buf_addf(out, "\n# %s", host->code.region_name(r->kind));
	if (r->text)
		buf_addf(out, ": %s", r->text);
	if (r->line)
		buf_addf(out, ", line %d", r->line);
	buf_adds(out, "\n");
}

/* The text for an entry. change: that of one instruction. line: receives the line of each instruction, or NULL. */
void code_text_changed(struct entry *e, const struct asm_style *change, int *line, struct buf *out)
{
	struct writing writing = { .e = e, .line = line };
	struct asm_style style = *change;
	char *id = mem_fmt("%s %s", e->id, e->func->name);

	style.comment = add_index_comment;
	style.arg = &writing;
	style.id = id;
	buf_addf(out, "# %s\n", e->title);
	host->code.asm_write(host->code.get((struct py_code *)e->co), &style, out);
	name_graphs(e, out, true);
	free(id);
}

int code_text_write(struct entry *e, struct buf *out, struct err *err)
{
	static const struct asm_style none = { .index = 0 };

	(void)err;
	code_text_changed(e, &none, NULL, out);
	return 0;
}

/* The entry's guards, for people: not read when the file is loaded. */
static void guards_comment(struct entry *e, struct buf *out)
{
	const struct guards *g = guards_of(e);
	const char *s;
	int i;

	buf_addf(out, "# guards of entry %s\n", e->id);
	for (i = 0; g && i < g->n; i++) {
		buf_addf(out, "#   %s ", g->guard[i].kind);
		for (s = g->guard[i].text; *s; s++)
			buf_addf(out, "%c", *s == '\n' ? ' ' : *s);
		buf_adds(out, "\n");
	}
}

/* ---- assembling ---------------------------------------------------------------------------------------- */

/* What `$breakpoint` is in a text. */
static PyObject *extras(void)
{
	PyObject *extra = PyDict_New(), *cdbg = PyImport_ImportModuleLevel("cdbg", NULL, NULL, NULL, 0);
	PyObject *stop = cdbg ? PyObject_GetAttrString(cdbg, "breakpoint") : NULL;

	if (extra && stop)
		PyDict_SetItemString(extra, "breakpoint", stop);
	PyErr_Clear();
	Py_XDECREF(stop);
	Py_XDECREF(cdbg);
	return extra;
}

/* An entry with this code, a reference that ends here; NULL: err has been set. */
int code_take(struct entry *base, PyObject *made, const char *how, struct reply *out, struct err *err)
{
	struct entry *e = NULL;

	if (made && clone_slot(base))
		e = clone_recode(base, (PyCodeObject *)made, err) == 0 ? base : NULL;
	else if (made)
		e = clone_new(base, (PyCodeObject *)made, err);
	if (e)
		buf_addf(&out->text,
			 "entry %s: %s; 'entry run %s' tries it, 'entry install %s' puts it into "
			 "Dynamo's cache\n",
			 e->id, how, e->id, e->id);
	Py_XDECREF(made);
	return e ? 0 : -1;
}

int code_assemble(struct entry *base, const struct buf *text, const char *how, struct reply *out, struct err *err)
{
	PyObject *extra = extras(), *made;
	struct buf full = { 0 };
	int ret;

	buf_addf(&full, "%s", text->s);
	name_graphs(base, &full, false);
	made = (PyObject *)host->code.asm_read(host->code.get((struct py_code *)base->co), full.s,
					       (struct py_obj *)extra, err);
	ret = code_take(base, made, how, out, err);
	buf_release(&full);
	Py_XDECREF(extra);
	return ret;
}

/* The entry that a text names: one of the same function, in this run. */
static struct entry *entry_of_text(const struct buf *text, struct err *err)
{
	char *id = host->code.asm_id(text->s);
	const char *line, *name;
	struct entry *e = NULL;
	char *plus;
	size_t n;

	if (!id) {
		err_set(err, "the text does not name its entry: it must begin with '.code ENTRY'");
		return NULL;
	}
	plus = model_entry_named(id) ? NULL : strchr(id, '+');
	if (plus) /* a clone of another run: what it was made from */
		*plus = '\0';
	e = edit_entry(id, err);
	line = strstr(text->s, ".code");
	name = line ? skip_word(line + 5) : "";
	name += strcspn(name, " \t\r\n");
	name = skip_word(name);
	n = strcspn(name, " \t\r\n#");
	if (e && n && (strlen(e->func->name) != n || strncmp(e->func->name, name, n))) {
		err_set(err, "the text is for '%.*s', but entry '%s' belongs to '%s': change its '.code'", (int)n, name,
			e->id, e->func->name);
		e = NULL;
	}
	free(id);
	return e;
}

int code_load(const char *path, struct reply *out, struct err *err)
{
	struct buf text = { 0 };
	struct entry *e = NULL;
	char *how = mem_fmt("assembled from '%s'", path);
	struct err why = { "" };
	int ret = -1;

	if (!*path)
		err_set(err, "missing file name: 'code assemble FILE'");
	else if (text_file_read(path, &text, err) == 0)
		e = entry_of_text(&text, err);
	if (e) {
		ret = code_assemble(e, &text, how, out, &why);
		if (ret < 0)
			err_set(err, "%s: %s", path, why.text);
	}
	buf_release(&text);
	free(how);
	return ret;
}

int code_save(struct entry *e, const char *path, bool guards, struct reply *out, struct err *err)
{
	struct buf text = { 0 };
	int ret;

	if (!*path)
		return err_set(err, "missing file name: 'code save ENTRY FILE'");
	if (guards)
		guards_comment(e, &text);
	code_text_write(e, &text, NULL);
	ret = text_file_write(path, &text, err);
	if (ret == 0)
		buf_addf(&out->text, "code of entry %s written to '%s': 'code assemble %s' makes a clone with it\n",
			 e->id, path, path);
	buf_release(&text);
	return ret;
}
