/* SPDX-License-Identifier: BSD-3-Clause */
/* What the decompiler cannot know of generated code: which globals never change, and which instructions only call
   profiler hooks.  Knows nothing of statements. */
#ifndef DYNAMO_CODE_DECOMPILE_HINTS_H
#define DYNAMO_CODE_DECOMPILE_HINTS_H
#include "torch/cdbg_host.h"

int hints_steady(struct code *c, const char *name);
const char *hints_boilerplate(struct code *c, int index);
int hints_name_length(const char *name);
const char *hints_reads_as(const char *name);

#endif
