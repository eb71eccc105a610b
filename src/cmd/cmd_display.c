/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: display and undisplay, expressions shown at every stop. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/visible.h"
#include "cmd/cmd_table.h"
#include "engine/display.h"
#include "engine/session.h"
#include "view/view.h"

static int show_all(struct session *s, struct reply *out, struct err *err)
{
	out->rows = view_rows(s, view_find("display", err), "", err);
	return out->rows ? 0 : -1;
}

static int display_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct display *d;
	struct err trouble;
	int number;

	if (!*args)
		return show_all(s, out, err);
	number = display_add(s, args, err);
	if (number < 0)
		return -1;
	if (!session_stopped(s)) {
		buf_addf(&out->text, "%d: %s\n", number, args);
		cmd_say_ended(s, out);
		return 0;
	}
	for (d = display_first(s); d->number != number; d = d->next)
		;
	buf_addf(&out->text, "%d: %s = ", number, args);
	if (display_value(s, d, &out->text, &trouble) < 0)
		buf_addf(&out->text, "<%s>", visible(trouble.text));
	return 0;
}

static int drop_words(struct session *s, const char *args, struct err *err)
{
	struct buf word = { 0 };
	int ret = 0;
	long n;

	while (ret == 0 && cmd_word(&args, &word)) {
		if (!text_is_number(word.s, 1, INT_MAX, &n))
			ret = err_set(err, "no display '%s': 'info display' lists them", word.s);
		else
			ret = display_drop(s, (int)n, err);
	}
	buf_release(&word);
	return ret;
}

static int undisplay_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct display *d;

	(void)out;
	if (!*args) {
		if (display_first(s) && !session_confirm(s, "delete all displays?"))
			return err_set(err, "no display deleted");
		display_drop_all(s);
		return 0;
	}
	for (d = display_first(s); d; d = d->next) /* the expression itself is accepted, as in pdb */
		if (!strcmp(display_expr(d), args))
			return display_drop(s, d->number, err);
	return drop_words(s, args, err);
}

static void complete_undisplay(struct session *s, const char *args, const char *word, struct val *list)
{
	const struct display *d;
	char number[16];

	(void)args;
	(void)word;
	for (d = display_first(s); d; d = d->next) {
		snprintf(number, sizeof(number), "%d", d->number);
		cmd_candidate(list, number, display_expr(d));
	}
}

const struct cmd_def cmd_display[] = {
	{ .name = "display",
	  .args = "[EXPR]",
	  .group = GROUP_LOOK,
	  .flags = CMD_AFTER_EXIT | CMD_RAW,
	  .help = "show the value of an expression at every stop",
	  .more = "Without EXPR, show all displays now.  Values are summaries, evaluated in the\n"
		  "selected frame; if an expression raises, the exception is shown.  __stack__ and $0\n"
		  "are names of the value stack.",
	  .complete = cmd_complete_name,
	  .run = display_run },
	{ .name = "undisplay",
	  .args = "[N... | EXPR]",
	  .group = GROUP_LOOK,
	  .flags = CMD_AFTER_EXIT | CMD_RAW,
	  .help = "delete a display, or all",
	  .complete = complete_undisplay,
	  .run = undisplay_run },
	{ .name = NULL },
};
