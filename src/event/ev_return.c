/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: return. */
#include "event/table.h"

const struct event_kind ev_return = {
	.name = "return",
	.help = "",
};
