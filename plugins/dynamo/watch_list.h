/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is told of the calls of each function of torch that is wrapped: a table, nothing else. */
#ifndef DYNAMO_WATCH_LIST_H
#define DYNAMO_WATCH_LIST_H
#include "torch/host.h"
#include "torch/attrs.h"

struct watcher;

extern const struct watcher *const watch_list[ATTR_COUNT];

#endif
