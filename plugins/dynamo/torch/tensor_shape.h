/* SPDX-License-Identifier: BSD-3-Clause */
/* Shape and type of tensors whose elements cannot be read in memory.  Knows no graph. */
#ifndef DYNAMO_TORCH_TENSOR_SHAPE_H
#define DYNAMO_TORCH_TENSOR_SHAPE_H
#include "torch/tensor_numbers.h"

/* Sets dtype, ndim and shape of a tensor of torch's own class for which tensor_numbers_of() sets none: quantized, or
   without memory (meta).  Runs none of the program's code and no operation of torch; never an exception.  false: it is
   another value, as a sparse or nested tensor; then out is as before. */
bool tensor_shape_of(PyObject *v, struct tensor_numbers *out);

#endif
