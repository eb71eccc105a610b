/* SPDX-License-Identifier: BSD-3-Clause */
/* What belongs together: instructions, regions, user's lines, graph nodes, guards and entries; from any one to the
   others.  A graph is one call: its nodes meet the code at its inputs, at the call, at its outputs, and by their
   lines. */
#ifndef DYNAMO_SHOW_RELATED_H
#define DYNAMO_SHOW_RELATED_H
#include "torch/cdbg_host.h"

int related_of(const char *what, const char *id, void (*add)(void *arg, const char *what, const char *id, int line),
	       void *arg);

#endif
