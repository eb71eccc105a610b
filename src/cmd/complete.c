/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion: what may stand at the end of a line, by the tables of commands, views and names.  Knows no editor. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"
#include "engine/session.h"
#include "py/code.h"
#include "py/frame.h"
#include "view/view.h"

static void add_if(struct val *list, const char *name, const char *word)
{
	if (!strncmp(name, word, strlen(word)))
		val_push(list, val_str(name));
}

void cmd_complete_view(struct session *s, const char *args, const char *word, struct val *list)
{
	const struct view_ops *v;
	int i;

	(void)s;
	(void)args;
	for (i = 0; (v = view_at(i)); i++)
		add_if(list, v->name, word);
}

/* The names of the selected frame. */
void cmd_complete_name(struct session *s, const char *args, const char *word, struct val *list)
{
	struct frame *f = session_stopped(s) ? session_frame(s, NULL) : NULL;
	int i, n;

	(void)args;
	if (!f || !f->code)
		return;
	n = code_nlocals(f->code);
	for (i = 0; i < n; i++)
		add_if(list, code_local_name(f->code, i), word);
}

static void add_functions(struct code *c, const char *word, struct val *list, int depth)
{
	struct py_code *co;
	struct code *inner;
	int i;

	if (depth > 8)
		return;
	for (i = 0; (co = code_nested(c, i)); i++) {
		inner = code_get(co);
		if (code_name(inner)[0] != '<')
			add_if(list, code_name(inner), word);
		add_functions(inner, word, list, depth + 1);
	}
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
	for (i = 0; (co = session_module_code(s, i)); i++) {
		c = code_get(co);
		add_functions(c, word, list, 0);
		file = code_file(c);
		slash = strrchr(file, '/');
		with = mem_fmt("%s:", slash ? slash + 1 : file);
		add_if(list, with, word);
		free(with);
	}
}

static void complete_command(struct session *s, const char *word, struct val *list)
{
	const struct cmd_def *c;
	int i;

	for (i = 0; (c = cmd_at(i)); i++)
		add_if(list, c->name, word);
	if (*word)
		cmd_complete_name(s, "", word, list);
}

/* Where the word to complete begins; in Python it is a name, elsewhere what stands behind the last space. */
static const char *word_start(const char *args, bool raw)
{
	const char *p = args + strlen(args);

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

	return strcmp((*x)->u.s, (*y)->u.s);
}

/* Sorted, each once, and only what begins with the word. */
static void tidy(struct val *list, const char *word)
{
	size_t i, n = 0;

	if (list->u.list.n)
		qsort(list->u.list.item, list->u.list.n, sizeof(*list->u.list.item), by_text);
	for (i = 0; i < list->u.list.n; i++) {
		struct val *v = list->u.list.item[i];

		if (strncmp(v->u.s, word, strlen(word)) || (n && !strcmp(list->u.list.item[n - 1]->u.s, v->u.s)))
			val_free(v);
		else
			list->u.list.item[n++] = v;
	}
	list->u.list.n = n;
}

void cmd_complete(struct session *s, const char *line, struct val *list)
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
}
