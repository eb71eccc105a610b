/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: continue, to the next stop. */
#include "cmd/cmd_table.h"
#include "base/err.h"
#include "engine/bp.h"
#include "engine/past.h"
#include "engine/session.h"
#include "engine/step.h"

static int cmd_continue_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct bp *b;
	long count;

	if (cmd_count(args, &count, err) < 0)
		return -1;
	if (s->past)
		return past_move(s, PAST_HIT, true, false, count, err);
	if (*args) {
		b = s->event && s->event->number ? bp_find(s, s->event->number) : NULL;
		if (!b)
			return err_set(err,
				       "cannot continue %ld times: the program is not stopped at a breakpoint; "
				       "use 'continue' without a count",
				       count);
		bp_ignore(b, count - 1, b->again);
		if (b->ignore)
			buf_addf(&out->text, "breakpoint %d: the next %ld hits are ignored", b->number, b->ignore);
	}
	return step_continue(s, err);
}

const struct cmd_def cmd_continue[] = {
	{ .name = "continue",
	  .alias = "c cont",
	  .args = "[N]",
	  .group = GROUP_RUN,
	  .flags = CMD_NEEDS_STOP | CMD_RESUMES | CMD_REPEATS | CMD_PAST,
	  .help = "continue the program until the next stop",
	  .more = "N: stop at the N-th hit of the breakpoint at which the program is stopped.",
	  .run = cmd_continue_run },
	{ .name = NULL },
};
