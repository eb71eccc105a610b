/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the core's own stop events, made from the file names in Makefile.am.  Nothing else: module.c passes it
   to event.c, which must not know any single event. */
#include <stddef.h>
#include "event/event_table.h"

const struct event_kind *const event_table[] = {
#define X(name) &name,
#include "event/event_list.h"
#undef X
	NULL
};
