/* SPDX-License-Identifier: BSD-3-Clause */
/* The card of a stop at a graph break. */
#ifndef DYNAMO_EVENT_GRAPH_BREAK_CARD_H
#define DYNAMO_EVENT_GRAPH_BREAK_CARD_H
#include "torch/cdbg_host.h"

void graph_break_card(const struct event *ev, struct buf *out);

#endif
