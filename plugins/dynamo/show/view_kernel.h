/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the source of a kernel that inductor wrote, with the nodes that it computes. */
#ifndef DYNAMO_SHOW_VIEW_KERNEL_H
#define DYNAMO_SHOW_VIEW_KERNEL_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_kernel;

#endif
