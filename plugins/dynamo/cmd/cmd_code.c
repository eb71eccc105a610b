/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: code.  Generated code as text, changed, and assembled into a clone of its entry.  Never touches the code
   that Dynamo made. */
#include "cmd/cmd_code.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "code/regions.h"
#include "guards/guard_model.h"
#include "edit/clone.h"
#include "edit/edited_entry.h"
#include "edit/text_file.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *skip(const char *s)
{
	return s + strspn(s, " \t");
}

/* ---- graphs by their short names ------------------------------------------------------------------------ */

static bool in_word(char c)
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
		if ((at > text->s && in_word(at[-1])) || in_word(at[n]))
			buf_add(&out, at, n);
		else
			buf_addf(&out, "%s", to);
		s = at + n;
	}
	buf_addf(&out, "%s", s);
	buf_release(text);
	*text = out;
}

/* A graph's name in the globals ends in what no two runs share: the text goes without. */
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
	int *line;                           /* the old index of each instruction, or NULL: not needed */
	int lines;
	size_t counted;
};

static void comment(void *arg, struct code *c, int index, struct buf *out)
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
	buf_addf(out, "\n# %s", host->region_name(r->kind));
	if (r->text)
		buf_addf(out, ": %s", r->text);
	if (r->line)
		buf_addf(out, ", line %d", r->line);
	buf_adds(out, "\n");
}

/* What is written for an entry; change: of one instruction.  line: of each instruction, or NULL. */
static void write_changed(struct entry *e, const struct asm_style *change, int *line, struct buf *out)
{
	struct writing writing = { .e = e, .line = line };
	struct asm_style style = *change;
	char *id = mem_fmt("%s %s", e->id, e->func->name);

	style.comment = comment;
	style.arg = &writing;
	style.id = id;
	buf_addf(out, "# %s\n", e->title);
	host->asm_write(host->code_get((struct py_code *)e->co), &style, out);
	name_graphs(e, out, true);
	free(id);
}

static int write_text(struct entry *e, struct buf *out, struct err *err)
{
	static const struct asm_style none = { .index = 0 };

	(void)err;
	write_changed(e, &none, NULL, out);
	return 0;
}

/* What must hold for its calls: to be read, not to be loaded. */
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
	PyObject *extra = PyDict_New(), *cdbg = PyImport_ImportModule("cdbg");
	PyObject *stop = cdbg ? PyObject_GetAttrString(cdbg, "breakpoint") : NULL;

	if (extra && stop)
		PyDict_SetItemString(extra, "breakpoint", stop);
	PyErr_Clear();
	Py_XDECREF(stop);
	Py_XDECREF(cdbg);
	return extra;
}

/* An entry with this code, a reference that ends here; NULL: err has been set. */
static int take(struct entry *base, PyObject *made, const char *how, struct reply *out, struct err *err)
{
	struct entry *e = NULL;

	if (made && clone_slot(base))
		e = clone_recode(base, (PyCodeObject *)made, err) == 0 ? base : NULL;
	else if (made)
		e = clone_new(base, (PyCodeObject *)made, err);
	if (e)
		buf_addf(&out->text, "entry %s: %s; 'entry run %s' tries it, 'entry install %s' puts it into "
			 "Dynamo's cache\n", e->id, how, e->id, e->id);
	Py_XDECREF(made);
	return e ? 0 : -1;
}

static int assemble(struct entry *base, const struct buf *text, const char *how, struct reply *out, struct err *err)
{
	PyObject *extra = extras(), *made;
	struct buf full = { 0 };
	int ret;

	buf_addf(&full, "%s", text->s);
	name_graphs(base, &full, false);
	made = (PyObject *)host->asm_read(host->code_get((struct py_code *)base->co), full.s, (struct py_obj *)extra,
					  err);
	ret = take(base, made, how, out, err);
	buf_release(&full);
	Py_XDECREF(extra);
	return ret;
}

/* The entry that a text says it is of: of the same function, in this run. */
static struct entry *entry_of_text(const struct buf *text, struct err *err)
{
	char *id = host->asm_id(text->s);
	const char *args = id, *line, *name;
	struct entry *e = NULL;
	size_t n;

