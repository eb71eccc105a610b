/* SPDX-License-Identifier: BSD-3-Clause */
/* A record has the type, shape and device of each tensor of torch's own class: "f32[10] cpu".  100 to 200 ns for each
   tensor that an instruction makes.  On request what its elements are, too: "f32[10] cpu: -1.5..2, NaN". */
#ifndef TENSOR_RECORDED_SHAPES_H
#define TENSOR_RECORDED_SHAPES_H
#include "plugin.h"

enum { RECORDED_SHAPES_BYTES = 16 << 10 }; /* that are read of a tensor, at most */

/* Once torch is imported. Of a torch without DLPack's table of functions a record has types and addresses
   only. */
void recorded_shapes(const struct cdbg_host *h, const char *what /* of the option record-tensors */);

#endif
