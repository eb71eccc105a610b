/* SPDX-License-Identifier: BSD-3-Clause */
/* The command `view` and its view: elements of a tensor as a table. */
#ifndef TENSOR_VIEW_VALUES_H
#define TENSOR_VIEW_VALUES_H
#include "plugin.h"

extern const struct view_ops view_values;
extern const struct cmd_def cmd_view[];
/* A stop ends: the tensor is not kept, and nothing more is copied from a device.  As plug_ops.stop_leave(). */
void view_values_forget(void *saved);

#endif
