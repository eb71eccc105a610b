/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects as keys of tables: by address, never hashed, with a weak reference that reports when they are freed. */
#ifndef DYNAMO_MODEL_CODE_KEY_H
#define DYNAMO_MODEL_CODE_KEY_H
#include "torch/cdbg_host.h"

enum { CODE_SLOTS = 1024 };

unsigned code_slot(const void *p);

PyObject *code_weak(PyCodeObject *co, PyMethodDef *gone, void *record);

#endif
