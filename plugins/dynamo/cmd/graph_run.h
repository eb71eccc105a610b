/* SPDX-License-Identifier: BSD-3-Clause */
/* graph run, memory and compare: run a captured graph. */
#ifndef DYNAMO_CMD_GRAPH_RUN_H
#define DYNAMO_CMD_GRAPH_RUN_H
#include "torch/cdbg_host.h"

/* args: "[ENTRY] [until nan] [-n N] [with NAME=EXPR ...]". */
int graph_run_command(const char *args, struct reply *out, struct err *err);
/* args: "[ENTRY] [with NAME=EXPR ...]". */
int graph_memory_command(const char *args, struct reply *out, struct err *err);
/* args: "[ENTRY] [-backward] [-tol RTOL ATOL] [with NAME=EXPR ...]". */
int graph_compare_command(const char *args, struct reply *out, struct err *err);
/* args: "FILE [ENTRY] [-backward] [-tol RTOL ATOL] [with NAME=EXPR ...]". */
int graph_save_command(const char *args, struct reply *out, struct err *err);
/* args: "FILE [ENTRY] [-backward] [-tol RTOL ATOL] [with NAME=EXPR ...]". */
int graph_reduce_command(const char *args, struct reply *out, struct err *err);
/* args: "[-backward] [ENTRY] [with NAME=EXPR ...]". */
int graph_recompile_command(const char *args, struct reply *out, struct err *err);
/* FILE of "FILE REST", a word with ~ for the home folder, or quoted ("): the caller owns it; *args is REST then. */
char *graph_take_file(const char **args);
/* graph_save.py has been given the function by which it writes files.  False with an exception. */
bool graph_writer_used(void);
/* What graph_save() of graph_save.py returned, which is in r from `at` on. */
void graph_report_saved(PyObject *r, Py_ssize_t at, const char *path, struct buf *out);

#endif
