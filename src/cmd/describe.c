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

/* The table that the word after a command is from. */
static const char *table_help(struct session *s, const char *command, const char *name)
{
	if (!command)
		return describe_command(name);
	if (!strcmp(command, "info"))
		return describe_view(name);
	if (!strcmp(command, "set") || !strcmp(command, "show"))
		return describe_option(s, name);
	if (!strcmp(command, "catch"))
		return event_help(name);
	return !strcmp(command, "help") ? describe_command(name) : describe_sub(command, name);
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
	const struct cmd_def *c;
	const char *help;
	size_t i, n;

	line += strspn(line, " \t");
	n = strcspn(line, " \t");
	if (line[n]) {
		command = mem_strn(line, n);
		c = cmd_find(command, NULL);
		free(command);
		command = mem_str(c ? c->name : "");
	}
	for (i = 0; i < list->u.list.n; i++) {
		help = strchr(list->u.list.item[i]->u.s, '\t') ? NULL :
								 table_help(s, command, list->u.list.item[i]->u.s);
		if (help)
			describe_text(&list->u.list.item[i], help);
	}
	if (f && f->fo)
		names_visible(f->fo, describe_value, list);
	free(command);
}
