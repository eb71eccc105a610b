/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that run to a place: until stops in the selected frame, advance in any frame. */
#include "cmd/cmd_table.h"
#include "base/err.h"
#include "engine/loc.h"
#include "engine/session.h"
#include "engine/stack.h"
#include "engine/step.h"

static int until_go(struct session *s, const char *args, bool this_frame, struct err *err)
{
	struct places places = { 0 };
	struct frame *f = session_frame(s, err);
	struct loc *loc = f ? loc_parse(s, args, err) : NULL;
	int ret = -1;

	if (!loc)
		return -1;
	if (loc_resolve(s, loc, &places, err) < 0)
		goto out;
	loc_node_lines(s, loc, f->code, &places);
	if (!places.n) {
		err_set(err, "cannot run to '%s': there is no such code yet; 'tbreak %s' waits for it", args, args);
		goto out;
	}
	ret = step_until(s, &places, this_frame, err);
out:
	places_release(&places);
	loc_free(loc);
	return ret;
}

static int until_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	return *args ? until_go(s, args, true, err) : step_until(s, NULL, true, err);
}

static int advance_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	if (!*args)
		return err_set(err, "missing location: 'advance LOCATION'");
	return until_go(s, args, false, err);
}

const struct cmd_def cmd_until[] = {
	{ .name = "until",
	  .alias = "unt",
	  .args = "[LOCATION]",
	  .group = GROUP_RUN,
	  .flags = CMD_NEEDS_STOP | CMD_RESUMES | CMD_REPEATS,
	  .help = "run to a later line of this frame, or to a location in it",
	  .more = "Without LOCATION, runs to a line further down, which leaves a loop.  Stops at the\n"
		  "latest when the frame is about to return.  In a graph, a line of the program is where the\n"
		  "graph begins to compute it, or the next line of that file that it computes.",
	  .complete = cmd_complete_location,
	  .run = until_run },
	{ .name = "advance",
	  .args = "LOCATION",
	  .group = GROUP_RUN,
	  .flags = CMD_NEEDS_STOP | CMD_RESUMES,
	  .help = "run to a location, in any frame",
	  .more = "Stops at the latest when the selected frame is about to return.  In a graph, a line of the\n"
		  "program means what it means to until.",
	  .complete = cmd_complete_location,
	  .run = advance_run },
	{ .name = NULL },
};
