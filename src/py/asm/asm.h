/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes code objects as text that a person can read and change, and assembles such text into code that cannot crash
   the interpreter: see README.md.  Knows neither commands nor Dynamo. */
#ifndef CDBG_ASM_H
#define CDBG_ASM_H
#include "py/asm/style.h"
#include "py/code/code.h"

void asm_write(struct code *c, const struct asm_style *style, struct buf *out);
/*
 * Assemble: a new reference, NULL with err ("line 12: ...").  Name, flags and arguments that the text does not give
 * are those of the base; `$3` is the base's constant 3, `$name` what extra (a dict, may be NULL) has under that
 * name.
 */
struct py_code *asm_read(struct code *base, const char *text, struct py_obj *extra, struct err *err);
/* Lines that call a constant ("$name") without arguments and drop its result. */
void asm_call(const char *constant, struct buf *out);
/* The value of `.code` in this text: owned by the caller, NULL if there is none. */
char *asm_id(const char *text);

/* Checks that the value stack before instruction `from` is valid before `to` in the same code. CPython's own check
   of a jump does not follow values that were moved, as in generated code. -1 with err. */
int asm_may_jump(struct code *c, int from, int to, struct err *err);

#endif
