/* SPDX-License-Identifier: BSD-3-Clause */
/* View: a code object decompiled to Python, one line in each row.  Knows no Dynamo: plugins report what can be
   folded. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "engine/bp.h"
#include "engine/plug.h"
#include "engine/python_lines.h"
#include "engine/region_name.h"
#include "engine/source.h"
#include "py/py.h"
#include "view/view_table.h"
#include "view/target.h"

static const struct view_col cols[] = {
	{ .name = "line", .help = "number of the line of this text" },
	{ .name = "text", .help = "the line, as Python", .wide = true },
	{ .name = "user_line", .help = "the user's line of the statement", .drop = DROP_FOR_TEXT },
	{ .name = "region", .help = "kind of the region of generated code", .drop = DROP_FOR_TEXT + 1 },
	{ .name = "offset", .help = "offset of its first instruction", .machine_only = true },
	{ .name = "index", .help = "its first instruction", .machine_only = true },
	{ .name = "end", .help = "the instruction after its last one", .machine_only = true },
	{ .name = "breakpoint", .help = "number of the breakpoint set here", .machine_only = true },
	{ .name = "place", .help = "as break accepts it", .machine_only = true },
	{ .name = "about", .screen = true },
	{ .name = "syntax", .screen = true },
	{ .name = NULL }
};

/* The first of the code's breakpoints that stops at this line; 0: none. */
static int line_breakpoint(struct session *s, struct target *t, const int *table, int number)
{
	struct bp *b;
	int i;

	for (b = bp_first(s); b; b = b->next)
		for (i = 0; b->enabled && !b->dead && i < b->places.n; i++)
			if (b->places.place[i].code == t->code && table[b->places.place[i].index] == number)
				return b->number;
	return 0;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

struct python_text {
	struct target t;
	const char *words; /* as they were typed, without options */
	struct dec_source *d;
	int *table; /* by instruction: its line */
	int current;
	bool pane;
	struct code_info info;
};

/* The instructions that belong to a line and to no line before it, and the one that does what the line says. */
struct own {
	int from, end, main;
};

static bool returns(struct session *s, struct code *c, int index)
{
	const struct region *r = plug_region(s, c, index);

	return r && r->kind == REGION_RETURN;
}

static struct own own_instructions(struct session *s, const struct python_text *p, int i)
{
	const struct dec_line *l = &p->d->line[i];
	struct own o = { .from = l->from, .end = l->to + 1, .main = l->from };

	if (l->from < 0 || l->to >= p->t.code->n || p->table[l->to] != i + 1)
		return o;
	while (p->table[o.from] != i + 1)
		o.from++;
	for (o.main = l->to; o.main > o.from && returns(s, p->t.code, o.main);)
		o.main--;
	return o;
}

struct linked_line {
	const char *file; /* of the function: lines of other files are not its own */
	int line;	  /* the first in it; 0: none yet */
};

static void keep_line(void *arg, const char *what, const char *id, int line)
{
	struct linked_line *l = arg;
	size_t n = strlen(l->file);

	if (!strcmp(what, "line") && !l->line && !strncmp(id, l->file, n) && id[n] == ':')
		l->line = line;
}

static const char letters[] = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/* What a side effect changes, as the program names it: "calls" of "self.calls = 1" and "del self.calls", "names" of
   "names.update({4})", "history" of "self.history[:] = []".  Owned by the caller; NULL: it has no name. */
static char *changed_name(const char *text)
{
	const char *at = text + strspn(text, " "), *name = NULL;
	size_t n = 0;

	if (!strncmp(at, "del ", 4))
		at += 4;
	while (strspn(at, letters)) {
		if (name && at[strspn(at, letters)] == '(') /* a method */
			break;
		name = at;
		n = strspn(at, letters);
		at += n;
		if (*at != '.')
			break;
		at++;
	}
	return name && *at != '(' ? mem_fmt("%.*s", (int)n, name) : NULL;
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	const char *at;

	for (at = text; (at = strstr(at, word)) != NULL; at++)
		if (!strspn(at + n, letters) && (at == text || !strchr(letters, at[-1])))
			return true;
	return false;
}

/* The line of the statement that caused a side effect, by the instruction of this row that names what is changed; the
   row is about that one, if it is the row's own. */
static int named_line(struct session *s, const struct python_text *p, int number, const char *text, struct own *o,
		      const char *file)
{
	const struct dec_line *l = &p->d->line[number];
	struct linked_line found = { file, 0 };
	struct buf named = { 0 };
	char *name = changed_name(text), *id;
	int i;

	for (i = l->to; name && !found.line && i >= l->from && i >= 0; i--) {
		named.len = 0;
		code_arg_text(p->t.code, i, &named);
		if (!has_word(buf_str(&named), name))
			continue;
		id = mem_fmt("%s:%d", p->info.entry, i);
		plug_links(s, "instruction", id, keep_line, &found);
		free(id);
		if (found.line && i >= o->from && i < o->end)
			o->main = i;
	}
	buf_release(&named);
	free(name);
	return found.line;
}

/* The user's line: an output of a graph has that of the node that computes it, a side effect that of the statement that
   caused it, and the row is about that instruction. */
static int statement_line(struct session *s, const struct python_text *p, int number, const char *text, struct own *o,
			  const struct region *r)
{
	enum { MOST = 16 };
	struct linked_line found = { code_file(p->info.root ? code_get(p->info.root) : p->t.code), 0 };
	int line = stack_line(s, p->t.code, o->main), i;
	char *id;

	for (i = o->from; !line && i < o->main; i++)
		line = p->table[i] == p->table[o->main] ? stack_line(s, p->t.code, i) : 0;
	if (line || !p->info.entry || !r || (r->kind != REGION_OUTPUTS && r->kind != REGION_SIDE_EFFECTS))
		return line;
	if (r->kind == REGION_SIDE_EFFECTS)
		return named_line(s, p, number, text, o, found.file);
	for (i = o->from; !found.line && i < o->end && i < o->from + MOST; i++) {
		id = mem_fmt("%s:%d", p->info.entry, i);
		plug_links(s, "instruction", id, keep_line, &found);
		free(id);
		if (found.line)
			o->main = i;
	}
	return found.line;
}

/* The line, counted from 0, before line i that assigns the name at its beginning, as "_t3 = self.history" before
   "_t3[:] = []", and what it assigns; -1: none.  Lines before i end with a NUL each. */
static int assigned_before(const struct python_text *p, int i, const char *text, const char **value)
{
	const char *name = text + strspn(text, " "), *line = p->d->text, *at;
	size_t n = strspn(name, "_abcdefghijklmnopqrstuvwxyz0123456789");
	int k, found = -1;

	if (!n || !strchr("[(.", name[n]))
		return -1;
	for (k = 0; k < i; k++, line += strlen(line) + 1) {
		at = line + strspn(line, " ");
		if (!strncmp(at, name, n) && !strncmp(at + n, " = ", 3)) {
			found = k;
			*value = at + n + 3;
		}
	}
	return found;
}

/* The same for a side effect on an object that an earlier statement of the region loaded. */
static int effect_line(struct session *s, const struct python_text *p, int i, const char *text, struct own *o,
		       const struct region *r)
{
	int line = statement_line(s, p, i, text, o, r), from;
	const struct region *first;
	struct own loaded;
	const char *value;

	if (line || !r || r->kind != REGION_SIDE_EFFECTS)
		return line;
	from = assigned_before(p, i, text, &value);
	if (from < 0)
		return 0;
	loaded = own_instructions(s, p, from);
	first = loaded.from >= 0 ? plug_region(s, p->t.code, loaded.main) : NULL;
	return first == r ? statement_line(s, p, from, value, &loaded, first) : 0;
}

static void put_about(const struct python_text *p, const struct own *o, struct rows *out)
{
	char *name;

	if (!p->info.entry || o->from < 0)
		return;
	name = mem_fmt("instruction %s:%d", p->info.entry, o->main);
	rows_str(out, "about", ROLE_DIM, name);
	free(name);
}

/* What break accepts for this line. */
static void put_python_place(const struct python_text *p, int number, struct rows *out)
{
	char *place = mem_fmt("%s@python:%d", p->words, number);

	rows_str(out, "place", ROLE_DIM, place);
	free(place);
}

static void python_add_row(struct session *s, struct python_text *p, int i, const char *text, struct rows *out)
{
	struct own o = own_instructions(s, p, python_line_statement(p->d, i + 1) - 1);
	struct code *c = p->t.code;
	const bool wrapped = p->d->line[i].wrapped;
	const struct region *r = o.from >= 0 ? plug_region(s, c, o.main) : NULL;
	int line = o.from >= 0 && !wrapped ? effect_line(s, p, i, text, &o, r) : 0,
	    number = line_breakpoint(s, &p->t, p->table, i + 1);

	rows_add(out, (i + 1 == p->current ? MARK_CURRENT : 0) | (number ? MARK_BREAK : 0));
	rows_int(out, "line", i + 1);
	rows_str(out, "text", ROLE_TEXT, text);
	if (line)
		rows_int(out, "user_line", line);
	if (r)
		rows_str(out, "region", ROLE_DIM, region_name(r->kind));
	if (o.from >= 0 && !wrapped) {
		rows_int(out, "offset", c->instr[o.from].offset);
		rows_int(out, "index", o.from);
		rows_int(out, "end", o.end);
	}
	if (p->pane)
		put_about(p, &o, out);
	if (number)
		rows_int(out, "breakpoint", number);
	put_python_place(p, i + 1, out);
}

/* "entry 0/0 toy_example", and the line of the next instruction. */
static void put_python_title(const struct python_text *p, struct rows *out)
{
	const struct code_info *i = &p->info;
	char *name;

	if (!p->pane) {
		rows_title(out, "%s, as Python", p->t.title);
		return;
	}
	name = i->entry && i->root ?
		       mem_fmt("entry %s %s%s", i->entry, code_name(code_get(i->root)), i->resume ? " resumes" : "") :
		       mem_str(code_name(p->t.code));
	if (p->current)
		rows_title(out, "%s\t%d of %d", name, p->current, p->d->n);
	else
		rows_title(out, "%s\t%d lines", name, p->d->n);
	free(name);
}

static int add_lines(struct session *s, struct python_text *p, const struct view_req *req, struct rows *out,
		     struct err *err)
{
	char *whole, *line, *next; /* whole: for the colours of a pane */
	int i;

	if (!p->d)
		return err_set(err, "interrupted: '%s' is not decompiled", code_name(p->t.code));
	p->table = python_line_table(p->d, p->t.code);
	if (plug_code(s, p->t.co, &p->info) <= 0)
		p->info.entry = NULL;
	p->current = python_line_shown(p->d, p->t.code, p->t.index);
	whole = req->pane ? mem_str(p->d->text) : NULL;
	for (i = 0, line = p->d->text; i < p->d->n; i++, line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (!rows_want(out, req))
			continue;
		python_add_row(s, p, i, line, out);
		if (whole)
			rows_str(out, "syntax", ROLE_DIM, source_text_syntax(s, whole, i + 1));
	}
	put_python_title(p, out);
	free(whole);
	free(p->table);
	return 0;
}

static int view_python_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct python_text p = { .words = req->words, .pane = req->pane };
	bool whole = !strncmp(p.words, "-a", 2) && (!p.words[2] || p.words[2] == ' ');
	int rc;

	if (whole)
		p.words += 2 + strspn(p.words + 2, " ");
	if (target_find(s, p.words, &p.t, err) < 0)
		return -1;
	p.d = python_lines_source(s, p.t.code, NULL, whole);
	rc = add_lines(s, &p, req, out, err);
	dec_source_free(p.d);
	target_release(&p.t);
	return rc;
}

/* The source alone, so that it can be copied; the next instruction's line is marked. */
static void view_python_text(struct session *s, const struct rows *rows, struct buf *out)
{
	size_t i;

	(void)s;
	for (i = 0; i < rows->n; i++)
		buf_addf(out, "%s %s\n",
			 rows->mark[i] & MARK_CURRENT ? "=>" :
			 rows->mark[i] & MARK_BREAK   ? "* " :
							"  ",
			 rows_text(rows, i, "text"));
}

static const char *const more[] = { "break {place} if ", "tbreak {place}", "jump {place}", NULL };

const struct view_ops view_python = {
	.name = "python",
	.args = "[-a] [FUNC|ENTRY]",
	.help = "the code of the selected frame, a function or an entry, as Python source",
	.cols = cols,
	.fill = view_python_fill,
	.text = view_python_text,
	.action = view_place_action,
	.more = more,
	.none = "no source",
};
