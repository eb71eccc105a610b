/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the core's own options.  Nothing else: module.c passes it to option.c. */
#include "engine/option_table.h"
#include <stddef.h>
#include "engine/procs.h"
#include "engine/screen.h"
#include "engine/trace.h"

static const char *const color_choices[] = { "auto", "on", "off", NULL };
static const char *const into_choices[] = { "user", "graph", "library", NULL };
static const char *const lock_choices[] = { "off", "on", "step", NULL };
static const char *const terminal_choices[] = { "debugger", "program", NULL };
static const char *const theme_choices[] = { "auto", "dark", "light", "none", NULL };
static const char *const mode_choices[] = { "region", "instruction", NULL };
static const char *const fork_choices[] = { "parent", "child", NULL };

const struct option_def option_table[] = {
	{ .name = "auto-load-safe-path", .type = OPTION_TEXT, .text = "",
	  .help = "directories, separated by colons, below which ./.cdbgrc is read at start-up" },
	{ .name = "color", .type = OPTION_CHOICE, .text = "auto", .choices = color_choices,
	  .changed = screen_option_changed,
	  .help = "when to use colours: on a terminal unless NO_COLOR is set, always, never" },
	{ .name = "confirm", .type = OPTION_BOOL, .number = 1, .help = "ask before commands that cannot be undone" },
	{ .name = "follow-fork-mode", .type = OPTION_CHOICE, .text = "parent", .choices = fork_choices,
	  .check = procs_check_follow, .help = "process that cdbg debugs after a fork; the other runs without it" },
	{ .name = "hints", .type = OPTION_BOOL, .number = 1, .changed = screen_option_changed,
	  .help = "show the keys of the focused pane in the full screen's last row" },
	{ .name = "history-size", .type = OPTION_NUMBER, .number = 1000, .min = 0, .max = 100000,
	  .changed = screen_option_changed,
	  .help = "number of lines kept in the history file ~/.cdbg_history" },
	{ .name = "listsize", .type = OPTION_NUMBER, .number = 11, .min = 1, .max = 10000,
	  .help = "source lines that 'list' shows" },
	{ .name = "logging", .type = OPTION_TEXT, .text = "",
	  .help = "file to which the prompt's output is appended; empty: none" },
	{ .name = "mouse", .type = OPTION_BOOL, .number = 1, .changed = screen_option_changed,
	  .help = "the full screen uses the mouse; hold Shift to select text" },
	{ .name = "output", .type = OPTION_TEXT, .text = "pane",
	  .help = "destination of the program's output after the next command: pane, terminal, a file" },
	{ .name = "output-color", .type = OPTION_BOOL, .number = 1, .changed = screen_option_changed,
	  .help = "the output pane shows the program's colours" },
	{ .name = "pagination", .type = OPTION_BOOL, .number = 0, .help = "stop long answers after each screen" },
	{ .name = "post-mortem", .type = OPTION_BOOL, .number = 1,
	  .help = "stop at an exception that no handler caught, with its frames readable" },
	{ .name = "repr-limit", .type = OPTION_NUMBER, .number = 2000, .min = 16, .max = 100000000,
	  .help = "bytes of a value that 'print' shows" },
	{ .name = "scheduler-locking", .type = OPTION_CHOICE, .text = "off", .choices = lock_choices,
	  .help = "stop other threads while this one continues: never, always, only in a step" },
	{ .name = "step-into", .type = OPTION_CHOICE, .text = "user", .choices = into_choices,
	  .help = "code that steps enter: user and generated code; graphs too; library code too" },
	{ .name = "step-mode", .type = OPTION_CHOICE, .text = "region", .choices = mode_choices,
	  .help = "unit of a step in generated code" },
	{ .name = "terminal", .type = OPTION_CHOICE, .text = "debugger", .choices = terminal_choices,
	  .help = "owner of the terminal while the program runs: the full screen, or the program until it stops" },
	{ .name = "theme", .type = OPTION_CHOICE, .text = "auto", .choices = theme_choices,
	  .changed = screen_option_changed,
	  .help = "colours of the full screen; auto: for a dark background, or a light one if it reports one" },
	{ .name = "trace", .type = OPTION_BOOL, .number = 0, .changed = trace_changed,
	  .help = "print each instruction of generated code before it runs" },
	{ .name = "watchdog", .type = OPTION_BOOL, .number = 1, .changed = screen_option_changed,
	  .help = "restore the terminal and show the last output when the program is killed; uses a second process" },
	{ .name = "width", .type = OPTION_NUMBER, .number = 0, .min = 0, .max = 10000,
	  .help = "columns of the terminal; 0: ask the terminal" },
	{ .name = NULL }
};
