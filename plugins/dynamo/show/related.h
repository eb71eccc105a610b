/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds related items: from an instruction, region, line of the user, graph node, guard or entry to the others. A
   graph is one call: its nodes are related to the code by its inputs, the call, its outputs, and their lines. */
#ifndef DYNAMO_SHOW_RELATED_H
#define DYNAMO_SHOW_RELATED_H
#include "torch/cdbg_host.h"

int related_of(const char *what, const char *id, void (*add)(void *arg, const char *what, const char *id, int line),
	       void *arg);

#endif
