/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: start. */
#include "event/table.h"

const struct event_kind ev_start = {
	.name = "start",
	.help = "",
};
