/* SPDX-License-Identifier: BSD-3-Clause */
/* A record has the type, shape and device of each tensor of torch's own class: "f32[10] cpu".  100 to 200 ns for each
   tensor that an instruction makes. */
#ifndef TENSOR_RECORDED_SHAPES_H
#define TENSOR_RECORDED_SHAPES_H
#include <stdbool.h>
#include "plugin.h"

/* Once torch is imported. Of a torch without DLPack's table of functions a record has types and addresses
   only. */
void recorded_shapes(const struct cdbg_host *h, bool on);

#endif
