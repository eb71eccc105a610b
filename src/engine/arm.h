/* SPDX-License-Identifier: BSD-3-Clause */
/* Arms code for breakpoints: sets flags, and finds the breakpoints of an instruction. */
#ifndef CDBG_ARM_H
#define CDBG_ARM_H
#include "py/code/code.h"

struct bp;
struct session;
struct py_frame;

#define ARM_MOST 16 /* the most breakpoints that are checked at one instruction */

/* The breakpoints at this instruction, oldest first; f is the frame that is there.  Hot: no table is searched. */
int arm_find(struct code *c, int index, struct py_frame *f, struct bp *out[ARM_MOST]);
/* Hooks stay in place for generated code as a whole, breakpoints or not. */
void arm_generated(struct session *s, bool on);

#endif
