/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the core's own options.  Nothing else: module.c hands it to option.c. */
#include "engine/option_table.h"
#include <stddef.h>
#include "engine/procs.h"
#include "engine/screen.h"
#include "engine/trace.h"

static const char *const color_choices[] = { "auto", "on", "off", NULL };
static const char *const into_choices[] = { "user", "graph", "library", NULL };
static const char *const lock_choices[] = { "off", "on", "step", NULL };
static const char *const terminal_choices[] = { "debugger", "program", NULL };
static const char *const theme_choices[] = { "dark", "light", "none", NULL };
static const char *const mode_choices[] = { "region", "instruction", NULL };
static const char *const fork_choices[] = { "parent", "child", NULL };

const struct option_def option_table[] = {
	{ .name = "auto-load-safe-path", .type = OPTION_TEXT, .text = "",
	  .help = "directories, separated by colons, below which ./.cdbgrc is read at the start" },
	{ .name = "color", .type = OPTION_CHOICE, .text = "auto", .choices = color_choices,
	  .help = "colours: on a terminal when NO_COLOR is not set, always, never" },
	{ .name = "confirm", .type = OPTION_BOOL, .number = 1, .help = "ask before what cannot be undone" },
	{ .name = "follow-fork-mode", .type = OPTION_CHOICE, .text = "parent", .choices = fork_choices,
	  .check = procs_check_follow, .help = "which process cdbg debugs after a fork; the other runs without it" },
	{ .name = "hints", .type = OPTION_BOOL, .number = 1, .changed = screen_option_changed,
	  .help = "show the keys of the focused pane in the full screen's last row" },
	{ .name = "history-size", .type = OPTION_NUMBER, .number = 1000, .min = 0, .max = 100000,
	  .changed = screen_option_changed,
	  .help = "lines kept in the history file ~/.cdbg_history" },
	{ .name = "listsize", .type = OPTION_NUMBER, .number = 11, .min = 1, .max = 10000,
	  .help = "source lines that 'list' shows" },
	{ .name = "logging", .type = OPTION_TEXT, .text = "",
	  .help = "file to which what the prompt shows is added; empty: none" },
	{ .name = "mouse", .type = OPTION_BOOL, .number = 1, .changed = screen_option_changed,
	  .help = "the full screen takes the mouse; Shift selects text as without it" },
	{ .name = "output", .type = OPTION_TEXT, .text = "pane",
	  .help = "where what the program writes goes from the next command on: pane, terminal, or a file" },
	{ .name = "output-color", .type = OPTION_BOOL, .number = 1, .changed = screen_option_changed,
	  .help = "the output pane shows the program's colours" },
	{ .name = "pagination", .type = OPTION_BOOL, .number = 0, .help = "stop long answers after each screen" },
	{ .name = "post-mortem", .type = OPTION_BOOL, .number = 1,
	  .help = "stop at an exception that nobody caught, with its dead frames" },
	{ .name = "repr-limit", .type = OPTION_NUMBER, .number = 2000, .min = 16, .max = 100000000,
	  .help = "bytes of a value that 'print' shows" },
	{ .name = "scheduler-locking", .type = OPTION_CHOICE, .text = "off", .choices = lock_choices,
	  .help = "other threads run while this one goes on: always, never, not in a step" },
	{ .name = "step-into", .type = OPTION_CHOICE, .text = "user", .choices = into_choices,
	  .help = "whose code steps enter: the user's (and generated), graphs' too, all" },
	{ .name = "step-mode", .type = OPTION_CHOICE, .text = "region", .choices = mode_choices,
	  .help = "what a step is in generated code" },
	{ .name = "terminal", .type = OPTION_CHOICE, .text = "debugger", .choices = terminal_choices,
	  .help = "who has the screen while the program runs; program: it has, until the next stop" },
	{ .name = "theme", .type = OPTION_CHOICE, .text = "dark", .choices = theme_choices,
	  .changed = screen_option_changed, .help = "colours of the full screen" },
	{ .name = "trace", .type = OPTION_BOOL, .number = 0, .changed = trace_changed,
	  .help = "print each instruction of generated code before it runs" },
	{ .name = "watchdog", .type = OPTION_BOOL, .number = 1, .changed = screen_option_changed,
	  .help = "restore the terminal and show the last output when the program is killed; uses a second process" },
	{ .name = "width", .type = OPTION_NUMBER, .number = 0, .min = 0, .max = 10000,
	  .help = "columns of the terminal; 0: ask it" },
	{ .name = NULL }
};
