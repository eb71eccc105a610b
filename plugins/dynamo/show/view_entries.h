/* SPDX-License-Identifier: BSD-3-Clause */
/* View: all entries of Dynamo's cache that were made in this run, with their state. */
#ifndef DYNAMO_SHOW_VIEW_ENTRIES_H
#define DYNAMO_SHOW_VIEW_ENTRIES_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_entries;

#endif
