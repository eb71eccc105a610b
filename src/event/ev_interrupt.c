/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: Ctrl-C, or the command interrupt. */
#include "event/event_table.h"

const struct event_kind ev_interrupt = {
	.name = "interrupt",
	.help = "Ctrl-C, or interrupt",
};
