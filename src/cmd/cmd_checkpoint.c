/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: checkpoint.  `delete checkpoint` is in cmd_break.c. */
#include <limits.h>
#include "cmd/cmd_table.h"
#include "engine/checkpoint.h"
#include "engine/session.h"
#include "engine/stop.h"

static int checkpoint_run_take(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	return checkpoint_take(s, stop_number(), cmd_arg(args, "-f"), &out->text, err);
}

static int checkpoint_run_go(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	long number;

	(void)out;
	if (!text_is_number(cmd_arg(args, "CHECKPOINT"), 1, INT_MAX, &number))
		return err_set(err, "invalid number of a checkpoint: '%s'; 'info checkpoints' lists them",
			       cmd_arg(args, "CHECKPOINT"));
	return checkpoint_go(s, (int)number, err);
}

static void complete_checkpoint(struct session *s, const char *args, const char *word, struct val *list)
{
	(void)args;
	(void)word;
	cmd_complete_rows(s, "checkpoints", "checkpoint", "where", list);
}

static const struct cmd_kind kinds[] = {
	{ .name = "CHECKPOINT", .flags = KIND_WORD, .complete = complete_checkpoint },
	{ .name = NULL },
};

static const struct cmd_sub subs[] = {
	{ .name = "take",
	  .args = "[-f]",
	  .flags = CMD_NEEDS_STOP | CMD_BARE,
	  .run = checkpoint_run_take,
	  .help = "keep this state of the program in a process that waits; also without 'take'",
	  .more = "The program itself goes on unchanged.  The waiting process takes the memory that the\n"
		  "program writes from then on.  Refused with an accelerator, other threads, workers of a\n"
		  "DataLoader, a running loop of asyncio, or too little memory; -f takes it without these.\n"
		  "While a record is made, 'rstepi', 'rstep', 'rnext', 'rfinish', 'rcontinue' and 'go' reach\n"
		  "further back than it does by a checkpoint: they go there and run on to the moment.\n"
		  "The program's os.wait() and SIGCHLD know nothing of the process, unless other threads\n"
		  "run at that moment (of libraries, of cdbg in JSON and the full screen)." },
	{ .name = "go",
	  .args = "CHECKPOINT",
	  .flags = CMD_RESUMES | CMD_AFTER_EXIT,
	  .run = checkpoint_run_go,
	  .help = "go back to a checkpoint: the same stop, with all that was there",
	  .more = "The checkpoint stays, and so do later ones.  Breakpoints, displays and options stay as\n"
		  "they are now.  The process that was started waits, is listed as 'left', and ends as\n"
		  "the program ends; other processes that are left end at once.  What was sent through\n"
		  "pipes and sockets, written to files and printed stays." },
	{ .name = NULL },
};

const struct cmd_def cmd_checkpoint[] = {
	{ .name = "checkpoint",
	  .group = GROUP_RUN,
	  .flags = CMD_NEEDS_STOP | CMD_RESUMES | CMD_AFTER_EXIT,
	  .subs = subs,
	  .kinds = kinds,
	  .help = "keep the program's state at this stop, and go back to it (on a CPU)" },
	{ .name = NULL },
};
