/* SPDX-License-Identifier: BSD-3-Clause */
/* The card of a stop at a recompile: what changed, the remedy, then the guards of each entry. */
#ifndef DYNAMO_EVENT_RECOMPILE_CARD_H
#define DYNAMO_EVENT_RECOMPILE_CARD_H
#include "torch/cdbg_host.h"

/* Adds lines, each with a newline before it. */
void recompile_card(const struct event *ev, struct buf *out);

#endif
