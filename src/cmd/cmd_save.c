/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: save breakpoints. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cmd/table.h"
#include "engine/bp.h"
#include "engine/session.h"

static int write_file(const char *name, const struct buf *text, struct err *err)
{
	FILE *f = fopen(name, "we");
	bool well;

	if (!f)
		return err_set(err, "cannot write '%s': %s", name, strerror(errno));
	well = fwrite(buf_str(text), 1, text->len, f) == text->len;
	if (fclose(f) || !well)
		return err_set(err, "cannot write '%s': %s", name, strerror(errno));
	return 0;
}

static int cmd_save_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct buf what = { 0 }, script = { 0 };
	struct bp *b;
	int n = 0, ret;

	if (!cmd_word(&args, &what) || strncmp("breakpoints", buf_str(&what), what.len) || !*args) {
		buf_release(&what);
		return err_set(err, "save what? 'save breakpoints FILE'");
	}
	buf_release(&what);
	for (b = bp_first(s); b; b = b->next, n++)
		bp_script(s, b, &script);
	ret = write_file(args, &script, err);
	buf_release(&script);
	if (!ret)
		buf_addf(&out->text, "%d saved in '%s': 'source %s' sets them again\n", n, args, args);
	return ret;
}

const struct cmd_def cmd_save[] = {
	{ .name = "save", .args = "breakpoints FILE", .group = GROUP_BREAK, .flags = CMD_AFTER_EXIT | CMD_RAW,
	  .run = cmd_save_run,
	  .help = "write all breakpoints, catchpoints and watchpoints to a file as commands" },
	{ .name = NULL }
};
