/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: list and ll, source text around a place. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmd/cmd_table.h"
#include "engine/session.h"
#include "engine/source.h"
#include "py/hook/hook.h"
#include "view/render.h"
#include "view/target.h"

enum { BEFORE = 5, LINES = 11 };

/* What was listed last, so that `list` alone continues there, unless something else was shown since. */
static struct {
	char *file; /* owned */
	int first, next;
	int thread, level, line; /* of the frame that was selected */
	unsigned long serial;
} last;

static bool list_same_place(const struct session *s, const struct frame *f)
{
	return last.file && f && last.thread == s->viewed->number && last.level == f->level && last.line == f->line &&
	       last.serial == s->viewed->serial;
}

static void list_remember(const struct session *s, const struct frame *f, const char *file, int first, int next)
{
	char *copy = mem_str(file);

	free(last.file);
	last.file = copy;
	last.first = first;
	last.next = next;
	if (!f)
		return;
	last.thread = s->viewed->number;
	last.level = f->level;
	last.line = f->line;
	last.serial = s->viewed->serial;
}

static const char current_shows[] = ": 'list .' shows the current line";

/* Lines first..end (exclusive) of a file, as far as it has them.  Returns the line after the last, or -1. */
static int show_lines(struct session *s, const char *file, int first, int end, struct reply *out, struct err *err)
{
	struct frame *f = session_stopped(s) ? session_frame(s, NULL) : NULL;
	int n = source_lines(s, file, err), i, line = 0;
	const char *own = f ? stack_source(f, &line) : NULL;

	if (n < 0)
		return -1;
	if (first < 1)
		first = 1;
	if (first > n)
		return err_set(err, "'%s' has %d lines%s", render_file(file), n, f ? current_shows : "");
	for (i = first; i < end && i <= n; i++) {
		render_source(s, file, i, own && line == i && !strcmp(own, file) ? "->" : "", &out->text);
		buf_addc(&out->text, '\n');
	}
	return i;
}

static int list_show(struct session *s, const char *file, int first, int end, struct reply *out, struct err *err)
{
	int next = show_lines(s, file, first, end, out, err);

	if (next < 0)
		return -1;
	list_remember(s, session_stopped(s) ? session_frame(s, NULL) : NULL, file, first < 1 ? 1 : first, next);
	free(s->lines.last); /* an empty line continues, whatever was asked for */
	s->lines.last = mem_str("list");
	return 0;
}

static int current_line(const struct frame *f)
{
	int line;

	stack_source(f, &line);
	return line ? line : 1;
}

static int list_function(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct target t;
	struct code *c;
	char *file;
	int line, ret;

	if (target_find(s, args, &t, err) < 0)
		return -1;
	c = code_get(target_original(s, &t));
	file = mem_str(code_file(c));
	line = code_first_line(c);
	target_release(&t);
	ret = list_show(s, file, line, line + LINES, out, err);
	free(file);
	return ret;
}

/* A number at text, *end after it, at most the number of lines in the file. */
static long line_number(const char *text, char **end)
{
	enum { LAST = 10000000 };
	long n = strtol(text, end, 10);

	return n > LAST ? LAST : n < -LAST ? -LAST : n;
}

/* FILE:LINE; 1 if text is one. */
static int list_file(struct session *s, const char *args, struct reply *out, struct err *err)
{
	const char *colon = strrchr(args, ':'), *file;
	char *name, *end;
	long line;

	if (!colon || colon == args || !isdigit((unsigned char)colon[1]))
		return 0;
	line = line_number(colon + 1, &end);
	if (*end)
		return 0;
	name = mem_strn(args, (size_t)(colon - args));
	file = source_find(s, name);
	if (!file)
		err_set(err, "no file '%s' in the program", name);
	free(name);
	if (!file)
		return -1;
	return list_show(s, file, (int)line - BEFORE, (int)line - BEFORE + LINES, out, err) < 0 ? -1 : 1;
}

