/* SPDX-License-Identifier: BSD-3-Clause */
/* The global that generated code calls a resume function by.  Knows no entry. */
#ifndef DYNAMO_TORCH_RESUME_GLOBAL_H
#define DYNAMO_TORCH_RESUME_GLOBAL_H
#include "torch/cdbg_host.h"

/* The resume function's code, given the value of its global; borrowed.  NULL: it is something else. */
PyCodeObject *resume_global_code(PyObject *v);
/* The same of the global of this name in a loaded module; Dynamo gives no two of them one name.  Runs no code. */
PyCodeObject *resume_global_named(const char *name);

#endif
