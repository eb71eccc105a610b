/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: continue. */
#include "cmd/table.h"
#include "engine/bp.h"
#include "engine/session.h"
#include "engine/step.h"

static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct bp *b;
	long count;

	if (cmd_count(args, &count, err) < 0)
		return -1;
	if (*args) {
		b = s->event && s->event->number ? bp_find(s, s->event->number) : NULL;
		if (!b)
			return err_set(err, "the program is not stopped at a breakpoint whose hits could be ignored: "
					    "'continue' takes no number here");
		b->ignore = count - 1;
		if (count > 1)
			buf_addf(&out->text, "breakpoint %d: the next %ld hit%s ignored\n", b->number, count - 1,
				 count == 2 ? " is" : "s are");
	}
	return step_continue(s, err);
}

const struct cmd_def cmd_continue[] = {
	{ .name = "continue", .alias = "c cont", .args = "[N]", .group = GROUP_RUN, .run = run,
	  .flags = CMD_NEEDS_STOP | CMD_RESUMES | CMD_REPEATS,
	  .help = "let the program run on",
	  .more = "N: stop at this breakpoint at its Nth hit from now." },
	{ .name = NULL }
};
