/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: breakpoint. */
#include "event/table.h"

const struct event_kind ev_breakpoint = {
	.name = "breakpoint",
	.help = "",
};
