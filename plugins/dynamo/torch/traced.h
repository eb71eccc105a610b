/* SPDX-License-Identifier: BSD-3-Clause */
/* Does this thread run a graph only because torch traces it, on tensors without values?  Knows no graph and no frame
   of the program. */
#ifndef DYNAMO_TORCH_TRACED_H
#define DYNAMO_TORCH_TRACED_H
#include "torch/cdbg_host.h"

/* Runs no code of the program; leaves an exception that is set as it is. */
bool traced_now(void);

#endif
