/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the core's own stop events, made from the file names in Makefile.am. */
#ifndef CDBG_EVENT_TABLE_H
#define CDBG_EVENT_TABLE_H
#include "event/event.h"

extern const struct event_kind *const event_table[]; /* NULL at the end */

#define X(name) extern const struct event_kind name;
#include "event/event_list.h"
#undef X

#endif
