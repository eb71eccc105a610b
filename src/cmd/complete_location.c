/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion of locations: functions, files, lines, regions, nodes, each with what it is.  Knows no command. */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "engine/loc.h"
#include "engine/plug.h"
#include "engine/region_name.h"
#include "engine/modules.h"
#include "engine/session.h"
#include "engine/source.h"
#include "py/code/code.h"
#include "view/target.h"

static void count_code(void *arg, struct py_code *co)
{
	(void)co;
	++*(int *)arg;
}

/* "method, f.py:12", "compiled function, f.py:12" */
static void location_push(struct session *s, struct code *c, struct py_code *co, bool in_class, struct val *list)
{
	const char *name = strchr(code_qualname(c), '<') ? code_name(c) : code_qualname(c);
	const char *kind = code_is_class(c) ? "class" : in_class ? "method" : "function";
	int compiled = 0;

	plug_pieces(s, co, count_code, &compiled);
	val_pushf(list, "%s\t%s%s, %s:%d", name, compiled ? "compiled " : "", kind, text_path_file_name(code_file(c)),
		  code_first_line(c));
}

static void add_functions(struct session *s, struct code *c, struct val *list, int depth)
{
	struct py_code *co;
	struct code *inner;
	int i;

	if (depth > 8)
		return;
	for (i = 0; (co = code_nested(c, i)); i++) {
		inner = code_get(co);
		if (code_name(inner)[0] != '<')
			location_push(s, inner, co, code_is_class(c), list);
		add_functions(s, inner, list, depth + 1);
	}
}

/* "f.py:": the lines that are not empty, with their text. */
static void complete_lines(struct session *s, const char *word, struct val *list)
{
	enum { LINES_MAX = 5000 };
	const char *colon = strchr(word, ':'), *file, *text;
	char *name = mem_strn(word, (size_t)(colon - word));
	struct err err;
	int i, n;

	file = source_find(s, name);
	n = file ? source_lines(s, file, &err) : 0;
	for (i = 1; i <= n && i <= LINES_MAX; i++) {
		text = source_line(s, file, i);
		text += text ? strspn(text, " \t") : 0;
		if (!text || !*text || *text == '#')
			continue;
		val_pushf(list, "%s:%d\t%s", name, i, visible(text));
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

/* The kinds of regions in this code, after the func of "func@"; of: its name where func means several, or NULL. */
static void add_code_regions(struct session *s, const struct target *t, const char *func, const char *of,
			     struct val *list)
{
	const struct region *r = NULL;
	struct buf b = { 0 };
	int i, k, n = 0, kind, more;

	if (plug_regions(s, t->code, &r, &n) <= 0)
		n = 0;
	for (kind = 0; kind < REGION_KINDS; kind++) {
		for (i = 0; i < n && (int)r[i].kind != kind; i++)
			;
		if (i == n)
			continue;
		for (more = 0, k = i + 1; k < n; k++)
			more += (int)r[k].kind == kind;
		buf_reset(&b);
		if (of)
			buf_addf(&b, "%s and others, ", of);
		region_text(t, &r[i], more, &b);
		val_pushf(list, "%s@%s\t%s", func, region_name((enum region_kind)kind), visible(buf_str(&b)));
	}
	buf_release(&b);
}

struct several {
	struct session *s;
	const char *func;
	struct val *list;
};

/* One of the functions that the name means: it is found by its full name. */
static void add_one_of(void *arg, struct py_code *co)
{
	struct several *all = arg;
	const char *name = code_qualname(code_get(co));
	struct target t;
	struct err err;

	if (!strcmp(name, all->func) || target_find(all->s, name, &t, &err) < 0)
		return;
	add_code_regions(all->s, &t, all->func, name, all->list);
	target_release(&t);
}

/* "f@": the kinds of regions in its newest generated code, or in that of all functions of that name; "@": in the
   selected frame's. */
static void add_regions(struct session *s, const char *word, struct val *list)
{
	const char *at = strrchr(word, '@');
	char *func = mem_strn(word, (size_t)(at - word));
	struct several all = { .s = s, .func = func, .list = list };
	struct target t;
	struct err err;

	if (target_find(s, func, &t, &err) == 0) {
		add_code_regions(s, &t, func, NULL, list);
		target_release(&t);
	} else if (*func) {
		loc_functions(s, func, add_one_of, &all, &err);
	}
	free(func);
}

static void add_node(void *list, const char *name)
{
	val_pushf(list, "node:%s", name);
}

static void add_plugin_name(void *list, const char *name)
{
	val_push(list, val_str(name));
}

static void count_name(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
}

static void add_files(struct session *s, struct val *list)
{
	struct py_code *co;
	struct code *c;
	int i, nodes = 0;

	for (i = 0; (co = modules_code(i)); i++) {
		c = code_get(co);
		add_functions(s, c, list, 0);
		val_pushf(list, "%s:\tfile: its lines", text_path_file_name(code_file(c)));
	}
	plug_names(s, add_plugin_name, list);
	plug_node_names(s, count_name, &nodes);
	if (nodes)
		val_push(list, val_str("node:\tnodes of compiled graphs"));
}

/* Where the FUNC of the last "FUNC@" in args begins: names of plugins, and those of regions, have spaces. */
static const char *region_start(struct session *s, const char *args, const char *word)
{
	const char *at = strrchr(args, '@'), *start, *p, *name;
	struct val *names;
	size_t i, n;

	for (start = at; start && start > args && start[-1] != ' '; start--)
		;
	if (!at)
		return word;
	names = val_list();
	plug_names(s, add_plugin_name, names);
	for (p = args; p < start; p += strcspn(p, " "), p += strspn(p, " "))
		for (i = 0; i < names->u.list.n && p < start; i++) {
			name = names->u.list.item[i]->u.s;
			n = strcspn(name, "\t");
			if (n == (size_t)(at - p) && !strncmp(name, p, n))
				start = p;
		}
	val_free(names);
	return start;
}

/* The program's functions and files, and what plugins know of them. */
void cmd_complete_location(struct session *s, const char *args, const char *word, struct val *list)
{
	word = region_start(s, args, word);
	if (!strncmp(word, "node:", 5))
		plug_node_names(s, add_node, list);
	else if (strchr(word, '@'))
		add_regions(s, word, list);
	else if (strchr(word, ':'))
		complete_lines(s, word, list);
	else
		add_files(s, list);
}

char *cmd_complete_none(struct session *s, const char *line)
{
	const char *word = strrchr(line, ' '), *at;
	struct target t;
	struct err err;
	char *func, *text = NULL;
	int nodes = 0;

	word = region_start(s, line, word ? word + 1 : line);
	at = strrchr(word, '@');
	if (at && at > word) {
		func = mem_strn(word, (size_t)(at - word));
		if (target_find(s, func, &t, &err) == 0) {
			if (target_original(s, &t) == t.co)
				text = mem_fmt("'%s' is not compiled yet: its regions are known after that", func);
			target_release(&t);
		} else {
			text = mem_fmt("no function '%s' is known yet", func);
		}
		free(func);
	} else if (!strncmp(word, "node:", 5)) {
		plug_node_names(s, count_name, &nodes);
		if (!nodes)
			text = mem_str("no graph is compiled yet: its nodes are known after that");
	}
	return text ? text : *word ? mem_fmt("nothing completes '%s'", word) : mem_str("nothing to complete here");
}
