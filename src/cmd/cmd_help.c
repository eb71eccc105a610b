/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: help.  Reads the tables of commands, views, options and stops; has no text of its own about them. */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/val.h"
#include "cmd/cmd_table.h"
#include "engine/option.h"
#include "engine/session.h"
#include "event/event_table.h"
#include "view/view.h"

static const char *const group_titles[] = {
	[GROUP_RUN] = "Running",     [GROUP_BREAK] = "Stopping",       [GROUP_LOOK] = "Looking",
	[GROUP_CHANGE] = "Changing", [GROUP_DYNAMO] = "torch.compile", [GROUP_SUPPORT] = "Support",
};

static void help_add_row(struct buf *out, const char *name, const char *alias, const char *help)
{
	size_t from = out->len;

	buf_addf(out, "  %s", name);
	if (alias && *alias)
		buf_addf(out, " (%s)", alias);
	buf_pad(out, 26, from);
	buf_addf(out, " %s\n", help);
}

static void overview(struct buf *out)
{
	const struct cmd_def *c;
	unsigned g;
	bool any;
	int i;

	for (g = 0; g < sizeof(group_titles) / sizeof(*group_titles); g++) {
		any = false;
		for (i = 0; (c = cmd_at(i)); i++) {
			if (c->group != g)
				continue;
			if (!any)
				buf_addf(out, "%s\n", group_titles[g]);
			any = true;
			help_add_row(out, c->name, c->alias, c->help);
		}
	}
	buf_adds(out, "'help COMMAND', 'help view NAME', 'help option NAME' and 'help catch' describe one; 'info' "
		      "lists the views.\n"
		      "Anything else is executed as Python in the selected frame; start a line with '!' to force "
		      "that.\n");
}

static void command_help(const struct cmd_def *c, struct buf *out)
{
	const char *args = c->subs ? "SUBCOMMAND ..." : c->args;
	const struct cmd_sub *sub;

	buf_addf(out, "%s%s%s\n    %s\n", c->name, args ? " " : "", args ? args : "", c->help);
	if (c->alias)
		buf_addf(out, "    also: %s\n", c->alias);
	for (sub = c->subs; sub && sub->name; sub++)
		buf_addf(out, "  %s%s%s\n      %s\n", sub->name, sub->args ? " " : "", sub->args ? sub->args : "",
			 sub->help);
	if (c->more)
		buf_addf(out, "%s\n", c->more);
}

/* `help guard drop`. */
static void sub_help(const struct cmd_def *c, const struct cmd_sub *sub, struct buf *out)
{
	buf_addf(out, "%s %s%s%s\n    %s\n", c->name, sub->name, sub->args ? " " : "", sub->args ? sub->args : "",
		 sub->help);
	if (sub->more)
		buf_addf(out, "%s\n", sub->more);
}

static int help_for(const struct cmd_def *c, const char *rest, struct buf *out, struct err *err)
{
	const struct cmd_sub *sub = *rest && c->subs ? cmd_sub_find(c, rest, err) : NULL;

	if (sub)
		sub_help(c, sub, out);
	else if (!*rest || !c->subs)
		command_help(c, out);
	return sub || !*rest || !c->subs ? 0 : -1;
}

static int view_help(const char *name, struct buf *out, struct err *err)
{
	const struct view_ops *v;
	const struct view_col *c;
	int i;

	if (!*name) {
		for (i = 0; (v = view_at(i)); i++)
			help_add_row(out, v->name, v->alias, v->help);
		return 0;
	}
	v = view_find(name, err);
	if (!v)
		return -1;
	buf_addf(out, "info %s%s%s\n    %s\n", v->name, v->args ? " " : "", v->args ? v->args : "", v->help);
	if (v->alias)
		buf_addf(out, "    also: %s\n", v->alias);
	for (c = v->cols; c->name; c++)
		if (!c->screen)
			help_add_row(out, c->name, NULL, c->help ? c->help : "");
	return 0;
}

static int option_help(struct session *s, const char *name, struct buf *out, struct err *err)
{
	const struct option_def *d = *name ? option_find(s, name, err) : NULL;
	char value[1100];
	int i;

	if (*name && !d)
		return -1;
	for (i = 0; !*name && (d = option_at(s, i)); i++)
		help_add_row(out, d->name, NULL, d->help);
	if (!*name)
		return 0;
	option_value(s, d, value, sizeof(value));
	buf_addf(out, "set %s\n    %s\n    now: %s\n", d->name, d->help, value);
	for (i = 0; d->choices && d->choices[i]; i++)
		buf_addf(out, "%s%s", i ? ", " : "    one of: ", d->choices[i]);
	if (d->choices)
		buf_addc(out, '\n');
	if (d->type == OPTION_NUMBER)
		buf_addf(out, "    from %ld to %ld\n", d->min, d->max);
	return 0;
}

