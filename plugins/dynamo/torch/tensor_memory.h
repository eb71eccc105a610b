/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the memory of a tensor's elements is there: a program may free the storage of a tensor or make it smaller,
   and may cut the file that a storage maps.  Reads no element.  Knows no graph. */
#ifndef DYNAMO_TORCH_TENSOR_MEMORY_H
#define DYNAMO_TORCH_TENSOR_MEMORY_H
#include "torch/cdbg_host.h"
#include "torch/tensor_scan.h"

/* Can the elements of this tensor on the CPU, which DLPack describes as t, be read?  true if it has none.  Never an
   exception, none of the program's code. */
bool tensor_memory_there(PyObject *v, const struct dl_tensor *t);
/* A Python function of an address and a number of bytes: can all of them be read?  A new reference, or NULL. */
PyObject *tensor_memory_function(void);

#endif
