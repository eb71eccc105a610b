/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a tensor's elements, which a program can free or make smaller while the tensor keeps its shape, as
   FSDP does with parameters.  No operator runs. */
#ifndef TENSOR_STORAGE_H
#define TENSOR_STORAGE_H
#include <Python.h>
#include "plugin.h"

/* What is needed of torch; to be called once. */
void storage_begin(const struct cdbg_host *h);
/* Has the tensor's storage less memory than its elements need?  Adds " storage freed", or " storage 8 of 400 bytes",
   if so.  shape, dtype: the tensor's.  false where that is not known.  To be called while torch functions are
   switched off.  Raises nothing. */
bool storage_lacks(PyObject *tensor, PyObject *shape, PyObject *dtype, struct buf *out);
/* Does the storage of a tensor on the CPU map a file that is shorter by now, or other memory that is gone?  Reads a
   byte of each of its pages, but for a storage that torch allocated.  As storage_lacks() otherwise. */
bool storage_is_cut_off(PyObject *tensor);

#endif
