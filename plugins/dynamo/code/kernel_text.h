/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in the text that inductor wrote: where one is defined, and which one computes a buffer.  Knows text only. */
#ifndef DYNAMO_CODE_KERNEL_TEXT_H
#define DYNAMO_CODE_KERNEL_TEXT_H
#include "torch/cdbg_host.h"

/* The kernel's definition, from its name to the end of its source, and its first line: false, the text has none. */
bool kernel_text_find(const char *text, const char *name, const char **at, size_t *len, int *line);
/* What the statement calls that computes this buffer: a kernel, "extern_kernels.mm", ...  Owned by the caller, or
   NULL. */
char *kernel_text_of(const char *text, const char *buffer);

#endif
