/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: the code that inductor wrote is about to call a kernel. */
#ifndef DYNAMO_EVENT_EV_KERNEL_H
#define DYNAMO_EVENT_EV_KERNEL_H
#include "torch/cdbg_host.h"

extern const struct event_kind ev_kernel;

#endif
