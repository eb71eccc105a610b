/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of completions: for each candidate, from the table or the value that it names.  Knows no editor and no
   screen. */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "engine/option.h"
#include "engine/session.h"
#include "event/event.h"
#include "py/interp/names.h"
#include "py/value/value.h"
#include "view/view.h"

enum { VALUE_TEXT = 50 }; /* bytes of a value */

static const char *describe_command(const char *name)
{
	const struct cmd_def *c = cmd_find(name, NULL);

	return c && !strcmp(c->name, name) ? c->help : NULL;
}

static const char *describe_view(const char *name)
{
	const struct view_ops *v = view_find(name, NULL);

	return v && !strcmp(v->name, name) ? v->help : NULL;
}

static const char *describe_option(struct session *s, const char *name)
{
	const struct option_def *o = option_find(s, name, NULL);

	return o && !strcmp(o->name, name) ? o->help : NULL;
}

static const char *event_help(const char *name)
{
	const struct event_kind *e = event_find(name, NULL);

	return e && !strcmp(e->name, name) ? e->help : NULL;
}

static const char *describe_sub(const char *command, const char *name)
{
	const struct cmd_def *c = cmd_exact(command);
	const struct cmd_sub *sub;

	for (sub = c ? c->subs : NULL; sub && sub->name; sub++)
		if (!strcmp(sub->name, name))
			return sub->help;
	return NULL;
}

/* What can be described: a view, an option, a kind of stop, a subcommand; else a command. */
static const char *describe_help(struct session *s, const char *args, const char *name)
{
	size_t n = strcspn(args, " \t");
	char *first = mem_strn(args, n);
	const char *help;

	if (!args[n])
		help = !strcmp(name, "view")   ? "a view: its columns" :
		       !strcmp(name, "option") ? "an option: its values" :
						 describe_command(name);
	else if (!strcmp(first, "view"))
		help = describe_view(name);
	else if (!strcmp(first, "option"))
		help = describe_option(s, name);
	else
		help = !strcmp(first, "catch") ? event_help(name) : describe_sub(first, name);
	free(first);
	return help;
}

/* The table that the word after a command is from. */
static const char *table_help(struct session *s, const char *command, const char *args, const char *name)
{
	if (!command)
		return describe_command(name);
	if (!strcmp(command, "info"))
		return describe_view(name);
	if (!strcmp(command, "set") || !strcmp(command, "show"))
		return describe_option(s, name) ? describe_option(s, name) : describe_command(name);
	if (!strcmp(command, "catch") || !strcmp(command, "tcatch"))
		return event_help(name);
	return !strcmp(command, "help") ? describe_help(s, args, name) : describe_sub(command, name);
}

/* Can a word be a name of the program?  The words of tables may be names, too, but mean something else. */
static bool takes_names(const struct cmd_def *c, const char *args)
{
	const size_t n = strcspn(args, " \t");
	const struct view_ops *v;
	char *view;

	if (!c || (c->subs && args[n]))
		return true;
	if (!strcmp(c->name, "info") && args[n]) {
		view = mem_strn(args, n);
		v = view_find(view, NULL);
		free(view);
		return v && v->args && strstr(v->args, "EXPR");
	}
	return !c->subs && (c->flags & CMD_RAW || c->complete == cmd_complete_name);
}

void cmd_candidate(struct val *list, const char *text, const char *about)
{
	val_pushf(list, "%s\t%s", text, visible(about));
}

static void describe_text(struct val **item, const char *text)
{
	char *both = mem_fmt("%s\t%s", (*item)->u.s, text);

	val_free(*item);
	*item = val_str(both);
	free(both);
}

static void describe_value(void *arg, const char *name, struct py_obj *value)
{
	struct val *list = arg;
	struct buf b = { 0 };
	size_t i;

	for (i = 0; i < list->u.list.n; i++)
		if (!strcmp(list->u.list.item[i]->u.s, name)) {
			value_show_data(value, &b, VALUE_TEXT);
			describe_text(&list->u.list.item[i], visible(buf_str(&b)));
			break;
		}
	buf_release(&b);
}

void cmd_describe(struct session *s, const char *line, struct val *list)
{
	struct frame *f = session_stopped(s) ? session_frame(s, NULL) : NULL;
	char *command = NULL;
	const struct cmd_def *c = NULL;
	const char *help, *args;
	size_t i, n;

	line += strspn(line, " \t");
	n = strcspn(line, " \t");
	args = line + n + strspn(line + n, " \t");
	if (line[n]) {
		command = mem_strn(line, n);
		c = cmd_find(command, NULL);
		free(command);
		command = mem_str(c ? c->name : "");
	}
	for (i = 0; i < list->u.list.n; i++) {
		help = strchr(list->u.list.item[i]->u.s, '\t') ?
			       NULL :
			       table_help(s, command, args, list->u.list.item[i]->u.s);
		if (help)
			describe_text(&list->u.list.item[i], help);
	}
	if (f && f->fo && takes_names(c, args))
		names_visible(f->fo, describe_value, list);
	free(command);
}
