/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: a step came to its end. */
#include "event/table.h"

const struct event_kind ev_step = {
	.name = "step",
	.help = "a step came to its end",
};
