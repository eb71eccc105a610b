/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: until, advance. */
#include "cmd/table.h"
#include "engine/loc.h"
#include "engine/step.h"

static int run_to(struct session *s, const char *text, bool this_frame, struct err *err)
{
	struct places to = { 0 };
	struct loc *loc = loc_parse(s, text, err);
	int n = loc ? loc_resolve(s, loc, &to, err) : -1;

	if (!n)
		n = err_set(err, "nothing is at '%s' yet: 'tbreak %s' waits for it", text, text);
	if (n > 0)
		n = step_until(s, &to, this_frame, err);
	places_release(&to);
	loc_free(loc);
	return n;
}

static int run_until(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return *args ? run_to(s, args, true, err) : step_until(s, NULL, true, err);
}

static int run_advance(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	if (!*args)
		return err_set(err, "advance to where? give a location: a line, a function, *OFFSET");
	return run_to(s, args, false, err);
}

const struct cmd_def cmd_until[] = {
	{ .name = "until", .alias = "unt", .args = "[LOCATION]", .group = GROUP_RUN,
	  .flags = CMD_NEEDS_STOP | CMD_RESUMES | CMD_REPEATS, .complete = cmd_complete_location, .run = run_until,
	  .help = "run to a later line of this frame, or to a location in it",
	  .more = "Without a location it never goes back up a loop.  Stops at the frame's return in any case." },
	{ .name = "advance", .args = "LOCATION", .group = GROUP_RUN, .flags = CMD_NEEDS_STOP | CMD_RESUMES,
	  .complete = cmd_complete_location, .run = run_advance,
	  .help = "run to a location, wherever it is",
	  .more = "Stops at the return of the selected frame if that comes first." },
	{ .name = NULL }
};
