/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: decompile, code as Python source. */
#include "cmd/cmd_table.h"
#include "view/view.h"

static int cmd_decompile_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	const struct view_ops *v = view_find("python", err);

	out->rows = v ? view_rows(s, v, args, err) : NULL;
	if (!out->rows)
		return -1;
	view_text(s, out->rows, &out->text);
	return 0;
}

const struct cmd_def cmd_decompile[] = {
	{ .name = "decompile",
	  .args = "[-a] [FUNC|ENTRY]",
	  .group = GROUP_LOOK,
	  .flags = CMD_AFTER_EXIT,
	  .help = "show code as Python source",
	  .more = "Without an argument, show the code of the selected frame. A function shows the\n"
		  "newest code generated from it. => marks the statement of the next instruction.\n"
		  "Statements that only serve the compiler, such as calls of profiler hooks, are\n"
		  "folded into a comment; -a shows all of them. Code that cannot be written as\n"
		  "Python is shown as comments with its bytecode, and the reason.",
	  .complete = cmd_complete_location,
	  .run = cmd_decompile_run },
	{ .name = NULL },
};
