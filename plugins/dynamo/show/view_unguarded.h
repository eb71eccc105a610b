/* SPDX-License-Identifier: BSD-3-Clause */
/* View: what Dynamo read while it compiled and no guard covers, changed values first. */
#ifndef DYNAMO_SHOW_VIEW_UNGUARDED_H
#define DYNAMO_SHOW_VIEW_UNGUARDED_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_unguarded;

#endif
