/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs that a compiled graph writes, as optimizers, caches and buffers of modules are.  Knows the model only. */
#ifndef DYNAMO_OBSERVE_WRITTEN_INPUTS_H
#define DYNAMO_OBSERVE_WRITTEN_INPUTS_H

struct nodes;
struct stage;

/* Adds them to the origins of inductor's code, whose variables hold after it the values of nodes in g, the graph that
   the code was made of. */
void written_inputs_add(struct stage *code, const struct nodes *g);

#endif
