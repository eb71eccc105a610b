/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: step, next, stepi, nexti.  Knows step plans, not how they are kept. */
#include "cmd/table.h"
#include "engine/session.h"
#include "engine/step.h"

static int go(struct session *s, const char *args, enum step_unit unit, bool over, struct err *err)
{
	long count;

	if (cmd_count(args, &count, err) < 0)
		return -1;
	return step_by(s, unit, over, count, err);
}

static int run_step(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return go(s, args, STEP_LINE, false, err);
}

static int run_next(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return go(s, args, STEP_LINE, true, err);
}

static int run_stepi(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return go(s, args, STEP_INSTR, false, err);
}

static int run_nexti(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return go(s, args, STEP_INSTR, true, err);
}

#define STEP_FLAGS (CMD_NEEDS_STOP | CMD_RESUMES | CMD_REPEATS)

const struct cmd_def cmd_step[] = {
	{ .name = "step", .alias = "s", .args = "[N]", .group = GROUP_RUN, .flags = STEP_FLAGS, .run = run_step,
	  .help = "go on to another line, into calls (in generated code: another region)",
	  .more = "In the program's own code a step is a line.  In code that Dynamo made, whose line table says nothing,\n"
		  "it is a region: the graph call, the outputs, the break, a resume call.  Steps enter the program's\n"
		  "functions, generated code and resume functions; library code is stepped over unless\n"
		  "'set step-into library'.  'set step-mode instruction' makes every step one instruction." },
	{ .name = "next", .alias = "n", .args = "[N]", .group = GROUP_RUN, .flags = STEP_FLAGS, .run = run_next,
	  .help = "go on to another line of this function, over calls",
	  .more = "As step, but stays in this activation until it returns; then it goes on in its caller." },
	{ .name = "stepi", .alias = "si", .args = "[N]", .group = GROUP_RUN, .flags = STEP_FLAGS, .run = run_stepi,
	  .help = "go on by one bytecode instruction, into calls",
	  .more = "From a stop while Dynamo compiles: to the next instruction of user or generated code that runs." },
	{ .name = "nexti", .alias = "ni", .args = "[N]", .group = GROUP_RUN, .flags = STEP_FLAGS, .run = run_nexti,
	  .help = "go on by one bytecode instruction, over calls" },
	{ .name = NULL }
};
