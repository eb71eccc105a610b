/* SPDX-License-Identifier: BSD-3-Clause */
/* Which lines and which inlined functions Dynamo evaluated when it compiled an entry: as recorded then, or, for an
   entry that is older than cdbg, according to its code. */
#ifndef DYNAMO_CODE_EVALUATED_LINES_H
#define DYNAMO_CODE_EVALUATED_LINES_H
#include "torch/cdbg_host.h"

struct entry;

/* Did Dynamo go over this line when it made the entry?  *inlined: the inlined function that it is in, or NULL. */
bool evaluated_line(const struct entry *e, const char *file, int line, const char **inlined);
/* Did it inline the function of this code? */
bool evaluated_inlined(const struct entry *e, PyCodeObject *co);

#endif
