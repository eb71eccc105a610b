/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in the text that inductor wrote: where one is defined, and which one computes a buffer.  Knows text only. */
#ifndef DYNAMO_CODE_KERNEL_TEXT_H
#define DYNAMO_CODE_KERNEL_TEXT_H
#include "torch/cdbg_host.h"

/* The kernel's definition, from its name to the end of its source, and its first line: false, the text has none. */
bool kernel_text_find(const char *text, const char *name, const char **at, size_t *len, int *line);
/* What the statement calls that computes this buffer, or the last one that names it where it is an input, which has to
   be one that the graph writes: a kernel, "extern_kernels.mm", ...  Owned by the caller, or NULL.  at: gets that
   statement, as kernel_text_line(); may be NULL. */
char *kernel_text_of(const char *text, const char *buffer, const char **at);
/* How many lines of `call` name this kernel. */
int kernel_text_calls(const char *text, const char *kernel);
/* A line of the text, from 1, without its indentation. */
const char *kernel_text_line(const char *text, int line);
/* Does the line name it? */
bool kernel_text_names(const char *line, const char *word);

#endif
