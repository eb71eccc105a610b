/* SPDX-License-Identifier: BSD-3-Clause */
/* An override as the command line that makes it.  Changes nothing. */
#ifndef DYNAMO_EDIT_OVERRIDE_LINE_H
#define DYNAMO_EDIT_OVERRIDE_LINE_H
#include "torch/cdbg_host.h"

struct override;

/* Adds the line, without a newline.  here: for this run, by the numbers of guards and entries; else for another one,
   where guards are identified by function, kind and source.  Adds a comment if there is no such line. */
void override_line(const struct override *o, bool here, struct buf *out);

#endif