	if (!id) {
		err_set(err, "the text does not name its entry: it must begin with '.code ENTRY'");
		return NULL;
	}
	if (!model_entry_named(id) && strchr(id, '+'))       /* a clone of another run: what it was made from */
		*strchr(id, '+') = '\0';
	e = edit_entry(&args, err);
	line = strstr(text->s, ".code");
	name = line ? skip(line + 5) : "";
	name += strcspn(name, " \t\r\n");
	name = skip(name);
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
	else if (text_read(path, &text, err) == 0)
		e = entry_of_text(&text, err);
	if (e) {
		ret = assemble(e, &text, how, out, &why);
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
	write_text(e, &text, NULL);
	ret = text_write(path, &text, err);
	if (ret == 0)
		buf_addf(&out->text, "code of entry %s written to '%s': 'code assemble %s' makes a clone with it\n",
			 e->id, path, path);
	buf_release(&text);
	return ret;
}

/* ---- the parts of the command ---------------------------------------------------------------------------- */

static int save(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	const char *id = cmd_arg(args, "ENTRY");
	struct entry *e = edit_entry(&id, err);

	(void)s;
	return e ? code_save(e, cmd_arg(args, "FILE"), false, out, err) : -1;
}

static int write_python(struct entry *e, struct buf *out, struct err *err)
{
	char *text = host->python_write(host->code_get((struct py_code *)e->co), err);

	if (!text)
		return -1;
	buf_addf(out, "# %s, as Python; do not change the line that begins with 'def'\n%s", e->title, text);
	free(text);
	return 0;
}

static int assemble_file(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return code_load(cmd_arg(args, "FILE"), out, err);
}

static int edit(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	bool python = cmd_arg(args, "-python") != NULL;
	const char *id = cmd_arg(args, "ENTRY");
	struct entry *e = edit_entry(&id, err);
	struct buf text = { 0 }, now = { 0 };
	struct err why = { "" };
	char *path = NULL;
	int ret = -1;

	(void)s;
	if (!e || clone_may_recode(e, err) < 0 || (python ? write_python : write_text)(e, &text, err) < 0)
		return -1;
	path = text_temporary(err);
	if (path && text_write(path, &text, err) == 0 && host->edit_file(path, err) == 0 &&
	    text_read(path, &now, err) == 0) {
		if (now.len == text.len && !memcmp(now.s, text.s, now.len)) {
			buf_adds(&out->text, "nothing was changed: no clone was made\n");
			ret = 0;
		} else if (python) {
			ret = take(e, (PyObject *)host->python_read(host->code_get((struct py_code *)e->co), now.s,
				   &why), "its Python was edited", out, &why);
		} else {
			ret = assemble(e, &now, "its code was edited", out, &why);
		}
		if (ret < 0)
			err_set(err, "%s; the text is kept%s%s%s", why.text,
				python ? " in " : ": 'code assemble ", path,
				python ? "" : "' assembles it when it is fixed");
	}
	if (path && (ret == 0 || !now.len))
		unlink(path);
	buf_release(&now);
	buf_release(&text);
	free(path);
	return ret;
}

/* [ENTRY]*OFFSET: the entry, and the index of the instruction there. */
static struct entry *place(const struct cmd_args *args, int *index, struct err *err)
{
	const char *text = cmd_arg(args, "[ENTRY]*OFFSET"), *star = strrchr(text, '*'), *word;
	size_t n = strcspn(text, "* \t");
	struct entry *e;
	struct code *c;
	char *end, *id;
	long offset;

	id = n ? mem_strn(text, n) : NULL;
	word = id;
	e = n ? edit_entry(&word, err) : edit_selected(err);
	free(id);
	if (!e)
		return NULL;
	offset = strtol(star + 1, &end, 10);
	c = host->code_get((struct py_code *)e->co);
	*index = host->code_index(c, (int)offset);
	if (offset > INT32_MAX || *index < 0 || c->instr[*index].offset != offset) {
		err_set(err, "no instruction of entry '%s' begins at %ld: 'disassemble -a %s'", e->id, offset,
			e->id);
		return NULL;
	}
	while (*index + 1 < c->n && c->instr[*index].flags & INSTR_PREFIX)
		++*index;
	return e;
}

/* The n-th line of the text, from 1, without its comment. */
static char *line_of(const char *text, int n)
{
	size_t end, name;

	for (; n > 1 && *text; n--)
		text += strcspn(text, "\n") + (text[strcspn(text, "\n")] != '\0');
	text = skip(text);
	end = strcspn(text, "\n");
	for (n = 0; (size_t)n < end && strncmp(text + n, "  #", 3); n++)
		;
	name = strcspn(text, " \t");
	return name >= (size_t)n ? mem_fmt("%.*s", n, text) :
	       mem_fmt("%.*s %.*s", (int)name, text, n - (int)(skip(text + name) - text), skip(text + name));
}

/* "line 12" means nothing to who saw no lines: "'POP_TOP' at *34". */
static void say_places(struct code *c, const int *line, const char *text, const char *said, struct err *err)
{
	struct buf out = { 0 };
	const char *at;
	char *end, *words;
	int i, n, index;

	for (; (at = strstr(said, "line ")); said = end) {
		buf_add(&out, said, (size_t)(at - said));
		n = (int)strtol(at + 5, &end, 10);
		if (end == at + 5) {
			buf_adds(&out, "line ");
			continue;
		}
		for (i = index = 0; i < c->n; i++)
			if (line[i] && line[i] < n)
				index = i;
		words = line_of(text, n);
		buf_addf(&out, "'%s' at *%d", words, (int)c->instr[index].offset);
		free(words);
	}
	buf_addf(&out, "%s", said);
	err_set(err, "%s", out.s);
	buf_release(&out);
}

static int assemble_changed(struct entry *e, const struct asm_style *change, const char *what, struct reply *out,
			    struct err *err)
{
	struct code *c = host->code_get((struct py_code *)e->co);
	int *line = mem_alloc((size_t)c->n * sizeof(*line)), ret;
	char *how = mem_fmt("%s %s", e->id, what);
	struct buf text = { 0 };
	struct err why = { "" };

