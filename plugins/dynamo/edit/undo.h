/* SPDX-License-Identifier: BSD-3-Clause */
/* Reverts overrides: by number, those of the last command, or all of them at a detach.  The ledger decides how an entry
   follows from the remaining ones. */
#ifndef DYNAMO_EDIT_UNDO_H
#define DYNAMO_EDIT_UNDO_H
#include "torch/cdbg_host.h"

struct override;

/* Of one entry or function. */
int undo_overrides(struct override *const *o, int n, struct buf *out, struct err *err);
int undo_last_step(struct buf *out, struct err *err); /* what the last command did, as far as it is in force */
void undo_stop(void);

#endif
