/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the elements of lists of tensors, as tensor_numbers.h does those of one. */
#ifndef DYNAMO_TORCH_TENSOR_LISTS_H
#define DYNAMO_TORCH_TENSOR_LISTS_H
#include "torch/tensor_numbers.h"

/* The number of tensors in a list or tuple of tensors only, 0 for other values.  The figures are those of all elements;
   kind is TENSOR_NUMBERS_NONE if one of the tensors has none, or if some have floats and others not.  dtype is NULL. */
int tensor_lists_numbers(PyObject *v, struct tensor_numbers *out);

#endif
