/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: a step has ended. */
#include "event/event_table.h"

const struct event_kind ev_step = {
	.name = "step",
	.help = "a step has ended",
};
