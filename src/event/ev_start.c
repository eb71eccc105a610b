/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: before the first line of the program. */
#include "event/event_table.h"

const struct event_kind ev_start = {
	.name = "start",
	.help = "the program is about to begin",
};
