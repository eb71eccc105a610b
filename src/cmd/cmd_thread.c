/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: thread, which selects a thread. */
#include <stdlib.h>
#include "base/err.h"
#include "cmd/cmd_table.h"
#include "engine/session.h"
#include "engine/stop.h"
#include "py/hook/hook.h"
#include "view/render.h"

static void say_thread(struct session *s, struct reply *out)
{
	struct frame *f = session_frame(s, NULL);

	render_thread(s->viewed, &out->text);
	buf_addc(&out->text, '\n');
	if (f) {
		buf_addf(&out->text, "#%-2d ", f->level);
		render_frame(f, &out->text);
		buf_addc(&out->text, '\n');
		render_place(s, f, &out->text);
	}
}

static int cmd_thread_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	long n;

	if (*args) {
		if (!text_is_number(args, 1, 1000000, &n))
			return err_set(err, "invalid thread '%s': expected a number; 'info threads' lists the threads",
				       args);
		if (session_select_thread(s, (int)n, err) < 0)
			return -1;
	}
	say_thread(s, out);
	return 0;
}

static void complete_thread(struct session *s, const char *args, const char *word, struct val *list)
{
	if (word == args)
		cmd_complete_rows(s, "threads", "thread", "function file line", list);
}

const struct cmd_def cmd_thread[] = {
	{ .name = "thread",
	  .args = "[N]",
	  .group = GROUP_LOOK,
	  .flags = CMD_NEEDS_STOP | CMD_GONE,
	  .help = "select a thread, or show which one is selected",
	  .more = "Steps continue in the selected thread.  'info threads' lists the threads.",
	  .complete = complete_thread,
	  .run = cmd_thread_run },
	{ .name = NULL },
};
