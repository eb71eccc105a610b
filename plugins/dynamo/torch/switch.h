/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo's evaluator going in and out: set_eval_frame, wrapped in the places that call it, so that cdbg's own hook goes
   in and out with it.  Knows nothing of what is compiled. */
#ifndef DYNAMO_TORCH_SWITCH_H
#define DYNAMO_TORCH_SWITCH_H
#include "torch/cdbg_host.h"

void switch_watch(bool on);
void *switch_enter(void);
void switch_leave(void *saved);
void switch_stop(void);

#endif
