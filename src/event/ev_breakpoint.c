/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: a breakpoint, or a call of cdbg.breakpoint() (number 0). */
#include "base/buf.h"
#include "base/val.h"
#include "event/event_table.h"

static void breakpoint_describe(const struct event *ev, struct buf *out)
{
	if (ev->number)
		buf_addf(out, "breakpoint %d", ev->number);
	else
		buf_adds(out, "breakpoint()");
	if (ev->detail) /* it stands for code that does not run itself */
		buf_addf(out, ": %s", val_text(ev->detail, "note"));
}

const struct event_kind ev_breakpoint = {
	.name = "breakpoint",
	.help = "a breakpoint, or breakpoint() in the program",
	.describe = breakpoint_describe,
};
