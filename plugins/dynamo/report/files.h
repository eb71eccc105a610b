/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a report for other tools: generated code, guards, graphs, kernels as text. */
#ifndef DYNAMO_REPORT_FILES_H
#define DYNAMO_REPORT_FILES_H
#include "torch/cdbg_host.h"

/* Takes a file of the report; -1: err. */
typedef int files_write(void *arg, const char *name, const struct buf *text, struct err *err);

/* Write the files of one function.  The names of graphs' and kernels' files are put into the tree as "file".  known: a
   dict, empty at first, that the functions of a report share: texts of guards, and whether Python can read them. */
int files_function(struct val *function, PyObject *known, files_write *put, void *arg, struct err *err);

#endif
