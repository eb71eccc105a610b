/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: exception. */
#include "event/table.h"

const struct event_kind ev_exception = {
	.name = "exception",
	.help = "",
};
