/* SPDX-License-Identifier: BSD-3-Clause */
/* The ledger: applies and reverts what the user changes in Dynamo's cache.  The state of an entry always follows from
   the overrides in force on it, so that any of them can be undone.  Knows no command. */
#ifndef DYNAMO_EDIT_LEDGER_H
#define DYNAMO_EDIT_LEDGER_H
#include "torch/cdbg_host.h"
#include "edit/overrides.h"

struct stash;
struct entry;
struct func;

enum { LEDGER_LATER = 1 };
/* Applies these overrides of one entry (or function) together.  Takes them; frees them on failure.  LEDGER_LATER:
   Dynamo is compiling the function; they are freed, and are made again after that, which out reports. */
int ledger_do(struct override *const *o, int n, struct buf *out, struct err *err);
/* Overrides made between true and false belong to one command, so that undo reverts them together. */
void ledger_step(bool begins);
void ledger_clear(void); /* like ledger_reset(), and empties the list */
void ledger_reset(void); /* Dynamo was reset: all its entries are gone */
/* Records that the user changed a frame of this code. what: "set var", "set stack" or "jump". */
void ledger_changed(PyCodeObject *co, const char *what, const char *text);

#endif
