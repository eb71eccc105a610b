/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that inductor writes, as text: kernels with what they write, and the statements of `call`.  Knows no
   frame. */
#ifndef DYNAMO_CODE_CALL_CODE_H
#define DYNAMO_CODE_CALL_CODE_H
#include "torch/cdbg_host.h"

struct graph_line;
struct graph_lines;
struct call_kernels;

/* The kernels defined in a file before a line: owned by the caller.  NULL: there are none. */
struct call_kernels *call_kernels_read(const char *file, int before);
void call_kernels_free(struct call_kernels *k);
/* What a statement of `call` computes and writes; s may be NULL: nothing is known.  The row's reads are there. */
void call_code_read(const struct call_kernels *k, const struct graph_lines *l, struct graph_line *row, const char *s);
/* The lines of a file in which a kernel is defined, from its name to the end of its source: false, there is none. */
bool call_kernel_lines(const char *file, const char *name, int *first, int *last);

/* graph_code.c's: add a variable, once. */
void graph_line_reads(struct graph_line *row, int local);
void graph_line_writes(struct graph_line *row, int local);

#endif
