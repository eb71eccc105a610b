/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: finish. */
#include "cmd/table.h"
#include "engine/step.h"
#include "base/err.h"

static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	if (*args)
		return err_set(err, "finish takes no argument: 'frame N' selects the frame to finish");
	return step_finish(s, err);
}

const struct cmd_def cmd_finish[] = {
	{ .name = "finish", .alias = "return r fin", .group = GROUP_RUN, .flags = CMD_NEEDS_STOP | CMD_RESUMES,
	  .help = "run to the return of the selected frame, and show the value", .run = run,
	  .more = "Stops at the frame's return instruction: the value is the top of the stack and can still be written\n"
		  "('set stack N = EXPR').  Given there, it goes out to the caller.  A frame that an exception ends is\n"
		  "left for its caller." },
	{ .name = NULL }
};
