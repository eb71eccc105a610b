/* SPDX-License-Identifier: BSD-3-Clause */
/* What code.c shares with the files that fill a code record: location.c, depth.c, arg.c.  For src/py only. */
#ifndef CDBG_CODE_IMPL_H
#define CDBG_CODE_IMPL_H
#include "py/code/code.h"

/* Memory of the record: from its room if it has one, which is large enough then. Zeroed. */
void *code_memory(struct code *c, size_t n);
void code_memory_free(const struct code *c, void *p);

void location_decode(struct code *c); /* lines and columns, INSTR_LINE, INSTR_RETURNS */
void except_decode(struct code *c);   /* c->except, INSTR_HANDLER */
void depth_decode(struct code *c);    /* instr.depth, c->depth_ok */

/* A line table that puts instruction i alone on the line location_forged_line(c, i): new reference or NULL. */
struct py_obj *location_forge(struct code *c);
int location_forged_line(const struct code *c, int index);

#endif
