/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the ledger of changes in Dynamo's cache. */
#ifndef DYNAMO_SHOW_VIEW_OVERRIDES_H
#define DYNAMO_SHOW_VIEW_OVERRIDES_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_overrides;

#endif
