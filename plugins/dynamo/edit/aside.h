/* SPDX-License-Identifier: BSD-3-Clause */
/* The bracket of commands that run or compile something in the program's process: what they change of torch's state of
   the process, no other thread of the program sees. */
#ifndef DYNAMO_EDIT_ASIDE_H
#define DYNAMO_EDIT_ASIDE_H
#include "torch/cdbg_host.h"

/* Takes Dynamo's lock and holds the program's other threads, once none of them compiles, imports or logs: waits for
   that, an interrupt ends it.  Nests.  -1: err says why it cannot be, and nothing is to be ended. */
int aside_begin(struct err *err);
void aside_end(void);

#endif
