/* SPDX-License-Identifier: BSD-3-Clause */
/* Opcodes by name, and what their arguments are: see arg.c.  Knows no code object. */
#ifndef CDBG_OP_H
#define CDBG_OP_H
#include <stdbool.h>

enum arg_kind { ARG_NUMBER, ARG_CONST, ARG_NAME, ARG_LOCAL, ARG_JUMP, ARG_COMPARE };

enum arg_kind op_arg_kind(int op);
const char *op_arg_word(int op, int arg); /* the value that the number represents, NULL: none */
int op_arg_words(int op);		  /* the number of such values, 0: not limited */
/* Is this the intrinsic of that name, without its INTRINSIC_? */
bool op_is_intrinsic(int op, int arg, const char *name);
int op_plain(int op);	       /* for a borrowing load, the one that does not borrow; else op */
const char *op_compare(int i); /* "<", NULL past the last */
/* The plain opcode for a name, which may be that of a specialised or instrumented form or of a borrowing load. -1:
   none. */
int op_named(const char *name);

#endif
