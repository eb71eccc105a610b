/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of arguments, and what completes each: views, names of the selected frame, functions and files of the program.
   Knows no command. */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "engine/plug.h"
#include "engine/region_name.h"
#include "engine/session.h"
#include "engine/source.h"
#include "py/code/code.h"
#include "py/interp/lookup.h"
#include "py/interp/names.h"
#include "view/target.h"
#include "view/view.h"

void cmd_complete_view(struct session *s, const char *args, const char *word, struct val *list)
{
	const char *space = strchr(args, ' ');
	char *name = mem_strn(args, space ? (size_t)(space - args) : 0);
	const struct view_ops *v = space ? view_find(name, NULL) : NULL;
	int i;

	free(name);
	if (v && v->complete)
		v->complete(s, space + strspn(space, " "), word, list);
	for (i = 0; !space && (v = view_at(i)); i++)
		val_push(list, val_str(v->name));
}

struct naming {
	struct val *list;
	const char *word;
	size_t stem;	      /* length of "x." in the word: names follow it */
	char *want;	      /* the first name of it */
	struct py_obj *found; /* owned: its value */
};

static void complete_name(void *arg, const char *name, struct py_obj *value)
{
	struct naming *n = arg;
	const char *part = n->word + n->stem;
	char *whole;

	(void)value;
	if (strncmp(name, part, strlen(part)) || (*name == '_' && *part != '_'))
		return;
	whole = mem_fmt("%.*s%s", (int)n->stem, n->word, name);
	val_push(n->list, val_str(whole));
	free(whole);
}

static void find_name(void *arg, const char *name, struct py_obj *value)
{
	struct naming *n = arg;

	if (!n->found && !strcmp(name, n->want))
		n->found = py_ref(value);
}

/* The names that an expression in the selected frame can use; after a dot the attributes of the value, as far as dicts
   have them. */
void cmd_complete_name(struct session *s, const char *args, const char *word, struct val *list)
{
	struct frame *f = session_stopped(s) ? session_frame(s, NULL) : NULL;
	const char *dot = strrchr(word, '.'), *p;
	struct naming n = { .list = list, .word = word, .stem = dot ? (size_t)(dot + 1 - word) : 0 };
	struct py_obj *inner;

	(void)args;
	if (!f || !f->fo)
		return;
	if (!dot) {
		names_visible(f->fo, complete_name, &n);
		return;
	}
	n.want = mem_strn(word, strcspn(word, "."));
	names_visible(f->fo, find_name, &n);
	for (p = word + strlen(n.want); n.found && p != dot; p += strlen(n.want)) {
		p++;
		free(n.want);
		n.want = mem_strn(p, strcspn(p, "."));
		inner = lookup_member(n.found, n.want);
		py_unref(n.found);
		n.found = inner;
	}
	if (n.found)
		lookup_members(n.found, complete_name, &n);
	py_unref(n.found);
	free(n.want);
}

static void add_functions(struct code *c, struct val *list, int depth)
{
	struct py_code *co;
	struct code *inner;
	int i;

	if (depth > 8)
		return;
	for (i = 0; (co = code_nested(c, i)); i++) {
		inner = code_get(co);
		if (code_name(inner)[0] != '<')
			val_push(list, val_str(code_name(inner)));
		add_functions(inner, list, depth + 1);
	}
}

/* "f.py:": the lines that are not empty, with their text. */
static void complete_lines(struct session *s, const char *word, struct val *list)
{
	enum { LINES_MAX = 5000 };
	const char *colon = strchr(word, ':'), *file, *text;
	char *name = mem_strn(word, (size_t)(colon - word)), *both;
	struct err err;
	int i, n;

	file = source_find(s, name);
	n = file ? source_lines(s, file, &err) : 0;
	for (i = 1; i <= n && i <= LINES_MAX; i++) {
		text = source_line(s, file, i);
		text += text ? strspn(text, " \t") : 0;
		if (!text || !*text || *text == '#')
			continue;
		both = mem_fmt("%s:%d\t%s", name, i, visible(text));
		val_push(list, val_str(both));
		free(both);
	}
	free(name);
}

/* "lines 7-9, __compiled_fn_1(a, b), 5 nodes": what people know a region by. */
static void region_text(const struct target *t, const struct region *r, int more, struct buf *out)
{
	if (r->line && r->last_line > r->line)
		buf_addf(out, "lines %d-%d, ", r->line, r->last_line);
	else if (r->line)
		buf_addf(out, "line %d, ", r->line);
	if (r->text)
		buf_addf(out, "%s, ", r->text);
	if (r->nodes >= 0)
		buf_addf(out, "%d nodes, ", r->nodes);
	buf_addf(out, "offset %d", t->code->instr[r->start].offset);
	if (more)
		buf_addf(out, ", and %d more", more);
}

/* "f@": the kinds of regions in its newest generated code; "@": in the selected frame's. */
static void add_regions(struct session *s, const char *word, struct val *list)
{
	const char *at = strrchr(word, '@');
	char *func = mem_strn(word, (size_t)(at - word)), *both;
	const struct region *r = NULL;
	struct buf b = { 0 };
	struct target t;
	struct err err;
	int i, k, n = 0, kind, more;

	if (target_find(s, func, &t, &err) < 0) {
		free(func);
		return;
	}
	if (plug_regions(s, t.code, &r, &n) <= 0)
		n = 0;
	for (kind = 0; kind < REGION_KINDS; kind++) {
		for (i = 0; i < n && (int)r[i].kind != kind; i++)
			;
		if (i == n)
			continue;
		for (more = 0, k = i + 1; k < n; k++)
			more += (int)r[k].kind == kind;
		buf_reset(&b);
		region_text(&t, &r[i], more, &b);
		both = mem_fmt("%s@%s\t%s", func, region_name((enum region_kind)kind), visible(buf_str(&b)));
		val_push(list, val_str(both));
		free(both);
	}
	buf_release(&b);
	target_release(&t);
	free(func);
}

static void add_node(void *list, const char *name)
{
	char *with = mem_fmt("node:%s", name);

	val_push(list, val_str(with));
	free(with);
}

/* The program's functions and files. */
void cmd_complete_location(struct session *s, const char *args, const char *word, struct val *list)
{
	struct py_code *co;
	struct code *c;
	const char *file, *slash;
	char *with;
	int i;

	(void)args;
	if (!strncmp(word, "node:", 5)) {
		plug_node_names(s, add_node, list);
		return;
	}
	if (strchr(word, '@')) {
		add_regions(s, word, list);
		return;
	}
	if (strchr(word, ':')) {
		complete_lines(s, word, list);
		return;
	}
	for (i = 0; (co = session_module_code(s, i)); i++) {
		c = code_get(co);
		add_functions(c, list, 0);
		file = code_file(c);
		slash = strrchr(file, '/');
		with = mem_fmt("%s:", slash ? slash + 1 : file);
		val_push(list, val_str(with));
		free(with);
	}
}

static int check_count(const char *text, struct err *err)
{
	long count;

	return cmd_count(text, &count, err);
}

const struct cmd_kind cmd_kinds[] = {
	{ .name = "N", .flags = KIND_WORD, .check = check_count },
	{ .name = "EXPR", .flags = KIND_TEXT, .complete = cmd_complete_name },
	{ .name = "VALUE", .flags = KIND_TEXT },
	{ .name = "TEXT", .flags = KIND_TEXT },
	{ .name = "FUNC", .complete = cmd_complete_location },
	{ .name = "LOCATION", .complete = cmd_complete_location },
	{ .name = "VIEW", .flags = KIND_WORD, .complete = cmd_complete_view },
	{ .name = NULL },
};
