/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: jump, which sets the next instruction. */
#include "cmd/cmd_table.h"
#include "base/err.h"
#include "engine/jump.h"
#include "engine/session.h"
#include "engine/loc.h"
#include "view/render.h"

static int jump_to(struct session *s, const struct places *places, const char *args, struct reply *out, struct err *err)
{
	struct frame *f = session_frame(s, err);
	const struct place *p = NULL;
	int i;

	if (!f)
		return -1;
	for (i = 0; i < places->n && !p; i++)
		if (places->place[i].code == f->code)
			p = &places->place[i];
	if (!p && places->n)
		p = &places->place[0];
	if (!p)
		return err_set(err, "cannot jump to '%s': there is no such code", args);
	if (session_jump(s, p->code, p->index, err) < 0)
		return -1;
	render_place(s, session_frame(s, err), &out->text);
	return 0;
}

static int cmd_jump_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct places places = { 0 };
	struct loc *loc;
	int ret = -1;

	if (!*args)
		return err_set(err, "missing location: 'jump LINE', 'jump *OFFSET' or 'jump #INDEX'");
	loc = loc_parse(s, args, err);
	if (!loc)
		return -1;
	if (loc_resolve(s, loc, &places, err) >= 0)
		ret = jump_to(s, &places, args, out, err);
	places_release(&places);
	loc_free(loc);
	return ret;
}

const struct cmd_def cmd_jump[] = {
	{ .name = "jump",
	  .alias = "j",
	  .args = "LOCATION",
	  .group = GROUP_CHANGE,
	  .flags = CMD_NEEDS_STOP | CMD_CHANGES,
	  .help = "set the next instruction of the stopped frame",
	  .more = "The program stays stopped and nothing in between runs.  LOCATION must be in the code\n"
		  "of the innermost frame.  A jump for which the value stack would not fit is refused:\n"
		  "into a loop, out of a 'with' and the like.",
	  .complete = cmd_complete_location,
	  .run = cmd_jump_run },
	{ .name = NULL },
};
