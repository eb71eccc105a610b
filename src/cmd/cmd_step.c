/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that go a step: by line or region, by instruction, into calls or over them. */
#include "cmd/table.h"
#include "engine/step.h"

static int go(struct session *s, const char *args, enum step_unit unit, bool over, struct err *err)
{
	long count;

	if (cmd_count(args, &count, err) < 0)
		return -1;
	return step_by(s, unit, over, count, err);
}

static int step_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return go(s, args, STEP_LINE, false, err);
}

static int next_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return go(s, args, STEP_LINE, true, err);
}

static int stepi_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return go(s, args, STEP_INSTR, false, err);
}

static int nexti_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return go(s, args, STEP_INSTR, true, err);
}

static int stepg_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	long count;

	(void)out;
	if (cmd_count(args, &count, err) < 0)
		return -1;
	return step_graph(s, count, err);
}

#define STEPS (CMD_NEEDS_STOP | CMD_RESUMES | CMD_REPEATS)

const struct cmd_def cmd_step[] = {
	{ .name = "step", .alias = "s", .args = "[N]", .group = GROUP_RUN, .flags = STEPS,
	  .help = "go to the next line, into calls",
	  .more = "In generated code a step is a region (see 'disassemble'), in the program's\n"
		  "own code a line. Enters the program's functions, their generated code and\n"
		  "resume functions; library code is stepped over unless 'set step-into\n"
		  "library'.  'set step-mode instruction' makes every step one instruction. N:\n"
		  "that many times, or until something else stops the program.",
	  .run = step_run },
	{ .name = "next", .alias = "n", .args = "[N]", .group = GROUP_RUN, .flags = STEPS,
	  .help = "go to the next line of this frame, over calls",
	  .more = "As 'step', but what the line calls runs to its end.  When the frame is about\n"
		  "to return, it stops at its return instruction with the value shown; the next\n"
		  "step goes on in the caller.",
	  .run = next_run },
	{ .name = "stepg", .alias = "sg", .args = "[N]", .group = GROUP_RUN, .flags = STEPS,
	  .help = "go to the next line or graph node, into compiled graphs",
	  .more = "As 'step' with 'set step-into graph': enters the graph that a region calls,\n"
		  "where a step is a node (eager, aot_eager) or a kernel call (inductor), also in\n"
		  "the backward graph.  Inside the graph 'step' goes on node by node, 'finish'\n"
		  "returns to the generated code.",
	  .run = stepg_run },
	{ .name = "stepi", .alias = "si", .args = "[N]", .group = GROUP_RUN, .flags = STEPS,
	  .help = "go one instruction, into calls",
	  .more = "N: that many instructions.  From a function that is being compiled it goes\n"
		  "to the next instruction of the program or of generated code that runs.",
	  .run = stepi_run },
	{ .name = "nexti", .alias = "ni", .args = "[N]", .group = GROUP_RUN, .flags = STEPS,
	  .help = "go one instruction of this frame, over calls",
	  .more = "N: that many instructions.",
	  .run = nexti_run },
	{ .name = NULL }
};
