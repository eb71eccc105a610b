/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: save breakpoints. */
#include "base/file.h"
#include "cmd/cmd_table.h"
#include "engine/bp.h"
#include "engine/session.h"

static int save_breakpoints(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	const char *file = cmd_arg(args, "FILE");
	struct buf script = { 0 };
	struct bp *b;
	int n = 0, ret;

	for (b = bp_first(s); b; b = b->next, n++)
		bp_script(s, b, &script);
	ret = file_write(file, buf_str(&script), script.len, 0666, err);
	buf_release(&script);
	if (!ret)
		buf_addf(&out->text, "%d saved in '%s'; 'source %s' sets them again\n", n, file, file);
	return ret;
}

static const struct cmd_sub subs[] = {
	{ .name = "breakpoints",
	  .args = "FILE",
	  .flags = CMD_AFTER_EXIT,
	  .run = save_breakpoints,
	  .help = "write all breakpoints, catchpoints and watchpoints to a file as commands" },
	{ .name = NULL },
};

const struct cmd_def cmd_save[] = {
	{ .name = "save",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT | CMD_RAW,
	  .subs = subs,
	  .help = "save breakpoints, catchpoints and watchpoints to a file" },
	{ .name = NULL },
};
