/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: a frame is about to return; it is still there, and the value can still be changed. */
#include "base/buf.h"
#include "event/event_table.h"
#include "py/value/value.h"

static void return_describe(const struct event *ev, struct buf *out)
{
	buf_adds(out, "return");
	if (ev->value) {
		buf_adds(out, " of ");
		value_show_data(ev->value, out, 60);
	}
}

const struct event_kind ev_return = {
	.name = "return",
	.help = "a frame is about to return",
	.describe = return_describe,
};
