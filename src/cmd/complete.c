/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion: the possible words at the end of a line, from the tables of commands, views and names.  Knows no
   editor. */
#include "config.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/signame.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "engine/procs.h"
#include "engine/session.h"
#include "engine/variable.h"
#include "py/code/code.h"
#include "view/view.h"

/* Commands; a statement is possible there too, but the many builtins would hide the commands. */
static void complete_command(struct session *s, const char *word, struct val *list)
{
	struct frame *f = *word && session_stopped(s) ? session_frame(s, NULL) : NULL;
	const struct cmd_def *c;
	int i;

	for (i = 0; (c = cmd_at(i)); i++)
		val_push(list, val_str(c->name));
	if (strpbrk(word, ".["))
		cmd_complete_name(s, "", word, list);
	for (i = 0; f && f->code && i < code_nlocals(f->code); i++)
		val_push(list, val_str(code_local_name(f->code, i)));
}

void cmd_complete_signals(struct val *list, int but)
{
	int i, sig;

	for (i = 0; (sig = procs_signal_at(i)); i++)
		if (sig != but && !signame_uncatchable(sig))
			cmd_candidate(list, signame_name(sig), strsignal(sig));
	cmd_candidate(list, "all", "every signal that cdbg can catch, except SIGINT");
}

/* "0/", "0/1", "0/1+1": a number in two parts, which no Python name has. */
static bool is_number_pair(const char *s)
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

/* Where the word to complete begins: in Python a name, elsewhere the text after the last space. */
static const char *word_start(const char *args, bool raw)
{
	const char *p = args + strlen(args), *space = strrchr(args, ' ');

	if (raw && is_number_pair(space ? space + 1 : args))
		return space ? space + 1 : args;
	if (raw)
		return variable_start(args);
	while (p > args && !isspace((unsigned char)p[-1]))
		p--;
	return p;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct val *const *x = a, *const *y = b;

	return strverscmp((*x)->u.s, (*y)->u.s);
}

/* The same candidate, whatever it is described by. */
static bool same_candidate(const char *a, const char *b)
{
	size_t n = strcspn(a, "\t");

	return n == strcspn(b, "\t") && !strncmp(a, b, n);
}

/* Where a candidate with spaces begins if args end with several words of it; else the word. */
static const char *spaced_start(const char *args, const char *word, const struct val *list)
{
	const char *p;
	size_t i;

	for (p = args; p < word; p += strcspn(p, " \t"), p += strspn(p, " \t"))
		for (i = 0; i < list->u.list.n; i++)
			if (!strncmp(list->u.list.item[i]->u.s, p, strlen(p)))
				return p;
	return word;
}

/* Sorted, each once, and only those that begin with the word. */
static void tidy_candidates(struct val *list, const char *word)
{
	size_t i, n = 0;

	if (list->u.list.n)
		qsort(list->u.list.item, list->u.list.n, sizeof(*list->u.list.item), compare_candidates);
	for (i = 0; i < list->u.list.n; i++) {
		struct val *v = list->u.list.item[i];

		/* skip what cannot be typed: a terminal would obey it */
		if (strncmp(v->u.s, word, strlen(word)) || visible(v->u.s) != v->u.s ||
		    (n && same_candidate(list->u.list.item[n - 1]->u.s, v->u.s)))
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
	const char *args, *word, *space;
	bool raw;

	line += strspn(line, " \t");
	args = line + (*line == '?' ? 1 : strcspn(line, " \t")); /* "?break" is "? break" */
	if (!*args && *line != '?') {
		word = line;
		complete_command(s, word, list);
	} else {
		buf_add(&name, line, (size_t)(args - line));
		args += strspn(args, " \t");
		c = cmd_find(buf_str(&name), NULL);
		space = strrchr(args, ' ');
		/* the options of a subcommand are words, though its other arguments may be Python */
		raw = !c || ((c->flags & CMD_RAW) && !(c->subs && space && space[1] == '-'));
		if (!c) /* a statement */
			args = line;
		word = word_start(args, raw);
		if (c && c->subs)
			cmd_sub_complete(s, c, args, word, list);
		else if (c && c->complete)
			c->complete(s, args, word, list);
		else if (!c)
			cmd_complete_name(s, args, word, list);
	}
	if (*args)
		word = spaced_start(args, word, list);
	tidy_candidates(list, word);
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
