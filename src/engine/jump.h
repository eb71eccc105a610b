/* SPDX-License-Identifier: BSD-3-Clause */
/* Changing what the stopped frame does next. */
#ifndef CDBG_JUMP_H
#define CDBG_JUMP_H
#include "py/code/code.h"

struct session;

/* Set the next instruction of the stopped frame; refused with the reason where that cannot be. */
int session_jump(struct session *s, struct code *c, int index, struct err *err);
/* Write a slot of the stopped frame's value stack; refused with the reason where that would corrupt the interpreter. */
int session_set_slot(struct session *s, int slot, struct py_obj *value, struct err *err);

#endif
