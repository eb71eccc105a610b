/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that go back in the record, and to a place in it: rstepi, rstep, rnext, rfinish, rcontinue, go, now. */
#include <stdint.h>
#include <string.h>
#include "base/err.h"
#include "cmd/cmd_table.h"
#include "engine/past.h"
#include "engine/recording.h"
#include "engine/session.h"

static int back(struct session *s, const char *args, enum past_unit unit, bool over, struct err *err)
{
	long count;

	if (cmd_count(args, &count, err) < 0)
		return -1;
	return past_move(s, unit, over, true, count, err);
}

static int rstepi_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return back(s, args, PAST_INSTR, false, err);
}

static int rstep_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return back(s, args, PAST_LINE, false, err);
}

static int rnext_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return back(s, args, PAST_LINE, true, err);
}

static int rfinish_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return back(s, args, PAST_OUT, true, err);
}

static int rcontinue_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return back(s, args, PAST_HIT, true, err);
}

static int now_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	if (*args)
		return err_set(err, "'now' takes no argument");
	return past_now(s, err);
}

static int go_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	long n;

	if (!strcmp(args, "now"))
		return now_run(s, "", out, err);
	if (*args == '-' && text_is_number(args + 1, 1, INT32_MAX, &n))
		return past_go_back(s, (uint64_t)n, err);
	if (*args == '#' && text_is_number(args + 1, 0, INT64_MAX, &n))
		return past_go(s, (uint64_t)n, err);
	if (!recording_on())
		return err_set(err, "nothing is recorded: 'record' begins");
	return err_set(err, "'go' takes -N (instructions before the present), #N (as 'info history' numbers them) or "
			    "now");
}

int cmd_past_value(struct session *s, const char *name, bool type, struct reply *out, struct err *err)
{
	const struct record_value *v = past_named(s, name, err);

	if (!v)
		return -1;
	out->value = true;
	if (type && past_value_type(v))
		buf_addf(&out->text, "%s: ", past_value_type(v));
	past_value_text(v, &out->text);
	return 0;
}

#define BACK (CMD_NEEDS_STOP | CMD_REPEATS | CMD_GONE)

const struct cmd_def cmd_past[] = {
	{ .name = "rstepi",
	  .alias = "rsi",
	  .args = "[N]",
	  .group = GROUP_RUN,
	  .flags = BACK,
	  .help = "go back one recorded instruction",
	  .more = "Shows the program as it was: source, code, stack, locals, frames.  It is only read;\n"
		  "'stepi', 'step', 'next', 'finish' and 'continue' go forward again, as far as the\n"
		  "present, 'now' returns there.  'record' begins a record.  N: so many instructions.\n"
		  "Before the beginning of the record it goes to the last checkpoint before that, and runs\n"
		  "the program on to the instruction; what runs otherwise than recorded is told.",
	  .run = rstepi_run },
	{ .name = "rstep",
	  .alias = "rs",
	  .args = "[N]",
	  .group = GROUP_RUN,
	  .flags = BACK,
	  .help = "go back to the beginning of the line before, in the record",
	  .more = "In generated code a line is a region, in a graph a node.  Goes into calls that are\n"
		  "recorded.",
	  .run = rstep_run },
	{ .name = "rnext",
	  .alias = "rn",
	  .args = "[N]",
	  .group = GROUP_RUN,
	  .flags = BACK,
	  .help = "go back to the beginning of the line before in this frame, in the record",
	  .run = rnext_run },
	{ .name = "rfinish",
	  .alias = "rf",
	  .args = "[N]",
	  .group = GROUP_RUN,
	  .flags = BACK,
	  .help = "go back to the call of this frame, in the record",
	  .run = rfinish_run },
	{ .name = "rcontinue",
	  .alias = "rc",
	  .args = "[N]",
	  .group = GROUP_RUN,
	  .flags = BACK,
	  .help = "go back to where something that is set now would have stopped, in the record",
	  .more = "Breakpoints; watchpoints on a variable or a slot, which is then another object; 'catch\n"
		  "exception', at what raised it; catchpoints on places, such as 'catch resume'.  Others are\n"
		  "named: the record cannot tell.  Conditions are not evaluated.  Without a hit it goes to\n"
		  "the first instruction.",
	  .run = rcontinue_run },
	{ .name = "go",
	  .args = "-N|#N|now",
	  .group = GROUP_RUN,
	  .flags = CMD_NEEDS_STOP | CMD_GONE,
	  .help = "go to a moment of the record",
	  .more = "-N: so many instructions before the present; #N: the instruction of that number; now:\n"
		  "the present.",
	  .run = go_run },
	{ .name = "now",
	  .group = GROUP_RUN,
	  .flags = CMD_NEEDS_STOP | CMD_GONE,
	  .help = "return from the past",
	  .run = now_run },
	{ .name = NULL },
};
