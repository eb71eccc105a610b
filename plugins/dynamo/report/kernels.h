/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in the text that a backend wrote: their names, the graph nodes that each computes, their source. */
#ifndef DYNAMO_REPORT_KERNELS_H
#define DYNAMO_REPORT_KERNELS_H
#include "torch/cdbg_host.h"

/* A list of maps, "kernel", "nodes" (a list of names), "language", "source"; owned by the caller. */
struct val *kernels_of(const char *text);

#endif
