/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: watch. */
#include "event/table.h"

const struct event_kind ev_watch = {
	.name = "watch",
	.help = "",
};
