/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of stop events. */
#include "event/table.h"

const struct event_kind *const event_table[] = {
#define X(name) &name,
#include "event/event_list.h"
#undef X
	NULL
};
