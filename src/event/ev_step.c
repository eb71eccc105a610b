/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: step. */
#include "event/table.h"

const struct event_kind ev_step = {
	.name = "step",
	.help = "",
};
