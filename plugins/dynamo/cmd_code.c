/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: code.  Generated code as text, changed, and assembled into a clone of its entry.  Never touches the code
   that Dynamo made. */
#include "edit.h"
#include "guards.h"
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
		host->buf_add(&out, s, (size_t)(at - s));
		if ((at > text->s && in_word(at[-1])) || in_word(at[n]))
			host->buf_add(&out, at, n);
		else
			host->buf_addf(&out, "%s", to);
		s = at + n;
	}
	host->buf_addf(&out, "%s", s);
	host->buf_release(text);
	*text = out;
}

/* A graph's name in the globals ends in what no two runs share: the text goes without. */
static void name_graphs(struct entry *e, struct buf *text, bool shortly)
{
	int i;

	for (i = 0; i < e->ngraphs; i++)
		if (strcmp(e->graph[i].full, e->graph[i].name))
			replace_word(text, shortly ? e->graph[i].full : e->graph[i].name,
				     shortly ? e->graph[i].name : e->graph[i].full);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void comment(void *arg, struct code *c, int index, struct buf *out)
{
	const struct region *r = regions_at(arg, index);

	(void)c;
	if (!r || r->start != index)
		return;
	host->buf_addf(out, "\n# %s", r->name);
	if (r->text)
		host->buf_addf(out, ": %s", r->text);
	if (r->line)
		host->buf_addf(out, ", line %d", r->line);
	host->buf_addf(out, "\n");
}

/* What is written for an entry; change: of one instruction, or NULL. */
static void write_text(struct entry *e, const struct asm_style *change, struct buf *out)
{
	struct asm_style style = { .comment = comment, .arg = e };
	char *id = host->mem_fmt("%s %s", e->id, e->func->name);

	if (change) {
		style = *change;
		style.comment = comment;
		style.arg = e;
	}
	style.id = id;
	host->buf_addf(out, "# %s\n", e->title);
	host->asm_write(host->code_get((struct py_code *)e->co), &style, out);
	name_graphs(e, out, true);
	free(id);
}

/* What must hold for its calls: to be read, not to be loaded. */
static void guards_comment(struct entry *e, struct buf *out)
{
	const struct guards *g = guards_of(e);
	const char *s;
	int i;

	host->buf_addf(out, "# guards of entry %s\n", e->id);
	for (i = 0; g && i < g->n; i++) {
		host->buf_addf(out, "#   %s ", g->guard[i].kind);
		for (s = g->guard[i].text; *s; s++)
			host->buf_addf(out, "%c", *s == '\n' ? ' ' : *s);
		host->buf_addf(out, "\n");
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

static int assemble(struct entry *base, const struct buf *text, const char *how, struct reply *out, struct err *err)
{
	PyObject *extra = extras(), *made;
	struct buf full = { 0 };
	struct entry *e = NULL;

	host->buf_addf(&full, "%s", text->s);
	name_graphs(base, &full, false);
	made = (PyObject *)host->asm_read(host->code_get((struct py_code *)base->co), full.s, (struct py_obj *)extra,
					  err);
	if (made && clone_slot(base))
		e = clone_recode(base, (PyCodeObject *)made, err) == 0 ? base : NULL;
	else if (made)
		e = clone_new(base, (PyCodeObject *)made, err);
	if (e)
		host->buf_addf(&out->text, "entry %s: %s; 'entry run %s' tries it, 'entry install %s' puts it into "
			       "Dynamo's cache\n", e->id, how, e->id, e->id);
	host->buf_release(&full);
	Py_XDECREF(made);
	Py_XDECREF(extra);
	return e ? 0 : -1;
}

/* The entry that a text says it is of: of the same function, in this run. */
static struct entry *entry_of_text(const struct buf *text, struct err *err)
{
	char *id = host->asm_id(text->s);
	const char *args = id, *line, *name;
	struct entry *e = NULL;
	size_t n;

	if (!id) {
		host->err_set(err, "the text does not say whose code it is: it begins with '.code ENTRY'");
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
		host->err_set(err, "the text is of '%.*s', but entry '%s' is of '%s': change its '.code'", (int)n, name,
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
	char *how = host->mem_fmt("assembled from '%s'", path);
	struct err why = { "" };
	int ret = -1;

	if (!*path)
		host->err_set(err, "which file?");
	else if (text_read(path, &text, err) == 0)
		e = entry_of_text(&text, err);
	if (e) {
		ret = assemble(e, &text, how, out, &why);
		if (ret < 0)
			host->err_set(err, "%s: %s", path, why.text);
	}
	host->buf_release(&text);
	free(how);
	return ret;
}

int code_save(struct entry *e, const char *path, bool guards, struct reply *out, struct err *err)
{
	struct buf text = { 0 };
	int ret;

	if (!*path)
		return host->err_set(err, "to which file?");
	if (guards)
		guards_comment(e, &text);
	write_text(e, NULL, &text);
	ret = text_write(path, &text, err);
	if (ret == 0)
		host->buf_addf(&out->text, "code of entry %s is in '%s': 'code assemble %s' makes an entry of it\n",
			       e->id, path, path);
	host->buf_release(&text);
	return ret;
}

/* ---- the parts of the command ---------------------------------------------------------------------------- */

static int save(const char *args, struct reply *out, struct err *err)
{
	struct entry *e = edit_entry(&args, err);

	return e ? code_save(e, args, false, out, err) : -1;
}

static int assemble_file(const char *args, struct reply *out, struct err *err)
{
	return code_load(args, out, err);
}

static int edit(const char *args, struct reply *out, struct err *err)
{
	struct entry *e = edit_entry(&args, err);
	struct buf text = { 0 }, now = { 0 };
	struct err why = { "" };
	char *path = e && clone_may_recode(e, err) == 0 ? text_temporary(err) : NULL;
	int ret = -1;

	if (!path)
		return -1;
	write_text(e, NULL, &text);
	if (text_write(path, &text, err) == 0 && host->edit_file(path, err) == 0 && text_read(path, &now, err) == 0) {
		if (now.len == text.len && !memcmp(now.s, text.s, now.len)) {
			host->buf_addf(&out->text, "nothing was changed: no entry is made\n");
			ret = 0;
		} else {
			ret = assemble(e, &now, "its code edited", out, &why);
		}
		if (ret < 0)
			host->err_set(err, "%s; the text is kept: 'code assemble %s' takes it when it is mended",
				      why.text, path);
	}
	if (ret == 0 || !now.len)
		unlink(path);
	host->buf_release(&now);
	host->buf_release(&text);
	free(path);
	return ret;
}

/* [ENTRY]*OFFSET: the entry, and the index of the instruction there. */
static struct entry *place(const char **args, int *index, struct err *err)
{
	size_t n = strcspn(*args, "* \t");
	struct entry *e;
	struct code *c;
	char *end, *id;
	const char *word;
	long offset;

	if ((*args)[n] != '*' || !isdigit((unsigned char)(*args)[n + 1])) {
		host->err_set(err, "where? *OFFSET, or ENTRY*OFFSET");
		return NULL;
	}
	id = n ? host->mem_fmt("%.*s", (int)n, *args) : NULL;
	word = id;
	e = n ? edit_entry(&word, err) : edit_selected(err);
	free(id);
	if (!e)
		return NULL;
	offset = strtol(*args + n + 1, &end, 10);
	*args = skip(end);
	c = host->code_get((struct py_code *)e->co);
	*index = host->code_index(c, (int)offset);
	if (offset > INT32_MAX || *index < 0 || c->instr[*index].offset != offset) {
		host->err_set(err, "no instruction of entry '%s' begins at %ld: 'disassemble -a %s'", e->id, offset,
			      e->id);
		return NULL;
	}
	while (*index + 1 < c->n && c->instr[*index].flags & INSTR_PREFIX)
		++*index;
	return e;
}

static int patch(const char *args, struct reply *out, struct err *err)
{
	struct asm_style style = { .index = 0 };
	struct buf text = { 0 };
	struct entry *e = place(&args, &style.index, err);
	char *how;
	int ret;

	if (!e)
		return -1;
	if (*args != '=' || !*skip(args + 1))
		return host->err_set(err, "patch to what? 'code patch *OFFSET = LOAD_CONST 3'");
	style.instead = skip(args + 1);
	write_text(e, &style, &text);
	how = host->mem_fmt("%s patched", e->id);
	ret = assemble(e, &text, how, out, err);
	free(how);
	host->buf_release(&text);
	return ret;
}

static int insert(const char *args, struct reply *out, struct err *err)
{
	struct asm_style style = { .index = 0 };
	struct buf text = { 0 }, lines = { 0 };
	struct entry *e = place(&args, &style.index, err);
	char *how, *s;
	int ret;

	if (!e)
		return -1;
	if (!*args)
		return host->err_set(err, "insert what? 'breakpoint', or instructions with ';' between them");
	if (!strcmp(args, "breakpoint"))
		host->asm_call("$breakpoint", &lines);
	else
		host->buf_addf(&lines, "%s", args);
	for (s = lines.s; *s; s++)
		if (*s == ';')
			*s = '\n';
	style.before = lines.s;
	write_text(e, &style, &text);
	how = host->mem_fmt("%s with more in it", e->id);
	ret = assemble(e, &text, how, out, err);
	free(how);
	host->buf_release(&lines);
	host->buf_release(&text);
	return ret;
}

static const struct sub {
	const char *name;
	int (*run)(const char *args, struct reply *out, struct err *err);
} subs[] = {
	{ "edit", edit }, { "save", save }, { "assemble", assemble_file }, { "patch", patch }, { "insert", insert },
};
enum { NSUBS = sizeof(subs) / sizeof(*subs) };

static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	size_t n = strcspn(args, " \t"), i;

	(void)s;
	for (i = 0; n && i < NSUBS; i++)
		if (!strncmp(args, subs[i].name, n))
			return subs[i].run(skip(args + n), out, err);
	return host->err_set(err, "code what? edit, save, assemble, patch, insert");
}

static void complete(struct session *s, const char *args, const char *word, struct val *list)
{
	bool first = args[strcspn(args, " \t")] == '\0';
	size_t i, n = strlen(word);

	(void)s;
	for (i = 0; first && i < NSUBS; i++)
		if (!strncmp(subs[i].name, word, n))
			host->val_push(list, host->val_str(subs[i].name));
	if (!first)
		edit_complete(word, list);
}

const struct cmd_def cmd_code[] = {
	{ .name = "code", .args = "edit|save|assemble|patch|insert ...", .group = GROUP_DYNAMO,
	  .flags = CMD_NEEDS_STOP | CMD_CHANGES | CMD_RAW, .complete = complete, .run = run,
	  .help = "change generated code: a clone of the entry gets it",
	  .more = "code edit ENTRY                    as text in $EDITOR\n"
		  "code save ENTRY FILE               that text\n"
		  "code assemble FILE                 the text of a file\n"
		  "code patch [ENTRY]*OFFSET = INSTR  one instruction another; jumps go 'to OFFSET'\n"
		  "code insert [ENTRY]*OFFSET breakpoint|INSTR;...\n"
		  "                                   more instructions before that one\n"
		  "What Dynamo made stays as it is, a clone is changed itself: 'entry run', 'entry\n"
		  "diff' try it, 'entry install' puts it into Dynamo's cache, 'undo' takes it out.\n"
		  "Code that would crash is refused with its line.  Without ENTRY the selected\n"
		  "frame's is meant." },
	{ .name = NULL }
};
