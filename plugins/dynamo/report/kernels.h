/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels that inductor's code defines and calls, as data for a report. */
#ifndef DYNAMO_REPORT_KERNELS_H
#define DYNAMO_REPORT_KERNELS_H
#include "torch/cdbg_host.h"

struct wrapper_text;

/* A list of maps, "kernel", "nodes" (a list of names), "language", "source"; owned by the caller. */
struct val *kernels_of(const struct wrapper_text *w);

#endif
