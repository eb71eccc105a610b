/* SPDX-License-Identifier: BSD-3-Clause */
/* Views: the functions that Dynamo has processed, its entries, their graphs and resume functions, and the state of
   this plugin. */
#ifndef DYNAMO_SHOW_VIEW_COMPILED_H
#define DYNAMO_SHOW_VIEW_COMPILED_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_compiled;
extern const struct view_ops view_graphs;
extern const struct view_ops view_dynamo;

#endif
