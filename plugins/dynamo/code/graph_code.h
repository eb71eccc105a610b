/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python that compiled graphs are made of, line by line: FX's forward and inductor's call.  Knows no entry. */
#ifndef DYNAMO_CODE_GRAPH_CODE_H
#define DYNAMO_CODE_GRAPH_CODE_H
#include "torch/cdbg_host.h"

struct graph_lines;

/* Fill in the lines of a graph's code, which is decoded. */
void graph_code_read(struct code *c, struct graph_lines *l);

#endif
