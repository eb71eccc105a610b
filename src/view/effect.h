/* SPDX-License-Identifier: BSD-3-Clause */
/* What an instruction does to the value stack, as a sentence.  Knows no view. */
#ifndef CDBG_EFFECT_H
#define CDBG_EFFECT_H
#include "engine/session.h"

/*
 * "BINARY_SUBSCR: pops graph_out_0 (list), 0; pushes f32[10] cpu".  f: the selected frame, or NULL.  next: the frame is
 * stopped before this instruction.  Values are named where they are known: operands of the next instruction, what it
 * pushes, and what the one before it has left on the stack.  The number of values stands for the others.
 */
void effect_text(const struct frame *f, struct code *c, int index, bool next, struct buf *out);

#endif
