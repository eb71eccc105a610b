/* SPDX-License-Identifier: BSD-3-Clause */
/* Inserts entries into Dynamo's cache.  Dynamo accepts them only from its callback: each at a call of the function,
   which is stopped before it runs anything.  Knows no guard, and not what the list is for. */
#ifndef DYNAMO_EDIT_INSERT_H
#define DYNAMO_EDIT_INSERT_H
#include "torch/cdbg_host.h"
#include "edit/cache_list.h"

int cached_strategy(PyCodeObject *co, enum strategy *out, struct err *err);
int cached_strategy_set(PyCodeObject *co, enum strategy to, struct err *err);
bool cached_strategy_keeps(void); /* no: entries are lost if Dynamo does not ask */
/* Makes its cache this list, written from its end, or, if Dynamo puts new entries last, from its beginning.
   is: the answer of cache_list_is() afterwards.  Also CACHE_LIST_MOVED. */
int insert_list(const struct cache_list *c, bool behind, int *is, struct err *err);

#endif
