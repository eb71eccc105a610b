/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: code.  Writes generated code as text, lets the user change it, and assembles it into a clone of its
   entry.  Never changes the code that Dynamo made. */
#include "cmd/code_text.h"
#include "cmd/dynamo_cmd.h"
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
#include <unistd.h>

static const char *skip_spaces(const char *s)
{
	return s + strspn(s, " \t");
}

/* ---- the parts of the command ---------------------------------------------------------------------------- */

static int save(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	const char *id = cmd_arg(args, "ENTRY");
	struct entry *e = edit_entry(id, err);

	(void)s;
	return e ? code_save(e, cmd_arg(args, "FILE"), false, out, err) : -1;
}

static int write_python(struct entry *e, struct buf *out, struct err *err)
{
	char *text = host->code.python_write(host->code.get((struct py_code *)e->co), err);

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

/* Opens the file in the editor and reads it.  An editor that fails may have saved what was typed: the text is read all
   the same.  own: a temporary file, in a folder that other users can write to. */
static int edit_text(const char *path, bool own, struct buf *now, struct err *err)
{
	struct err other = { "" };
	const int ret = host->files.edit(path, err);

	return (own ? text_file_read_own : text_file_read)(path, now, ret < 0 ? &other : err) < 0 || ret < 0 ? -1 : 0;
}

/* The text that is edited, and in which file. */
struct editing {
	struct entry *e;
	bool python;
	const char *id;	   /* the entry as it was typed */
	const char *given; /* the user's file with the text to begin with; "": the entry's code in a temporary file */
	char *path;	   /* owned */
	struct buf text;   /* the entry's code */
	struct buf now;	   /* what the editor left */
};

static int edit_begin(struct editing *d, struct err *err)
{
	struct buf readable = { 0 };
	int ret;

	if ((d->python ? write_python : code_text_write)(d->e, &d->text, err) < 0)
		return -1;
	if (*d->given) {
		d->path = mem_str(d->given);
		ret = text_file_read(d->path, &readable, err);
		buf_release(&readable);
		return ret;
	}
	d->path = text_file_temporary(&d->text, err);
	return d->path ? 0 : -1;
}

static int edit_take(struct editing *d, struct reply *out, struct err *err)
{
	if (d->now.len == d->text.len && !memcmp(d->now.s, d->text.s, d->now.len)) {
		buf_adds(&out->text, "nothing was changed: no clone was made\n");
		return 0;
	}
	if (!d->python)
		return code_assemble(d->e, &d->now, "its code was edited", out, err);
	return code_take(d->e,
			 (PyObject *)host->code.python_read(host->code.get((struct py_code *)d->e->co), d->now.s, err),
			 "its Python was edited", out, err);
}

/* What was typed stays in its file, and the error says how to go on with it.  True: there is something to keep. */
static bool edit_keep(const struct editing *d, const struct err *why, struct err *err)
{
	if (!d->now.len || (d->now.len == d->text.len && !memcmp(d->now.s, d->text.s, d->now.len)))
		return false;
	if (d->python)
		err_set(err, "%s; the text is kept in %s and 'code edit -python %s %s' opens it again", why->text,
			d->path, d->id, d->path);
	else
		err_set(err, "%s; the text is kept: 'code assemble %s' assembles it when it is fixed", why->text,
			d->path);
	return true;
}

static int edit(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	const char *id = cmd_arg(args, "ENTRY"), *file = cmd_arg(args, "FILE");
	struct editing d = { .python = cmd_arg(args, "-python") != NULL, .id = id, .given = file ? file : "" };
	struct err why = { "" };
	bool keep = false;
	int ret = -1;

	(void)s;
	d.e = edit_entry(id, err);
	if (!d.e || clone_may_recode(d.e, err) < 0)
		return -1;
	d.id = d.e->id;
	if (edit_begin(&d, &why) == 0 && edit_text(d.path, !*d.given, &d.now, &why) == 0)
		ret = edit_take(&d, out, &why);
	if (ret < 0) {
		keep = edit_keep(&d, &why, err);
		if (!keep)
			err_set(err, "%s", why.text);
	}
	if (d.path && !keep && !*d.given)
		unlink(d.path);
	buf_release(&d.now);
	buf_release(&d.text);
	free(d.path);
	return ret;
}

/* [ENTRY]*OFFSET: the entry, and the index of the instruction there. */
static struct entry *find_place(const struct cmd_args *args, int *index, struct err *err)
{
	const char *text = cmd_arg(args, "[ENTRY]*OFFSET"), *star = strrchr(text, '*');
	size_t n = (size_t)(star - text);
	struct entry *e;
	struct code *c;
	char *end, *id;
	long offset;

	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	id = n ? mem_strn(text, n) : NULL;
	e = n ? edit_entry(id, err) : edit_selected(err);
	free(id);
	if (!e)
		return NULL;
	offset = strtol(star + 1, &end, 10);
	c = host->code.get((struct py_code *)e->co);
	*index = host->code.index(c, (int)offset);
	if (offset > INT32_MAX || *index < 0 || c->instr[*index].offset != offset) {
		err_set(err, "no instruction of entry '%s' begins at %ld: 'disassemble -a %s'", e->id, offset, e->id);
		return NULL;
	}
	while (*index + 1 < c->n && c->instr[*index].flags & INSTR_PREFIX)
		++*index;
	return e;
}

/* The n-th line of the text, from 1, without its comment. */
static char *nth_line(const char *text, int n)
{
	size_t end, name;

	for (; n > 1 && *text; n--)
		text += strcspn(text, "\n") + (text[strcspn(text, "\n")] != '\0');
	text = skip_spaces(text);
	end = strcspn(text, "\n");
	for (n = 0; (size_t)n < end && strncmp(text + n, "  #", 3); n++)
		;
	name = strcspn(text, " \t");
	return name >= (size_t)n ? mem_fmt("%.*s", n, text) :
				   mem_fmt("%.*s %.*s", (int)name, text, n - (int)(skip_spaces(text + name) - text),
					   skip_spaces(text + name));
}

/* Replaces "line 12" by "'POP_TOP' at *34": the user has seen no line numbers. */
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
		words = nth_line(text, n);
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
	struct code *c = host->code.get((struct py_code *)e->co);
	int *line = mem_alloc((size_t)c->n * sizeof(*line)), ret;
	char *how = mem_fmt("%s %s", e->id, what);
	struct buf text = { 0 };
	struct err why = { "" };

	code_text_changed(e, change, line, &text);
	ret = code_assemble(e, &text, how, out, &why);
	if (ret < 0)
		say_places(c, line, text.s, why.text, err);
	free(how);
	free(line);
	buf_release(&text);
	return ret;
}