static void catch_help(struct buf *out)
{
	const struct cmd_def *c = cmd_find("catch", NULL);
	const struct event_kind *k;
	struct buf name = { 0 };
	int i;

	if (c)
		command_help(c, out);
	for (i = 0; (k = event_at(i)); i++) {
		if (!k->args)
			continue;
		buf_reset(&name);
		buf_addf(&name, "%s %s", k->name, k->args);
		help_add_row(out, name.s, NULL, k->help);
	}
	buf_release(&name);
}

static int cmd_help_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	const struct cmd_def *c;
	struct buf word = { 0 };
	const char *rest = args;
	int ret = 0;

	if (!cmd_word(&rest, &word))
		overview(&out->text);
	else if (!*rest && (c = cmd_exact("view")) && !strcmp(word.s, "view")) /* a plugin's; and the views below it */
		ret = help_for(c, rest, &out->text, err) || view_help(rest, &out->text, err);
	else if (!strcmp(word.s, "view") || !strcmp(word.s, "views") || (!strcmp(word.s, "info") && *rest))
		ret = view_help(rest, &out->text, err);
	else if (!strcmp(word.s, "set") && *rest && (c = cmd_find(rest, NULL)) && c->flags & CMD_SETS)
		command_help(c, &out->text);
	else if (!strcmp(word.s, "option") || !strcmp(word.s, "options") || (!strcmp(word.s, "set") && *rest))
		ret = option_help(s, rest, &out->text, err);
	else if (!strcmp(word.s, "catch"))
		catch_help(&out->text);
	else if ((c = cmd_find(word.s, err)))
		ret = help_for(c, rest, &out->text, err);
	else if (option_find(s, word.s, NULL))
		ret = option_help(s, word.s, &out->text, err);
	else
		ret = -1;
	buf_release(&word);
	return ret;
}

static void cmd_help_complete(struct session *s, const char *args, const char *word, struct val *list)
{
	const struct cmd_def *c;
	const struct cmd_sub *sub;
	const struct option_def *o;
	const struct event_kind *k;
	char *name;
	int i;

	if (word > args) {
		name = mem_strn(args, strcspn(args, " \t"));
		c = cmd_exact(name);
		for (sub = c ? c->subs : NULL; sub && sub->name; sub++)
			val_push(list, val_str(sub->name));
		free(name);
	}
	if (!strncmp(args, "view ", 5) || !strncmp(args, "info ", 5))
		cmd_complete_view(s, "", word, list);
	for (i = 0; !strncmp(args, "option ", 7) && (o = option_at(s, i)); i++)
		val_push(list, val_str(o->name));
	for (i = 0; !strncmp(args, "catch ", 6) && (k = event_at(i)); i++)
		if (k->args)
			val_push(list, val_str(k->name));
	if (word != args)
		return;
	for (i = 0; (c = cmd_at(i)); i++)
		val_push(list, val_str(c->name));
	val_push(list, val_str("view"));
	val_push(list, val_str("option"));
}

static int complete_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct val *list = val_list();
	const char *word;
	size_t i;

	(void)err;
	word = cmd_complete(s, args, list);
	for (i = 0; i < list->u.list.n; i++)
		buf_addf(&out->text, "%.*s%s\n", (int)(word - args), args, list->u.list.item[i]->u.s);
	val_free(list);
	return 0;
}

const struct cmd_def cmd_help[] = {
	{ .name = "help",
	  .alias = "h ?",
	  .args = "[COMMAND [SUBCOMMAND] | view NAME | option NAME | catch]",
	  .group = GROUP_SUPPORT,
	  .flags = CMD_AFTER_EXIT | CMD_GONE,
	  .complete = cmd_help_complete,
	  .run = cmd_help_run,
	  .help = "list commands, or describe one" },
	{ .name = "complete",
	  .args = "LINE",
	  .group = GROUP_SUPPORT,
	  .flags = CMD_AFTER_EXIT | CMD_RAW | CMD_GONE,
	  .run = complete_run,
	  .help = "list the completions of a line, one for each row" },
	{ .name = NULL },
};
