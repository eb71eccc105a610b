/* SPDX-License-Identifier: BSD-3-Clause */
/* View: graph breaks, in the order they were compiled. */
#ifndef DYNAMO_SHOW_VIEW_BREAKS_H
#define DYNAMO_SHOW_VIEW_BREAKS_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_breaks;

#endif
