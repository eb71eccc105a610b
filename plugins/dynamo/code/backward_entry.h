/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry whose backward graph autograd runs.  Knows no line and no view. */
#ifndef DYNAMO_CODE_BACKWARD_ENTRY_H
#define DYNAMO_CODE_BACKWARD_ENTRY_H
#include "torch/cdbg_host.h"

struct entry;

/* The entry that this frame runs the backward graph of; NULL: the frame is not of a backward() that AOTAutograd made,
   or the compile that made it was not observed.  Changes nothing and sets no exception.  *part: of the entry's graph,
   "submod_0", one of the model's texts; as it was if the graph is not compiled in parts. */
struct entry *backward_entry(PyFrameObject *f, const char **part);

#endif
