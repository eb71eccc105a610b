/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernels of a stage tell about fusion. */
#ifndef DYNAMO_REPORT_DIFF_KERNELS_H
#define DYNAMO_REPORT_DIFF_KERNELS_H
#include "torch/cdbg_host.h"

/* The loops of a kernel in C++ that are in no other loop; 0 for other languages.  Inductor puts several of them into
   one kernel: nodes that are fused share one. */
int diff_kernel_loops(const struct val *kernel);

#endif
