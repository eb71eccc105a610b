/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: set, show.  Options come from their table; `set var` and `set stack` write into the program. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd_table.h"
#include "engine/option.h"
#include "engine/past.h"
#include "engine/plug.h"
#include "engine/jump.h"
#include "engine/session.h"
#include "py/interp/eval.h"
#include "py/value/value.h"

/* Splits "NAME = EXPR" (also "NAME EXPR" if no `=` is needed): the name is copied, the expression borrowed. */
static char *split_assignment(const char *text, const char **expr)
{
	const char *equal = strchr(text, '=');
	size_t n;

	if (!equal || equal[1] == '=')
		return NULL;
	n = (size_t)(equal - text);
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	*expr = equal + 1 + strspn(equal + 1, " \t");
	return n && **expr ? mem_strn(text, n) : NULL;
}

static void say_value(struct reply *out, const char *what, struct py_obj *v)
{
	buf_addf(&out->text, "%s = ", what);
	value_show_data(v, &out->text, 200);
	buf_addc(&out->text, '\n');
}

static int write_value(struct session *s, const char *name, const char *expr, bool slot, struct reply *out,
		       struct err *err)
{
	struct frame *f = session_frame(s, err);
	struct scope sc;
	struct py_obj *v;
	char *text;
	size_t from;
	long n;
	int ret;

	if (!f || session_scope(s, &sc, err) < 0)
		return -1;
	if (!f->fo)
		return err_set(err, "cannot write here: the function is being compiled, and none of it runs yet");
	if (f->dead)
		return err_set(err, "cannot write here: the frame has exited");
	v = eval_text(expr, &sc, err);
	if (!v)
		return -1;
	past_wrote(s);
	if (slot) {
		if (!text_is_number(name, 0, INT_MAX, &n))
			ret = err_set(err,
				      "invalid slot '%s': expected a number from 0 (the bottom); 'info stack' "
				      "lists the slots",
				      name);
		else
			ret = session_set_slot(s, (int)n, v, err);
	} else {
		ret = stack_set_kept(s, f, name, v) ? 0 : frame_set_local(f->fo, name, v, err);
	}
	if (!ret) {
		from = out->text.len;
		say_value(out, name, v);
		text = mem_strn(out->text.s + from, out->text.len - from - 1);
		plug_changed(s, f->code, slot ? "set stack" : "set var", text);
		free(text);
	}
	py_unref(v);
	return ret;
}

/* The names of a module or class body are in a dict: run the statement itself. */
static int set_var(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct frame *f = session_frame(s, err);
	struct py_obj *v = NULL;
	struct scope sc;
	const char *expr;
	char *name;
	int ret, i;

	if (!f || session_scope(s, &sc, err) < 0)
		return -1;
	name = split_assignment(args, &expr);
	if (!name)
		return err_set(err, "missing expression: 'set var NAME = EXPR'");
	for (i = 0; f->code && i < code_nlocals(f->code); i++)
		if (!strcmp(code_local_name(f->code, i), name))
			break;
	if (f->code && i == code_nlocals(f->code) && strcmp(code_name(f->code), "<module>") && !strpbrk(name, ".[")) {
		ret = err_set(err, "no variable '%s' in '%s': '!%s' sets a global, or a name of the prompt", name,
			      code_name(f->code), args);
	} else if (f->code && i == code_nlocals(f->code)) {
		past_wrote(s);
		ret = eval_exec(args, &sc, &v, err);
		if (!ret)
			buf_addf(&out->text, "%s\n", args);
		py_unref(v);
	} else
		ret = write_value(s, name, expr, false, out, err);
	free(name);
	return ret;
}

static int set_stack(struct session *s, const char *args, struct reply *out, struct err *err)
{
	const char *expr;
	char *slot = split_assignment(args, &expr);
	int ret;

	if (!slot)
		return err_set(err, "missing expression: 'set stack SLOT = EXPR'");
	ret = write_value(s, slot + (*slot == '$'), expr, true, out, err);
	free(slot);
	return ret;
}

static int set_option(struct session *s, const char *name, const char *value, struct reply *out, struct err *err)
{
	const struct option_def *d = option_find(s, name, err);

	(void)out;
	if (!d)
		return -1;
	if (*value == '=')
		value += 1 + strspn(value + 1, " \t");
	if (!*value && d->type == OPTION_BOOL)
		value = "on";
	if (!*value && d->type != OPTION_TEXT)
		return err_set(err, "missing value: 'set %s VALUE'; 'show %s' shows the current one", d->name, d->name);
	return option_set(s, d->name, value, err);
}

/* A command that can also be typed after `set`, by its full name. */
static const struct cmd_def *setter(const char *word)
{
	struct err err;
	const struct cmd_def *c = cmd_find(word, &err);

	return c && c->flags & CMD_SETS && !strcmp(c->name, word) ? c : NULL;
}

/* `auto-load safe-path`, as in gdb, and `checkpoint auto` are one option each; *args moves past it. */
static void join_option(struct buf *word, const char **args)
{
	static const struct {
		const char *first, *second;
	} joined[] = { { "auto-load", "safe-path" }, { "checkpoint", "auto" } };
	size_t n = strcspn(*args, " \t"), i;

	for (i = 0; i < sizeof(joined) / sizeof(*joined); i++) {
		if (strcmp(buf_str(word), joined[i].first) || n != strlen(joined[i].second) ||
		    strncmp(*args, joined[i].second, n))
			continue;
		buf_addf(word, "-%s", joined[i].second);
		*args += n + strspn(*args + n, " \t");
		return;
	}
}

