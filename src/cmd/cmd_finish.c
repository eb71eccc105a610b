/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: finish, to the return instruction of the selected frame. */
#include "cmd/cmd_table.h"
#include "base/err.h"
#include "engine/past.h"
#include "engine/session.h"
#include "engine/step.h"

static int cmd_finish_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	if (*args)
		return err_set(err, "'finish' takes no argument: 'frame N' selects the frame to finish");
	if (s->past)
		return past_move(s, PAST_OUT, true, false, 1, err);
	return step_finish(s, err);
}

const struct cmd_def cmd_finish[] = {
	{ .name = "finish",
	  .alias = "fin return r",
	  .group = GROUP_RUN,
	  .flags = CMD_NEEDS_STOP | CMD_RESUMES | CMD_REPEATS | CMD_PAST,
	  .help = "run until the selected frame is about to return",
	  .more = "Stops at the return instruction of the frame: the value is shown and can still be\n"
		  "changed ('set stack').  From there, the next 'finish' returns to the caller.  A\n"
		  "generator runs to its end, not to the next yield.",
	  .run = cmd_finish_run },
	{ .name = NULL },
};
