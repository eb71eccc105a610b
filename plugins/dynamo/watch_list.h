/* SPDX-License-Identifier: BSD-3-Clause */
/* The watchers of each wrapped function of torch: a table, nothing else. */
#ifndef DYNAMO_WATCH_LIST_H
#define DYNAMO_WATCH_LIST_H
#include "torch/cdbg_host.h"
#include "torch/attrs.h"

struct watcher;

extern const struct watcher *const watch_list[ATTR_COUNT];

#endif
