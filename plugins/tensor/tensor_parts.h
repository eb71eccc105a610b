/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in tensors and modules, for the tree of variables. */
#ifndef TENSOR_PARTS_H
#define TENSOR_PARTS_H
#include "plugin.h"

/* As plug_ops.children(). */
int tensor_children(struct py_obj *v, struct child_sink *sink);

#endif
