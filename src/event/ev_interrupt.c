/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: interrupt. */
#include "event/table.h"

const struct event_kind ev_interrupt = {
	.name = "interrupt",
	.help = "",
};