static int run_set(struct session *s, const char *args, struct reply *out, struct err *err)
{
	const struct cmd_def *c;
	struct buf word = { 0 };
	int ret;

	if (!cmd_word(&args, &word))
		ret = err_set(err, "missing name: 'set OPTION VALUE' ('show' lists options), 'set var NAME = EXPR' or "
				   "'set stack SLOT = EXPR'");
	else if (!strcmp(word.s, "var") || !strcmp(word.s, "variable"))
		ret = set_var(s, args, out, err);
	else if (!strcmp(word.s, "stack"))
		ret = set_stack(s, args, out, err);
	else if ((c = setter(word.s)))
		ret = cmd_may_run(s, c, args, err) < 0 ? -1 : cmd_invoke(s, c, args, out, err);
	else {
		join_option(&word, &args);
		ret = set_option(s, word.s, args, out, err);
	}
	buf_release(&word);
	return ret;
}

static void show_option(struct session *s, const struct option_def *d, struct reply *out)
{
	char value[1100];
	size_t from = out->text.len;

	option_value(s, d, value, sizeof(value));
	buf_adds(&out->text, d->name);
	buf_pad(&out->text, 20, from);
	buf_adds(&out->text, *value ? value : "-");
	buf_pad(&out->text, 32, from);
	buf_addf(&out->text, " %s\n", d->help);
}

static int run_show(struct session *s, const char *args, struct reply *out, struct err *err)
{
	const struct option_def *d;
	struct buf word = { 0 };
	int i;

	if (*args) {
		cmd_word(&args, &word);
		join_option(&word, &args);
		buf_addf(&word, "%s%s", *args ? " " : "", args);
		d = option_find(s, word.s, err);
		buf_release(&word);
		if (!d)
			return -1;
		show_option(s, d, out);
		return 0;
	}
	for (i = 0; (d = option_at(s, i)); i++)
		show_option(s, d, out);
	return 0;
}

/* The values of an option, and which one it has now. */
static void add_option_values(struct session *s, const struct option_def *d, struct val *list)
{
	static const char *const bools[] = { "on", "off", NULL };
	const char *const *v = d->type == OPTION_BOOL ? bools : d->choices;
	char now[1100], *about;

	option_value(s, d, now, sizeof(now));
	about = mem_fmt("instead of %s", now);
	for (; v && *v; v++)
		cmd_candidate(list, *v, strcmp(*v, now) ? about : "as it is now");
	free(about);
}

static void complete_option(struct session *s, const char *args, const char *word, struct val *list)
{
	const struct option_def *d;
	const struct cmd_def *c;
	struct buf first = { 0 };
	const char *rest = args;
	int i;

	cmd_word(&rest, &first);
	if (rest == args + strlen(args) && !strcmp(word, buf_str(&first))) { /* the name itself */
		for (i = 0; (d = option_at(s, i)); i++)
			val_push(list, val_str(d->name));
		cmd_candidate(list, "var", "a variable of the selected frame");
		cmd_candidate(list, "stack", "a slot of the selected frame's value stack");
	} else if ((c = setter(buf_str(&first))) && c->subs)
		cmd_sub_complete(s, c, rest, word, list);
	else if (c && c->complete)
		c->complete(s, rest, word, list);
	else if (!strcmp(buf_str(&first), "var"))
		cmd_complete_name(s, args, word, list);
	else if ((d = option_find(s, buf_str(&first), NULL)))
		add_option_values(s, d, list);
	buf_release(&first);
}

static void complete_show(struct session *s, const char *args, const char *word, struct val *list)
{
	if (word == args)
		complete_option(s, args, word, list);
}

static void complete_set(struct session *s, const char *args, const char *word, struct val *list)
{
	const struct cmd_def *c;
	int i;

	complete_option(s, args, word, list);
	for (i = 0; word == args && (c = cmd_at(i)); i++)
		if (c->flags & CMD_SETS)
			val_push(list, val_str(c->name));
}

const struct cmd_def cmd_set[] = {
	{ .name = "set",
	  .args = "OPTION VALUE | var NAME = EXPR | stack SLOT = EXPR",
	  .group = GROUP_SUPPORT,
	  .flags = CMD_AFTER_EXIT | CMD_RAW | CMD_GONE,
	  .complete = complete_set,
	  .run = run_set,
	  .help = "set an option, a variable of the selected frame, or a slot of its value stack",
	  .more = "'set var' writes a local, a cell or a free variable; the program sees the new value.\n"
		  "'set stack' writes a slot (0 is the bottom); values that would corrupt the interpreter\n"
		  "are refused.  'show' lists the options with their values." },
	{ .name = "show",
	  .args = "[OPTION]",
	  .group = GROUP_SUPPORT,
	  .flags = CMD_AFTER_EXIT | CMD_GONE,
	  .complete = complete_show,
	  .run = run_show,
	  .help = "show the value of an option, or of all" },
	{ .name = NULL },
};
