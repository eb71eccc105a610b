/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo traces a copy of a function's instructions, some of them taken apart, and names resume functions by offsets in
   that copy: where those are in the function itself.  Knows no entry. */
#ifndef DYNAMO_CODE_TRACED_COPY_H
#define DYNAMO_CODE_TRACED_COPY_H
#include "torch/cdbg_host.h"

/* traced_copy.c: where in a function is what Dynamo has at this offset in the copy that it traces? */
int traced_copy_offset(PyCodeObject *co, int offset);
/* Where the resume function of that global continues in the function that was traced, which may be NULL; -1:
   unknown. */
int traced_copy_resume(PyCodeObject *co, const char *global);

#endif
