/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: watch. */
#include "cmd/bp_numbers.h"
#include "cmd/cmd_table.h"
#include "engine/bp.h"
#include "engine/past_places.h"
#include "engine/session.h"
#include "engine/watch.h"

/* In the record of a process that is gone. */
static int watch_recorded(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct bp *b = *args ? past_places_watch(s, args, err) : NULL;

	if (!b)
		return *args ? -1 : err_set(err, "missing variable: 'watch NAME'");
	buf_addf(&out->text, "watchpoint %d: %s of this call of the function\n", b->number, b->words);
	return 0;
}

static int cmd_watch_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct buf what = { 0 };
	struct expr *cond;
	struct bp *b;
	int rc = -1;

	if (s->gone)
		return watch_recorded(s, args, out, err);
	if (bp_split_if(args, &what, &cond, err) < 0)
		goto out;
	if (!what.len) {
		err_set(err, "missing expression: 'watch EXPR'");
		expr_unref(cond);
		goto out;
	}
	b = bp_watch(s, buf_str(&what), err);
	if (!b) {
		expr_unref(cond);
		goto out;
	}
	bp_require(b, cond);
	buf_addf(&out->text, "watchpoint %d: %s\n", b->number, b->words);
	watch_limits(b, &out->text);
	rc = 0;
out:
	buf_release(&what);
	return rc;
}

const struct cmd_def cmd_watch[] = {
	{ .name = "watch",
	  .args = "EXPR [if COND]",
	  .group = GROUP_BREAK,
	  .flags = CMD_NEEDS_STOP | CMD_RAW | CMD_GONE,
	  .complete = cmd_complete_name,
	  .run = cmd_watch_run,
	  .help = "stop when the value of an expression changes",
	  .more = "The expression is evaluated after each instruction of the selected frame, until that\n"
		  "frame exits.  All that the value holds is compared, without running the program's code:\n"
		  "items, attributes, elements of arrays, up to 100,000 values and 16 MiB.  A tensor has\n"
		  "changed when its version counter, or an element in memory, has.  What cannot be seen,\n"
		  "as inside of an iterator, is reported when the watchpoint is set.  In the record of a\n"
		  "process that is gone: a variable or slot of the selected frame." },
	{ .name = NULL },
};
