/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the items that are related to an instruction, region, line, node, guard or entry. */
#ifndef DYNAMO_SHOW_VIEW_LINKS_H
#define DYNAMO_SHOW_VIEW_LINKS_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_links;

#endif
