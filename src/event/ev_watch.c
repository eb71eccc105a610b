/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: the value of a watched expression changed. */
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "event/event_table.h"
#include "py/value/value.h"

static void watch_describe(const struct event *ev, struct buf *out)
{
	const char *expr = ev->detail ? val_text(ev->detail, "expression") : "";
	const char *old = ev->detail ? val_text(ev->detail, "old") : "";

	buf_addf(out, "watchpoint %d", ev->number);
	if (*expr)
		buf_addf(out, ": %s", expr);
	if (*old)
		buf_addf(out, " was %s,", old);
	if (ev->value) {
		buf_adds(out, " is now ");
		value_show_data(ev->value, out, 60);
		if (ev->detail && !strcmp(old, val_text(ev->detail, "new")))
			buf_adds(out, " (changed in a part that is not shown)");
	} else if (ev->detail && val_get(ev->detail, "recorded")) {
		buf_addf(out, " is now %s", val_text(ev->detail, "new"));
	} else {
		buf_adds(out, " is now unbound");
	}
}

const struct event_kind ev_watch = {
	.name = "watch",
	.help = "the value of a watched expression changed",
	.describe = watch_describe,
};
