/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries handed to Dynamo, which takes them only from its callback: each at a call of the function that is stopped
   before it runs anything.  Knows no guard, and not what the list is for. */
#ifndef DYNAMO_EDIT_INSERT_H
#define DYNAMO_EDIT_INSERT_H
#include "torch/host.h"
#include "edit/cached.h"

int cached_strategy(PyCodeObject *co, enum strategy *out, struct err *err);
int cached_strategy_set(PyCodeObject *co, enum strategy to, struct err *err);
bool cached_strategy_keeps(void);            /* no: on this torch entries are lost where it does not ask */
/* Its cache is made this list, written from its end, or, BEHIND, from its beginning: Dynamo puts new ones behind.
   *is: what cached_is() says then.  Also CACHED_MOVED. */
int insert_list(const struct cached *c, bool behind, int *is, struct err *err);

#endif
