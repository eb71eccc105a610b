/* SPDX-License-Identifier: BSD-3-Clause */
/* Overrides taken back: those that are named, those of the last command, all of them at a detach.  How an entry
   follows what is left is the ledger's. */
#ifndef DYNAMO_EDIT_UNDO_H
#define DYNAMO_EDIT_UNDO_H
#include "torch/host.h"

struct override;

/* Of one entry or function. */
int ledger_undo(struct override *const *o, int n, struct buf *out, struct err *err);
int ledger_undo_step(struct buf *out, struct err *err);      /* what the last command did, as far as it is in force */
void ledger_stop(void);

#endif
