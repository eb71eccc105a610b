/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the line that called the function being compiled, also in generated code, by its regions. */
#ifndef DYNAMO_CODE_CALLER_H
#define DYNAMO_CODE_CALLER_H
#include "torch/cdbg_host.h"

struct compiling;
struct source_line;

/* Where the function being compiled was called, also outside of torch; NULL: not known. */
const struct source_line *caller_spot(struct compiling *c);

#endif
