/* SPDX-License-Identifier: BSD-3-Clause */
/* Opcodes by name in every version: one that this CPython does not have gets a number that no instruction has, so
   that code about opcodes needs no test of the version. */
#ifndef CDBG_OPCODES_H
#define CDBG_OPCODES_H
#include <opcode.h>

#define NO_OPCODE 1000 /* from here on: not in this version */

#ifndef BINARY_SLICE
#define BINARY_SLICE (NO_OPCODE + 0)
#endif
#ifndef BINARY_SUBSCR
#define BINARY_SUBSCR (NO_OPCODE + 1)
#endif
#ifndef BUILD_CONST_KEY_MAP
#define BUILD_CONST_KEY_MAP (NO_OPCODE + 2)
#endif
#ifndef BUILD_INTERPOLATION
#define BUILD_INTERPOLATION (NO_OPCODE + 3)
#endif
#ifndef BUILD_TEMPLATE
#define BUILD_TEMPLATE (NO_OPCODE + 4)
#endif
#ifndef CALL_INTRINSIC_1
#define CALL_INTRINSIC_1 (NO_OPCODE + 5)
#endif
#ifndef CALL_INTRINSIC_2
#define CALL_INTRINSIC_2 (NO_OPCODE + 6)
#endif
#ifndef CALL_KW
#define CALL_KW (NO_OPCODE + 7)
#endif
#ifndef CLEANUP_THROW
#define CLEANUP_THROW (NO_OPCODE + 8)
#endif
#ifndef END_FOR
#define END_FOR (NO_OPCODE + 9)
#endif
#ifndef END_SEND
#define END_SEND (NO_OPCODE + 10)
#endif
#ifndef ENTER_EXECUTOR
#define ENTER_EXECUTOR (NO_OPCODE + 11)
#endif
#ifndef FORMAT_VALUE
#define FORMAT_VALUE (NO_OPCODE + 12)
#endif
#ifndef INTERPRETER_EXIT
#define INTERPRETER_EXIT (NO_OPCODE + 13)
#endif
#ifndef KW_NAMES
#define KW_NAMES (NO_OPCODE + 14)
#endif
#ifndef LIST_TO_TUPLE
#define LIST_TO_TUPLE (NO_OPCODE + 15)
#endif
#ifndef LOAD_CLASSDEREF
#define LOAD_CLASSDEREF (NO_OPCODE + 16)
#endif
#ifndef LOAD_CLOSURE
#define LOAD_CLOSURE (NO_OPCODE + 17)
#endif
#ifndef LOAD_COMMON_CONSTANT
#define LOAD_COMMON_CONSTANT (NO_OPCODE + 18)
#endif
#ifndef LOAD_FAST_AND_CLEAR
#define LOAD_FAST_AND_CLEAR (NO_OPCODE + 19)
#endif
#ifndef LOAD_FAST_CHECK
#define LOAD_FAST_CHECK (NO_OPCODE + 20)
#endif
#ifndef LOAD_FAST_LOAD_FAST
#define LOAD_FAST_LOAD_FAST (NO_OPCODE + 21)
#endif
#ifndef LOAD_FROM_DICT_OR_DEREF
#define LOAD_FROM_DICT_OR_DEREF (NO_OPCODE + 22)
#endif
#ifndef LOAD_METHOD
#define LOAD_METHOD (NO_OPCODE + 23)
#endif
#ifndef LOAD_SMALL_INT
#define LOAD_SMALL_INT (NO_OPCODE + 24)
#endif
#ifndef LOAD_SPECIAL
#define LOAD_SPECIAL (NO_OPCODE + 25)
#endif
#ifndef LOAD_SUPER_ATTR
#define LOAD_SUPER_ATTR (NO_OPCODE + 26)
#endif
#ifndef POP_ITER
#define POP_ITER (NO_OPCODE + 27)
#endif
#ifndef POP_JUMP_IF_FALSE
#define POP_JUMP_IF_FALSE (NO_OPCODE + 28)
#endif
#ifndef POP_JUMP_IF_TRUE
#define POP_JUMP_IF_TRUE (NO_OPCODE + 29)
#endif
#ifndef PRECALL
#define PRECALL (NO_OPCODE + 30)
#endif
#ifndef PREP_RERAISE_STAR
#define PREP_RERAISE_STAR (NO_OPCODE + 31)
#endif
#ifndef RESERVED
#define RESERVED (NO_OPCODE + 32)
#endif
#ifndef RETURN_CONST
#define RETURN_CONST (NO_OPCODE + 50)
#endif
#ifndef SET_FUNCTION_ATTRIBUTE
#define SET_FUNCTION_ATTRIBUTE (NO_OPCODE + 33)
#endif
#ifndef STORE_FAST_LOAD_FAST
#define STORE_FAST_LOAD_FAST (NO_OPCODE + 34)
#endif
#ifndef STORE_FAST_STORE_FAST
#define STORE_FAST_STORE_FAST (NO_OPCODE + 35)
#endif
#ifndef TO_BOOL
#define TO_BOOL (NO_OPCODE + 36)
#endif
#ifndef NB_SUBSCR
#define NB_SUBSCR (-1) /* no argument of BINARY_OP */
#endif

#endif
