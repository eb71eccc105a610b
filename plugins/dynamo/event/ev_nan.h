/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a node or kernel of a compiled graph made a NaN or an Inf. */
#ifndef DYNAMO_EVENT_EV_NAN_H
#define DYNAMO_EVENT_EV_NAN_H
#include "torch/cdbg_host.h"

struct graph_lines;

extern const struct event_kind ev_nan;
/* While the stop lasts: the place of the line of a graph's code at which it is, where the NaN was made; *file NULL:
   that is not known.  false: it is not at this line. */
bool ev_nan_place(const struct graph_lines *l, int line, const char **file, int *user_line);
/* The stop has ended. */
void ev_nan_left(void);

#endif
