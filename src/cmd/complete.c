/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion: what may stand at the end of a line, by the tables of commands, views and names.  Knows no editor. */
#include "config.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/visible.h"
#include "cmd/cmd.h"
#include "base/err.h"
#include "engine/session.h"
#include "engine/source.h"
#include "py/code/code.h"
#include "py/interp/lookup.h"
#include "py/interp/names.h"
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
	size_t stem;                         /* length of "x." in the word: names are what stands behind */
	char *want;                          /* the first name of it */
	struct py_obj *found;                /* owned: its value */
};

static void add_name(void *arg, const char *name, struct py_obj *value)
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

/* The names that an expression in the selected frame finds; behind a dot what the value has, as far as dicts tell. */
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
		names_visible(f->fo, add_name, &n);
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
		lookup_members(n.found, add_name, &n);
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

/* "f.py:": the lines that hold something, with their text. */
static void add_lines(struct session *s, const char *word, struct val *list)
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

/* The program's functions and files. */
void cmd_complete_location(struct session *s, const char *args, const char *word, struct val *list)
{
	struct py_code *co;
	struct code *c;
	const char *file, *slash;
	char *with;
	int i;

	(void)args;
	if (strchr(word, ':')) {
		add_lines(s, word, list);
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

/* Commands; a statement may stand there too, but builtins would only be in the way of commands. */
static void complete_command(struct session *s, const char *word, struct val *list)
{
	struct frame *f = *word && session_stopped(s) ? session_frame(s, NULL) : NULL;
	const struct cmd_def *c;
	int i;

	for (i = 0; (c = cmd_at(i)); i++)
		val_push(list, val_str(c->name));
	if (strchr(word, '.'))
		cmd_complete_name(s, "", word, list);
	for (i = 0; f && f->code && i < code_nlocals(f->code); i++)
		val_push(list, val_str(code_local_name(f->code, i)));
}

/* "0/", "0/1", "0/1+1": a number in two parts, as no name is. */
static bool is_number(const char *s)
{
	static const char digits[] = "0123456789";
	size_t n = strspn(s, digits);

	if (!n || s[n] != '/')
		return false;
	s += n + 1;
	s += strspn(s, digits);
	s += *s == '+';
	return !s[strspn(s, digits)];
}

/* Where the word to complete begins; in Python it is a name, elsewhere what stands behind the last space. */
static const char *word_start(const char *args, bool raw)
{
	const char *p = args + strlen(args), *space = strrchr(args, ' ');

	if (raw && is_number(space ? space + 1 : args))
		return space ? space + 1 : args;
	if (raw)
		while (p > args && (isalnum((unsigned char)p[-1]) || strchr("_$.", p[-1])))
			p--;
	else
		while (p > args && !isspace((unsigned char)p[-1]))
			p--;
	return p;
}

static int by_text(const void *a, const void *b)
{
	const struct val *const *x = a, *const *y = b;

	return strverscmp((*x)->u.s, (*y)->u.s);
}

/* Sorted, each once, and only what begins with the word. */
static void tidy(struct val *list, const char *word)
{
	size_t i, n = 0;

	if (list->u.list.n)
		qsort(list->u.list.item, list->u.list.n, sizeof(*list->u.list.item), by_text);
	for (i = 0; i < list->u.list.n; i++) {
		struct val *v = list->u.list.item[i];

		/* nor what cannot be typed, which a terminal would obey */
		if (strncmp(v->u.s, word, strlen(word)) || visible(v->u.s) != v->u.s ||
		    (n && !strcmp(list->u.list.item[n - 1]->u.s, v->u.s)))
			val_free(v);
		else
			list->u.list.item[n++] = v;
	}
	list->u.list.n = n;
}

static const char *find_all(struct session *s, const char *line, struct val *list)
{
	const struct cmd_def *c;
	struct buf name = { 0 };
	const char *args, *word;

	line += strspn(line, " \t");
	args = line + strcspn(line, " \t");
	if (!*args) {
		word = line;
		complete_command(s, word, list);
	} else {
		buf_add(&name, line, (size_t)(args - line));
		args += strspn(args, " \t");
		c = cmd_find(buf_str(&name), NULL);
		word = word_start(args, !c || (c->flags & CMD_RAW));
		if (c && c->complete)
			c->complete(s, args, word, list);
		else if (!c)
			cmd_complete_name(s, args, word, list);
	}
	tidy(list, word);
	buf_release(&name);
	return word;
}

const char *cmd_complete(struct session *s, const char *line, struct val *list)
{
	const char *word = find_all(s, line, list);
	struct val **item;
	size_t i, n;

	for (i = 0; i < list->u.list.n; i++) {
		char *text;

		item = &list->u.list.item[i];
		n = strcspn((*item)->u.s, "\t");
		if (!(*item)->u.s[n])
			continue;
		text = mem_strn((*item)->u.s, n);
		val_free(*item);
		*item = val_str(text);
		free(text);
	}
	return word;
}

void cmd_complete_described(struct session *s, const char *line, struct val *list)
{
	find_all(s, line, list);
	cmd_describe(s, line, list);
}