static int patch_run(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	struct asm_style style = { .index = 0 };
	struct entry *e = find_place(args, &style.index, err);

	(void)s;
	if (!e)
		return -1;
	style.instead = cmd_arg(args, "INSTR");
	return assemble_changed(e, &style, "patched", out, err);
}

/* "A; B" as two lines; a ';' in quotes does not separate. */
static void split_statements(char *s)
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

static int insert_run(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	const char *what = cmd_arg(args, "breakpoint|INSTR;...");
	struct asm_style style = { .index = 0 };
	struct buf lines = { 0 };
	struct entry *e = find_place(args, &style.index, err);
	int ret;

	(void)s;
	if (!e)
		return -1;
	if (!strcmp(what, "breakpoint"))
		host->code.asm_call("$breakpoint", &lines);
	else
		buf_adds(&lines, what);
	split_statements(lines.s);
	style.before = lines.s;
	ret = assemble_changed(e, &style, "with instructions added", out, err);
	buf_release(&lines);
	return ret;
}

/* [ENTRY]*OFFSET, also with spaces before the star. */
static int check_offset(const char *text, struct err *err)
{
	const char *star = strrchr(text, '*');

	if (star && isdigit((unsigned char)star[1]) && !star[1 + strspn(star + 1, "0123456789")])
		return 0;
	return err_set(err, "invalid place '%s': expected *OFFSET or ENTRY*OFFSET", text);
}

static const struct cmd_kind kinds[] = {
	{ .name = "ENTRY", .flags = KIND_WORD, .complete = edit_complete_entry, .check = edit_check_entry },
	{ .name = "[ENTRY]*OFFSET", .complete = edit_complete_entry, .check = check_offset },
	{ .name = NULL },
};

#define CHANGES (CMD_NEEDS_STOP | CMD_CHANGES)

static const struct cmd_sub subs[] = {
	{ .name = "edit",
	  .args = "[-python] ENTRY [FILE]",
	  .flags = CHANGES,
	  .run = edit,
	  .help = "edit code as text in $EDITOR",
	  .more = "-python: as Python source, which is compiled again. FILE: begin with the text\n"
		  "in this file, such as one that was refused." },
	{ .name = "save",
	  .args = "ENTRY FILE",
	  .flags = CMD_NEEDS_STOP,
	  .run = save,
	  .help = "write that text to a file" },
	{ .name = "assemble",
	  .args = "FILE",
	  .flags = CHANGES,
	  .run = assemble_file,
	  .help = "make a clone from the text in a file" },
	{ .name = "patch",
	  .args = "[ENTRY]*OFFSET = INSTR",
	  .flags = CHANGES,
	  .run = patch_run,
	  .help = "replace one instruction",
	  .more = "The target of a jump is written as 'to OFFSET'." },
	{ .name = "insert",
	  .args = "[ENTRY]*OFFSET breakpoint|INSTR;...",
	  .flags = CHANGES,
	  .run = insert_run,
	  .help = "insert a breakpoint or instructions before an instruction" },
	{ .name = NULL },
};

const struct cmd_def cmd_code[] = {
	{ .name = "code",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_NEEDS_STOP | CMD_CHANGES | CMD_RAW,
	  .subs = subs,
	  .kinds = kinds,
	  .help = "edit generated code in a clone of its entry",
	  .more = "The code that Dynamo made is not changed; the code of a clone is changed in place.\n"
		  "'entry run' and 'entry diff' try the clone, 'entry install' puts it into Dynamo's\n"
		  "cache, 'undo' takes it out.  Code that would crash is refused with its line.\n"
		  "Without ENTRY: the entry of the selected frame." },
	{ .name = NULL },
};
