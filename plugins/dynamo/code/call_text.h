/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes stretches of generated code in terms of the user's code: what a graph is called with, what a resume
   function gets.  Knows no region. */
#ifndef DYNAMO_CODE_CALL_TEXT_H
#define DYNAMO_CODE_CALL_TEXT_H
#include "torch/cdbg_host.h"

struct entry;
struct func;
struct resume;

/* The text of a call whose callable is loaded at index `at` and called at `call`: "__compiled_fn_1(a, b)". */
char *call_text_of(struct code *c, int at, int call, const char *name);
char *call_text_resume(const struct resume *r); /* "__resume_at_92_2(x, b)" */
char *call_text_live(const struct func *f);	/* "x, b" */

#endif
