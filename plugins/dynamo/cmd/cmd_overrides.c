/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: overrides, also written `set overrides`: writes the changes in force as a script of commands that repeat
   them in another run, where guards are identified by function, kind and source.  Changes nothing. */
#include "cmd/dynamo_cmd.h"
#include "edit/dynamo_edit.h"
#include "edit/overrides.h"
#include <string.h>

static int save_overrides(const char *path, struct reply *out, struct err *err)
{
	struct buf text = { 0 };
	struct override *o;
	int n = 0, ret;

	for (o = ledger; o; o = o->next)
		if (o->number && !o->undone && !o->dead) {
			override_line(o, false, &text);
			buf_addc(&text, '\n');
			n++;
		}
	ret = text_file_write(path, &text, err);
	if (ret == 0)
		buf_addf(&out->text, "%d override%s written to '%s': 'source %s' repeats them in another run\n", n,
			 n == 1 ? "" : "s", path, path);
	buf_release(&text);
	return ret;
}

static int overrides_save(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return save_overrides(cmd_arg(args, "FILE"), out, err);
}

static const struct cmd_sub subs[] = {
	{ .name = "save",
	  .args = "FILE",
	  .flags = CMD_AFTER_EXIT,
	  .run = overrides_save,
	  .help = "write the overrides in force to a file as commands" },
	{ .name = NULL },
};

const struct cmd_def cmd_overrides[] = {
	{ .name = "overrides",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_AFTER_EXIT | CMD_SETS,
	  .subs = subs,
	  .help = "save the changes to Dynamo's cache as commands that repeat them in another run",
	  .more = "Guards are identified by function, kind and source, entries by their function or, if\n"
		  "it has several, by number.  Also written as 'set overrides save FILE'.  'info\n"
		  "overrides' lists the overrides." },
	{ .name = NULL },
};
