/* SPDX-License-Identifier: BSD-3-Clause */
/* Inserts entries into Dynamo's cache.  Dynamo accepts entries only from its callback, one at each call of the
   function, and each such call is stopped before it runs anything.  Knows no guard, and not what the list is for. */
#ifndef DYNAMO_EDIT_INSERT_H
#define DYNAMO_EDIT_INSERT_H
#include "torch/cdbg_host.h"
#include "edit/cache_list.h"

int insert_strategy(PyCodeObject *co, enum strategy *out, struct err *err);
int insert_strategy_set(PyCodeObject *co, enum strategy to, struct err *err);
bool insert_strategy_keeps(void); /* false: the entries are lost while Dynamo does not call the callback */
/* Writes this list into Dynamo's cache, from its end, or from its beginning if Dynamo puts new entries last.  is:
   the result of cache_list_is() afterwards.  May return CACHE_LIST_MOVED. */
int insert_list(const struct cache_list *c, bool behind, int *is, struct err *err);

#endif
