/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of a cache in which Dynamo puts an entry now: made once the compile has ended.  Applies none itself. */
#ifndef DYNAMO_EDIT_AFTER_COMPILE_H
#define DYNAMO_EDIT_AFTER_COMPILE_H
#include "torch/cdbg_host.h"

struct func;

/* Does this thread compile the function?  Dynamo then holds its cache, and nothing may change there. */
bool after_compile_waits(const struct func *f);
/* A temporary breakpoint where the function's code begins next runs this line there, which out reports.  -1: err. */
int after_compile_run(const struct func *f, const char *line, struct buf *out, struct err *err);

#endif
