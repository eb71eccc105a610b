/* SPDX-License-Identifier: BSD-3-Clause */
/* torch.distributed.breakpoint() in a rank of `cdbg --ranks`: it stops in cdbg, and the other ranks wait.  Knows no
   tensor. */
#ifndef TENSOR_RANK_BREAKPOINT_H
#define TENSOR_RANK_BREAKPOINT_H
#include <stdbool.h>

/* on: in place of pdb, which would read the standard input that all ranks share.  off: as torch made it.  With the GIL.
   Imports no part of torch: before torch.distributed is imported it does nothing. */
void rank_breakpoint(bool on);

#endif
