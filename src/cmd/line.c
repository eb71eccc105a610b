/* SPDX-License-Identifier: BSD-3-Clause */
/* A line: which command it is, or Python for the selected frame; lines that are gathered up to `end`.  Knows no front
   end and no command by name. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmd/cmd.h"
#include "engine/missing_variable.h"
#include "engine/option.h"
#include "engine/past.h"
#include "engine/session.h"
#include "engine/stack.h"
#include "py/interp/eval.h"
#include "py/value/value.h"
#include "view/view.h"

/* ---- a line ---------------------------------------------------------------------------------------- */

static bool name_char(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

/* The bytes of the word at the start of line if it can be a command's: the end or a space follows.  0: it cannot.
   Python has no statement that begins with '?', so that is a command, whatever follows. */
static size_t command_word(const char *line)
{
	size_t n = 0;

	if (*line == '?')
		return 1;
	while (name_char(line[n]) || (n && line[n] == '-'))
		n++;
	return isdigit((unsigned char)*line) || (line[n] && !isspace((unsigned char)line[n])) ? 0 : n;
}

/* "n = 5" and "n += 1" are Python though n is a command; "n == 5" too. */
static bool assigns_variable(const char *rest)
{
	size_t n = strspn(rest, "+-*/%@&|^<>");

	return n <= 2 && rest[n] == '=' && (n || rest[1] != '\0');
}

/* A name of the frame takes precedence over the prefix of a command: `res` is not `restart` if it is a variable. */
static bool is_local(struct session *s, const char *name)
{
	struct frame *f = session_stopped(s) ? session_frame(s, NULL) : NULL;
	struct scope sc;
	struct py_obj *v;
	int i, n;

	if (!f || !f->code)
		return false;
	if (f->past)
		return past_named(s, name, NULL) != NULL;
	n = code_nlocals(f->code);
	for (i = 0; i < n; i++)
		if (!strcmp(code_local_name(f->code, i), name))
			return frame_local(f->fo, i) != NULL;
	if (strcmp(code_name(f->code), "<module>") || session_scope(s, &sc, NULL) < 0)
		return false;
	v = eval_text(name, &sc, NULL);
	py_unref(v);
	return v != NULL;
}

/* The command of a line, *args what follows it; NULL: the line is Python, or err says that it is neither. */
static const struct cmd_def *line_command(struct session *s, const char *line, const char **args, struct err *err)
{
	size_t n = command_word(line);
	const struct cmd_def *c;
	const char *rest;
	char *word, own[64]; /* the commands of every stop take no memory */

	*args = line;
	if (!n)
		return NULL;
	rest = line + n;
	rest += *rest ? strspn(rest, " \t") : 0;
	if (*line != '?' && *rest && assigns_variable(rest))
		return NULL;
	word = n < sizeof(own) ? own : mem_raw(n + 1);
	memcpy(word, line, n);
	word[n] = '\0';
	c = cmd_exact(word);
	if (!c && !is_local(s, word))
		c = cmd_find(word, err);
	*args = rest;
	if (word != own)
		free(word);
	return c;
}

bool cmd_is_python(struct session *s, const char *line)
{
	const char *args;

	if (s->lines.last && !strcmp(line, s->lines.last)) /* the command that Enter repeats */
		return false;
	line += strspn(line, " \t");
	return *line && *line != '#' && !line_command(s, line, &args, NULL);
}

bool cmd_queue_resumes(struct session *s)
{
	const struct cmd_def *c;
	const char *line, *args;
	int i;

	for (i = 0; (line = session_queued_by_stop(s, i)); i++) {
		c = line_command(s, line + strspn(line, " \t"), &args, NULL);
		if (c && (cmd_flags(c, args) & CMD_RESUMES))
			return true;
	}
	return false;
}

/* ---- Python ------------------------------------------------------------------------------------------ */

static int run_python(struct session *s, const char *text, struct reply *out, struct err *err)
{
	struct py_obj *v = NULL;
	struct scope sc;
	int ret;

	if (s->past)
		return cmd_past_value(s, text, false, out, err);
	if (session_scope(s, &sc, err) < 0)
		return -1;
	past_wrote(s);
	ret = eval_exec(text, &sc, &v, err);
	if (ret == 0 && v)
		ret = cmd_value(s, v, out, err);
	py_unref(v);
	return ret;
}

/* Is this word a Python keyword that begins a statement? */
static bool begins_with_keyword(const char *line)
{
	static const char *const keywords[] = { "False", "None",   "True",   "assert", "async",	   "await",
						"class", "def",	   "del",    "for",    "from",	   "global",
						"if",	 "import", "lambda", "match",  "nonlocal", "not",
						"raise", "return", "try",    "while",  "with",	   "yield" };
	size_t n = strcspn(line, " \t:"), i;

	for (i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (strlen(keywords[i]) == n && !strncmp(keywords[i], line, n))
			return true;
	return false;
}

/*
 * A line whose first word is not a command failed as Python.  Python's error is shown only if the line can be Python:
 * it begins with a keyword, or it compiles and is more than that one word.
 */
static void add_unknown_command(const char *line, const struct err *unknown, struct err *err)
{
	struct err python;
	bool name_error;

	if (!err || !unknown->text[0] || begins_with_keyword(line))
		return;
	python = *err;
	name_error = strstr(python.text, "NameError") != NULL;
	if (strstr(python.text, "SyntaxError") || (name_error && !strpbrk(line, " \t")))
		err_set(err, "%s", unknown->text);
	else if (name_error)
		err_set(err, "%s (as Python: %.600s)", unknown->text, python.text);
}

static int run_line_python(struct session *s, const char *line, const struct err *unknown, struct reply *out,
			   struct err *err)
{
	if (*line == '!')
		line += 1 + strspn(line + 1, " \t");
	if (!*line)
		return err_set(err, "missing statement after '!': '!STATEMENT' executes it as Python");
	if (!session_stopped(s)) {
		if (unknown->text[0])
			return err_set(err, "%s", unknown->text);
		return cmd_not_now(s, line, err);
	}
	if (run_python(s, line, out, err) == 0)
		return 0;
	add_unknown_command(line, unknown, err);
	return -1;
}

/* ---- lines up to `end` ----------------------------------------------------------------------------------- */

struct gather {
	const struct cmd_def *cmd; /* NULL: the command was refused, its lines are skipped */
	struct buf args;	   /* the command's arguments, then the lines, each after a newline */
	int inner;		   /* nested blocks that are open */
	bool raw;		   /* the innermost one is Python: its lines are not commands */
};

bool cmd_gathering(const struct session *s)
{
	return s->lines.gather != NULL;
}

void cmd_gather_drop(struct session *s)
{
	if (s->lines.gather)
		buf_release(&s->lines.gather->args);
	free(s->lines.gather);
	s->lines.gather = NULL;
}

static bool begins_block(const struct cmd_def *c, const char *args)
{
	return c && ((c->flags & CMD_BLOCK) || ((c->flags & CMD_BLOCK_BARE) && !*args));
}

static void gather_start(struct session *s, const struct cmd_def *c, const char *args)
{
	s->lines.gather = mem_alloc(sizeof(*s->lines.gather));
	s->lines.gather->cmd = c;
	s->lines.gather->raw = c && (c->flags & CMD_RAW);
	buf_adds(&s->lines.gather->args, args);
}

/* Add one line; false: it was the last `end`. */
static bool gather_take(struct session *s, const char *line)
{
	struct gather *g = s->lines.gather;
	const char *text = line + strspn(line, " \t"), *args;
	const struct cmd_def *c;

	if (!strncmp(text, "end", 3) && !text[3 + strspn(text + 3, " \t\r")]) {
		g->raw = false;
		if (!g->inner--)
			return false;
		line = "end";
	} else if (!g->raw) {
		c = line_command(s, text, &args, NULL);
		if (begins_block(c, args)) {
			g->inner++;
			g->raw = c->flags & CMD_RAW;
		}
		line = text; /* an empty one would repeat the command before it */
		if (!*line)
			return true;
	}
	buf_addf(&g->args, "\n%s", line);
	return true;
}

static int gather_line(struct session *s, const char *line, struct reply *out, struct err *err)
{
	const struct cmd_def *c = s->lines.gather->cmd;
	char *args;
	int ret;

	if (gather_take(s, line))
		return 0;
	args = buf_detach(&s->lines.gather->args);
	cmd_gather_drop(s);
	ret = c->run(s, args, out, err);
	free(args);
	return ret;
}

/* If a command in a file is refused, its lines must not run as commands. */
static void pass_over_block(struct session *s)
{
	char *line;

	gather_start(s, NULL, "");
	for (line = session_unqueue(s); line && gather_take(s, line); line = session_unqueue(s))
		free(line);
	free(line);
	cmd_gather_drop(s);
}

static int begin_block(struct session *s, const struct cmd_def *c, const char *args, struct err *err)
{
	if (c->begin && c->begin(s, args, err) < 0) {
		pass_over_block(s);
		return -1;
	}
	gather_start(s, c, args);
	return 0;
}

/* For the empty line that repeats; NULL: there is nothing to repeat. */
static void remember_line(struct session *s, const char *line)
{
	if (line && s->lines.last && !strcmp(line, s->lines.last))
		return;
	free(s->lines.last);
	s->lines.last = mem_str(line);
}

static int run_line(struct session *s, const char *line, struct reply *out, struct err *err)
{
	const struct cmd_def *c;
	struct err unknown;
	const char *args;

	unknown.text[0] = '\0';
	c = line_command(s, line, &args, &unknown);
	remember_line(s, c && (c->flags & CMD_REPEATS) ? line : NULL);
	if (!c)
		return run_line_python(s, line, &unknown, out, err);
	if (cmd_may_run(s, c, args, err) < 0) {
		if (begins_block(c, args))
			pass_over_block(s);
		return -1;
	}
	if (begins_block(c, args))
		return begin_block(s, c, args, err);
	return cmd_invoke(s, c, args, out, err);
}

char *cmd_line(const char *s, size_t n)
{
	struct buf line = { 0 };
	size_t k;

	if (!memchr(s, '\0', n))
		return mem_strn(s, n);
	for (; (k = strnlen(s, n)) < n; s += k + 1, n -= k + 1) {
		buf_add(&line, s, k);
		buf_adds(&line, CMD_NUL);
	}
	buf_add(&line, s, n);
	return buf_detach(&line);
}

static int execute(struct session *s, const char *line, struct reply *out, struct err *err)
{
	char *copy, own[64];
	size_t n;
	int ret;

	if (strstr(line, CMD_NUL))
		return err_set(err, "this line was not run: it contains a NUL character");
	if (s->lines.gather)
		return gather_line(s, line, out, err);
	line += strspn(line, " \t\r\n");
	if (!*line)
		line = s->lines.last ? s->lines.last : "";
	if (!*line || *line == '#')
		return 0;
	n = strlen(line);
	while (n && isspace((unsigned char)line[n - 1]))
		n--;
	/* a copy, because the line that is remembered is replaced in between */
	copy = n < sizeof(own) ? own : mem_raw(n + 1);
	memcpy(copy, line, n);
	copy[n] = '\0';
	ret = run_line(s, copy, out, err);
	if (copy != own)
		free(copy);
	return ret;
}

int cmd_execute(struct session *s, const char *line, struct reply *out, struct err *err)
{
	struct frame *f;
	struct err none;
	int ret;

	session_ask(s);
	ret = execute(s, line, out, err);
	if (ret < 0 && err && session_stopped(s) && (f = session_frame(s, &none)))
		missing_variable_explain(s, f->code, err);
	py_unref_waiting();
	return ret;
}