	write_changed(e, change, line, &text);
	ret = assemble(e, &text, how, out, &why);
	if (ret < 0)
		say_places(c, line, text.s, why.text, err);
	free(how);
	free(line);
	buf_release(&text);
	return ret;
}

static int patch(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	struct asm_style style = { .index = 0 };
	struct entry *e = place(args, &style.index, err);

	(void)s;
	if (!e)
		return -1;
	style.instead = cmd_arg(args, "INSTR");
	return assemble_changed(e, &style, "patched", out, err);
}

/* "A; B" as two lines; a ';' in quotes does not separate. */
static void split(char *s)
{
	char quote = 0;

	for (; *s; s++)
		if (quote && *s == '\\' && s[1])
			s++;
		else if (quote ? *s == quote : *s == '\'' || *s == '"')
			quote = quote ? 0 : *s;
		else if (!quote && *s == ';')
			*s = '\n';
}

static int insert(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	const char *what = cmd_arg(args, "breakpoint|INSTR;...");
	struct asm_style style = { .index = 0 };
	struct buf lines = { 0 };
	struct entry *e = place(args, &style.index, err);
	int ret;

	(void)s;
	if (!e)
		return -1;
	if (!strcmp(what, "breakpoint"))
		host->asm_call("$breakpoint", &lines);
	else
		buf_adds(&lines, what);
	split(lines.s);
	style.before = lines.s;
	ret = assemble_changed(e, &style, "with instructions added", out, err);
	buf_release(&lines);
	return ret;
}

/* [ENTRY]*OFFSET, also with spaces before the star. */
static int check_place(const char *text, struct err *err)
{
	const char *star = strrchr(text, '*');

	if (star && isdigit((unsigned char)star[1]) && !star[1 + strspn(star + 1, "0123456789")])
		return 0;
	return err_set(err, "invalid place '%s': expected *OFFSET or ENTRY*OFFSET", text);
}

static const struct cmd_kind kinds[] = {
	{ .name = "ENTRY", .flags = KIND_WORD, .complete = edit_complete_entry },
	{ .name = "[ENTRY]*OFFSET", .complete = edit_complete_entry, .check = check_place },
	{ .name = NULL }
};

#define CHANGES (CMD_NEEDS_STOP | CMD_CHANGES)

static const struct cmd_sub subs[] = {
	{ .name = "edit", .args = "[-python] ENTRY", .flags = CHANGES, .run = edit,
	  .help = "edit code as text in $EDITOR",
	  .more = "-python: as Python source, which is compiled again." },
	{ .name = "save", .args = "ENTRY FILE", .flags = CMD_NEEDS_STOP, .run = save,
	  .help = "write that text to a file" },
	{ .name = "assemble", .args = "FILE", .flags = CHANGES, .run = assemble_file,
	  .help = "make a clone from the text in a file" },
	{ .name = "patch", .args = "[ENTRY]*OFFSET = INSTR", .flags = CHANGES, .run = patch,
	  .help = "replace one instruction", .more = "The target of a jump is written as 'to OFFSET'." },
	{ .name = "insert", .args = "[ENTRY]*OFFSET breakpoint|INSTR;...", .flags = CHANGES, .run = insert,
	  .help = "insert a breakpoint or instructions before an instruction" },
	{ .name = NULL }
};

const struct cmd_def cmd_code[] = {
	{ .name = "code", .group = GROUP_DYNAMO, .flags = CMD_NEEDS_STOP | CMD_CHANGES | CMD_RAW, .subs = subs,
	  .kinds = kinds,
	  .help = "edit generated code in a clone of its entry",
	  .more = "The code that Dynamo made is not changed; the code of a clone is changed in place.\n"
		  "'entry run' and 'entry diff' try the clone, 'entry install' puts it into Dynamo's\n"
		  "cache, 'undo' takes it out.  Code that would crash is refused with its line.\n"
		  "Without ENTRY: the entry of the selected frame." },
	{ .name = NULL }
};
