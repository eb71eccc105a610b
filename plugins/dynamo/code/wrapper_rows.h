/* SPDX-License-Identifier: BSD-3-Clause */
/* What inductor's code reads and writes, as rows for the package. */
#ifndef DYNAMO_CODE_WRAPPER_ROWS_H
#define DYNAMO_CODE_WRAPPER_ROWS_H
#include "torch/cdbg_host.h"

/* The function wrapper_text(source) of all modules of the package: {"kernels": {name: {"source", "written"}},
   "statements": [{"line", "function", "called", "kernel", "part", "writes", "reads", "in_place", "view"}]}. */
extern PyMethodDef wrapper_rows_def;

#endif