/* A, B; A,; ,B; A: line numbers of the current file.  1 if text is one. */
static int list_range(struct session *s, const struct frame *f, const char *args, struct reply *out, struct err *err)
{
	int line;
	const char *file = f ? stack_source(f, &line) : last.file;
	long a, b;
	char *end;

	if (!isdigit((unsigned char)*args) && *args != ',')
		return 0;
	if (!file)
		return err_set(err, "no file to list yet: 'list FILE:LINE' or 'list FUNC'");
	a = line_number(args, &end);
	end += strspn(end, " \t");
	if (!*end)
		return list_show(s, file, (int)a - BEFORE, (int)a - BEFORE + LINES, out, err) < 0 ? -1 : 1;
	if (*end != ',')
		return err_set(err, "invalid lines '%s': expected 'list FIRST,LAST'", args);
	args = end + 1 + strspn(end + 1, " \t");
	b = *args ? line_number(args, &end) : a + LINES - 1;
	if (*args && *end)
		return err_set(err, "invalid line '%s': expected 'list FIRST,LAST'", args);
	if (!a)
		a = b - LINES + 1;
	if (b < a) /* as in pdb: a count */
		b = a + b;
	return list_show(s, file, (int)a, (int)b + 1, out, err) < 0 ? -1 : 1;
}

/* The lines after what was listed last, or before it. */
static int list_on(struct session *s, const struct frame *f, bool back, struct reply *out, struct err *err)
{
	bool same = list_same_place(s, f) || (!f && last.file);
	int first = same ? last.first : f ? current_line(f) - BEFORE : 1, ret, line;
	char *file;

	if (!f && !last.file)
		return err_set(err, "nothing to list: the program is not stopped, 'list FUNC' works");
	if (back && first <= 1)
		return err_set(err, "already at the start of the file%s", f ? current_shows : "");
	file = mem_str(same ? last.file : stack_source(f, &line));
	if (back)
		ret = list_show(s, file, first - LINES, first, out, err);
	else if (same)
		ret = list_show(s, file, last.next, last.next + LINES, out, err);
	else
		ret = list_show(s, file, first, first + LINES, out, err);
	free(file);
	return ret;
}

static int list_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct frame *f = session_stopped(s) ? session_frame(s, err) : NULL;
	int ret, line;

	if (!*args || !strcmp(args, "+") || !strcmp(args, "-"))
		return list_on(s, f, *args == '-', out, err);
	if (!strcmp(args, ".")) {
		if (!f)
			return err_set(err, "no current line: the program is not stopped");
		return list_show(s, stack_source(f, &line), current_line(f) - BEFORE, current_line(f) - BEFORE + LINES,
				 out, err);
	}
	ret = list_range(s, f, args, out, err);
	if (!ret)
		ret = list_file(s, args, out, err);
	if (!ret)
		return list_function(s, args, out, err);
	return ret < 0 ? -1 : 0;
}

static int last_line_of(struct code *c)
{
	struct py_code *co;
	int i, line = code_first_line(c), n;

	code_decode(c);
	for (i = 0; i < c->n; i++)
		if (c->instr[i].end_line > line)
			line = c->instr[i].end_line;
	for (i = 0; (co = code_nested(c, i)); i++) {
		n = last_line_of(code_get(co));
		if (n > line)
			line = n;
	}
	return line;
}

static int ll_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct frame *f = *args || !session_stopped(s) ? NULL : session_frame(s, NULL);
	struct target t;
	struct code *c;
	char *file;
	int first, n;

	if (f && f->fake) /* being compiled: identified by its name */
		args = f->function;
	if (target_find(s, args, &t, err) < 0)
		return -1;
	c = code_get(target_original(s, &t));
	file = mem_str(code_file(c));
	first = code_first_line(c);
	n = source_lines(s, file, err);
	if (n >= 0 && !strcmp(code_name(c), "<module>"))
		n = show_lines(s, file, 1, n + 1, out, err);
	else if (n >= 0)
		n = show_lines(s, file, first, last_line_of(c) + 1, out, err);
	target_release(&t);
	free(file);
	return n < 0 ? -1 : 0;
}

const struct cmd_def cmd_list[] = {
	{ .name = "list",
	  .alias = "l",
	  .args = "[. | LINE | FIRST,LAST | FILE:LINE | FUNC | -]",
	  .group = GROUP_LOOK,
	  .flags = CMD_REPEATS | CMD_AFTER_EXIT | CMD_GONE,
	  .help = "list source lines",
	  .more = "Without an argument, list the lines around the current one, then those that follow.\n"
		  "'.' returns to the current line, '-' lists the lines before.  -> marks the current\n"
		  "line, B a breakpoint.",
	  .complete = cmd_complete_location,
	  .run = list_run },
	{ .name = "ll",
	  .alias = "longlist",
	  .args = "[FUNC]",
	  .group = GROUP_LOOK,
	  .flags = CMD_AFTER_EXIT | CMD_GONE,
	  .help = "list the whole source of the selected frame's function, or of another",
	  .complete = cmd_complete_location,
	  .run = ll_run },
	{ .name = NULL },
};
