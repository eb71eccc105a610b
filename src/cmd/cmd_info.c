/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: info, which shows a view; and short names of the views that are used most. */
#include <stdio.h>
#include "base/err.h"
#include "cmd/cmd_table.h"
#include "engine/session.h"
#include "view/view.h"

static int info_show(struct session *s, const struct view_ops *v, const char *words, struct reply *out, struct err *err)
{
	out->rows = view_rows(s, v, words, err);
	return out->rows ? 0 : -1;
}

static void list_views(struct buf *out)
{
	const struct view_ops *v;
	char name[100];
	int i;

	for (i = 0; (v = view_at(i)); i++) {
		snprintf(name, sizeof(name), "%s%s%s", v->name, v->args ? " " : "", v->args ? v->args : "");
		buf_addf(out, "info %-22s %s\n", name, v->help);
	}
}

static int info_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	const struct view_ops *v;
	struct buf word = { 0 };
	char name[64];
	int ret = -1;

	if (!cmd_word(&args, &word)) {
		list_views(&out->text);
		return 0;
	}
	v = view_find(word.s, err);
	if (v && *args && !v->args)
		err_set(err, "'info %s' takes no argument", v->name);
	else if (v && snprintf(name, sizeof(name), "info %s", v->name) > 0 &&
		 cmd_check_options(name, v->args, args, err) == 0)
		ret = info_show(s, v, args, out, err);
	buf_release(&word);
	return ret;
}

static int short_form(struct session *s, const char *name, const char *args, struct reply *out, struct err *err)
{
	if (*args)
		return err_set(err, "'%s' takes no argument: 'print' shows one value", name);
	return info_show(s, view_find(name, err), "", out, err);
}

static int stack_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	return short_form(s, "stack", args, out, err);
}

static int locals_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	return short_form(s, "locals", args, out, err);
}

const struct cmd_def cmd_info[] = {
	{ .name = "info",
	  .alias = "i",
	  .args = "[VIEW [WORDS]]",
	  .group = GROUP_LOOK,
	  .flags = CMD_AFTER_EXIT | CMD_GONE,
	  .help = "show a view, or list the views",
	  .more = "'help view NAME' describes the columns of a view.",
	  .complete = cmd_complete_view,
	  .run = info_run },
	{ .name = "stack",
	  .group = GROUP_LOOK,
	  .flags = CMD_NEEDS_STOP | CMD_REPEATS | CMD_GONE,
	  .help = "show the value stack of the selected frame, bottom first",
	  .more = "The same as 'info stack'.  In expressions a slot is $0, $1, ..., and the whole stack\n"
		  "__stack__.",
	  .run = stack_run },
	{ .name = "locals",
	  .group = GROUP_LOOK,
	  .flags = CMD_NEEDS_STOP | CMD_GONE,
	  .help = "show the local variables of the selected frame",
	  .more = "The same as 'info locals'.  Values are summaries: 'print NAME' shows one in full.",
	  .run = locals_run },
	{ .name = NULL },
};
