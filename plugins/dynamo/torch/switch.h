/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows Dynamo's evaluator: wraps set_eval_frame where it is called, so that cdbg's own hook is installed and
   removed with it. Does not know what is compiled. */
#ifndef DYNAMO_TORCH_SWITCH_H
#define DYNAMO_TORCH_SWITCH_H
#include "torch/cdbg_host.h"

void switch_watch(bool on);
void *switch_enter(void);
void switch_leave(void *saved);
void switch_stop(void);

#endif
