/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects as text that a person can read and change, and such text made into code that cannot crash by what it
   says: see "Code as text" in doc/design.md.  Knows neither commands nor Dynamo. */
#ifndef CDBG_ASM_H
#define CDBG_ASM_H
#include "py/asm/style.h"
#include "py/code/code.h"

void asm_write(struct code *c, const struct asm_style *style, struct buf *out);
/*
 * Assemble: a new reference, NULL with err ("line 12: ...").  What the text does not say (name, flags, arguments) is
 * the base's; `$3` is the base's constant 3, `$name` what extra (a dict, may be NULL) has under that name.
 */
struct py_code *asm_read(struct code *base, const char *text, struct py_obj *extra, struct err *err);
/* Lines that call a constant ("$name") without arguments and drop its result. */
void asm_call(const char *constant, struct buf *out);
/* What `.code` says in this text: the caller's, NULL when it says nothing. */
char *asm_id(const char *text);

/* Does the value stack before instruction `from` serve before `to`, in this very code?  CPython's own check of a jump
   follows no values that were moved about, as generated code does.  -1 with err. */
int asm_may_jump(struct code *c, int from, int to, struct err *err);

#endif
