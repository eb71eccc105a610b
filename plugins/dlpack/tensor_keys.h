/* SPDX-License-Identifier: BSD-3-Clause */
/* The dispatch keys of a tensor, which say what DLPack does not: whether its elements mean others.  torch dispatches
   nothing for it, asks no mode and no class.  Raises nothing. */
#ifndef DLPACK_TENSOR_KEYS_H
#define DLPACK_TENSOR_KEYS_H
#include <Python.h>
#include <stdbool.h>

/* Once torch is imported; false: this torch does not tell them, and each tensor has none. */
bool tensor_keys_begin(void);
/* The bits of one key (c10's DispatchKey, torch 2.6 to 2.15); 0: there is none of this name. */
unsigned long long tensor_keys_bits(const char *name);
unsigned long long tensor_keys_of(PyObject *tensor); /* 0: not known */
/* A view, as of torch._neg_view(), whose memory has the negatives of its elements. */
bool tensor_keys_negative(PyObject *tensor);

#endif
