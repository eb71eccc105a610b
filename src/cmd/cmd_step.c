/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that step: by line or region, by instruction, into calls or over them. */
#include "cmd/cmd_table.h"
#include "engine/past.h"
#include "engine/session.h"
#include "engine/step.h"

static int step_go(struct session *s, const char *args, enum step_unit unit, bool over, struct err *err)
{
	long count;

	if (cmd_count(args, &count, err) < 0)
		return -1;
	if (s->past)
		return past_move(s, unit == STEP_INSTR ? PAST_INSTR : PAST_LINE, over, false, count, err);
	return step_by(s, unit, over, count, err);
}

static int step_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return step_go(s, args, STEP_LINE, false, err);
}

static int next_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return step_go(s, args, STEP_LINE, true, err);
}

static int stepi_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return step_go(s, args, STEP_INSTR, false, err);
}

static int nexti_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return step_go(s, args, STEP_INSTR, true, err);
}

static int stepg_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	long count;

	(void)out;
	if (cmd_count(args, &count, err) < 0)
		return -1;
	return step_graph(s, count, err);
}

#define STEPS (CMD_NEEDS_STOP | CMD_RESUMES | CMD_REPEATS | CMD_PAST)

const struct cmd_def cmd_step[] = {
	{ .name = "step",
	  .alias = "s",
	  .args = "[N]",
	  .group = GROUP_RUN,
	  .flags = STEPS,
	  .help = "step to the next line, into calls",
	  .more = "In generated code a step is a region (see 'disassemble'), elsewhere a line.  Enters\n"
		  "functions of the program, their generated code and resume functions; library code is\n"
		  "stepped over unless 'set step-into library'.  With 'set step-mode instruction' each\n"
		  "step is one instruction.  N: repeat that many times, or until something else stops the\n"
		  "program.",
	  .run = step_run },
	{ .name = "next",
	  .alias = "n",
	  .args = "[N]",
	  .group = GROUP_RUN,
	  .flags = STEPS,
	  .help = "step to the next line of this frame, over calls",
	  .more = "Like 'step', but a call runs to its end.  When the frame is about to return, stops at\n"
		  "its return instruction and shows the value; the next step continues in the caller.",
	  .run = next_run },
	{ .name = "stepg",
	  .alias = "sg",
	  .args = "[N]",
	  .group = GROUP_RUN,
	  .flags = CMD_NEEDS_STOP | CMD_RESUMES | CMD_REPEATS,
	  .help = "step to the next line or graph node, into compiled graphs",
	  .more = "Like 'step' with 'set step-into graph': enters the graph that a region calls.  There a\n"
		  "step is a node (eager, aot_eager) or a kernel call (inductor), also in the backward\n"
		  "graph.  Inside the graph 'step' continues node by node, 'finish' returns to the\n"
		  "generated code.",
	  .run = stepg_run },
	{ .name = "stepi",
	  .alias = "si",
	  .args = "[N]",
	  .group = GROUP_RUN,
	  .flags = STEPS,
	  .help = "step one instruction, into calls",
	  .more = "N: repeat that many times.  From a function that is being compiled, steps to the next\n"
		  "instruction of the program or of generated code that runs.",
	  .run = stepi_run },
	{ .name = "nexti",
	  .alias = "ni",
	  .args = "[N]",
	  .group = GROUP_RUN,
	  .flags = STEPS,
	  .help = "step one instruction of this frame, over calls",
	  .more = "N: repeat that many times.",
	  .run = nexti_run },
	{ .name = NULL },
};
