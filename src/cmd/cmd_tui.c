/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of the full screen: tui, layout, focus, winheight, winwidth, zoom, hide, unhide, refresh.  They pass what
   is typed to the screen, if there is one; knows no terminal. */
#include <string.h>
#include "base/err.h"
#include "base/val.h"
#include "cmd/cmd_table.h"
#include "engine/screen.h"
#include "engine/session.h"
#include "view/view.h"

static int run_tui(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct buf word = { 0 };
	int ret = 0;

	if (!cmd_word(&args, &word))
		ret = err_set(err, "missing argument: 'tui %s' %s the full screen; 'help tui' describes the others",
			      screen_get() ? "disable" : "enable", screen_get() ? "leaves" : "opens");
	else if (!strcmp(word.s, "enable"))
		ret = screen_enable(s, args, err);
	else if (!strcmp(word.s, "disable"))
		ret = screen_disable(s, err);
	else if (!strcmp(word.s, "ranks")) /* of a controller */
		view_ranks_told(args);
	else if (!strcmp(word.s, "rank"))
		ret = screen_rank(args, err);
	else
		ret = screen_run(word.s, args, &out->text, err);
	buf_release(&word);
	return ret;
}

#define VERB(name) \
	static int run_##name(struct session *s, const char *args, struct reply *out, struct err *err) \
	{ \
		(void)s; \
		return screen_run(#name, args, &out->text, err); \
	}
VERB(layout)
VERB(focus)
VERB(winheight)
VERB(winwidth)
VERB(zoom)
VERB(hide)
VERB(unhide)
VERB(refresh)
#undef VERB

/* The names that the screen has, and more; each "name<Tab>what it is". */
static void complete_from(const char *what, const char *const *more, struct val *list)
{
	if (screen_get())
		screen_get()->names(what, list);
	for (; *more; more++)
		val_push(list, val_str(*more));
}

static void complete_pane(struct session *s, const char *args, const char *word, struct val *list)
{
	static const char *const more[] = { "next\tthe next pane", "prev\tthe previous pane", "cmd\tthe command line",
					    NULL };

	(void)s;
	if (word == args)
		complete_from("pane", more, list);
}

static void complete_layout(struct session *s, const char *args, const char *word, struct val *list)
{
	static const char *const more[] = { "next\tthe next layout", "prev\tthe previous layout",
					    "save\tsave the layout under a name", NULL };
	static const char *const none[] = { NULL };

	(void)s;
	if (word == args)
		complete_from("layout", more, list);
	else if (!strncmp(args, "save ", 5) && word == args + 5)
		complete_from("layout", none, list);
}

static void complete_tui(struct session *s, const char *args, const char *word, struct val *list)
{
	static const char *const more[] = { "enable\tswitch the full screen on", "disable\tswitch it off", NULL };

	(void)s;
	if (word == args)
		complete_from("verb", more, list);
}

enum { FLAGS = CMD_AFTER_EXIT | CMD_SCREEN | CMD_GONE };

const struct cmd_def cmd_tui[] = {
	{ .name = "tui",
	  .args = "enable|disable|VERB [ARGS]",
	  .help = "switch the full screen on or off, or run "
		  "what its keys run",
	  .more = "tui new-layout NAME {-horizontal PANE N PANE N} N PANE N ...: define a layout, with a\n"
		  "weight after each pane; a * before one pane marks the place for panes that the layout\n"
		  "does not name.  The commands of keys: tui scroll up|down|left|right|pageup|pagedown|\n"
		  "halfup|halfdown|top|bottom|current, tui search [TEXT], tui match next|prev,\n"
		  "tui filter [TEXT], tui menu [TEXT], tui follow, tui toggle, tui edit, tui break,\n"
		  "tui run-to, tui fold KEY, tui open, tui close, tui format [FORM|next],\n"
		  "tui show PANE WORDS (the words of 'info'), tui slot next|prev,\n"
		  "tui prompt [TEXT], tui help [PANE], tui pane N, tui answer (open the last long answer),\n"
		  "tui keep (keep it as a pane), tui clear-output, tui editor LINE (as in ~/.editrc).\n"
		  "'info keys' lists the keys.",
	  .group = GROUP_SUPPORT,
	  .flags = FLAGS,
	  .complete = complete_tui,
	  .run = run_tui },
	{ .name = "layout",
	  .args = "[NAME | next | prev | save NAME]",
	  .help = "choose or save a layout of the full screen",
	  .more = "Without a name, list the layouts and panes.",
	  .group = GROUP_SUPPORT,
	  .flags = FLAGS,
	  .complete = complete_layout,
	  .run = run_layout },
	{ .name = "focus",
	  .alias = "fs",
	  .args = "PANE|cmd|next|prev",
	  .help = "move the focus to a pane",
	  .group = GROUP_SUPPORT,
	  .flags = FLAGS,
	  .complete = complete_pane,
	  .run = run_focus },
	{ .name = "winheight",
	  .alias = "wh",
	  .args = "[PANE|cmd] [+|-]N",
	  .help = "change the height of a pane",
	  .group = GROUP_SUPPORT,
	  .flags = FLAGS,
	  .complete = complete_pane,
	  .run = run_winheight },
	{ .name = "winwidth",
	  .alias = "ww",
	  .args = "[PANE] [+|-]N",
	  .help = "change the width of a pane",
	  .group = GROUP_SUPPORT,
	  .flags = FLAGS,
	  .complete = complete_pane,
	  .run = run_winwidth },
	{ .name = "zoom",
	  .args = "[PANE]",
	  .help = "show one pane alone, or all again",
	  .group = GROUP_SUPPORT,
	  .flags = FLAGS,
	  .complete = complete_pane,
	  .run = run_zoom },
	{ .name = "hide",
	  .args = "[PANE]",
	  .help = "hide a pane",
	  .group = GROUP_SUPPORT,
	  .flags = FLAGS,
	  .complete = complete_pane,
	  .run = run_hide },
	{ .name = "unhide",
	  .args = "[PANE]",
	  .help = "show hidden panes again",
	  .group = GROUP_SUPPORT,
	  .flags = FLAGS,
	  .complete = complete_pane,
	  .run = run_unhide },
	{ .name = "refresh",
	  .help = "redraw the full screen",
	  .group = GROUP_SUPPORT,
	  .flags = FLAGS,
	  .run = run_refresh },
	{ .name = NULL },
};
