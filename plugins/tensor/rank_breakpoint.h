/* SPDX-License-Identifier: BSD-3-Clause */
/* pdb's set_trace() in a rank of `cdbg --ranks`, which torch.distributed.breakpoint() calls, too: it stops in cdbg, and
   the other ranks wait.  Knows no tensor. */
#ifndef TENSOR_RANK_BREAKPOINT_H
#define TENSOR_RANK_BREAKPOINT_H
#include <stdbool.h>

/* on: in place of pdb, which would read the standard input that all ranks share.  off: as Python made it.  With the
   GIL.  Imports pdb. */
void rank_breakpoint(bool on);

#endif
