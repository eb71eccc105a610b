/* SPDX-License-Identifier: BSD-3-Clause */
/* Arms code for breakpoints: sets flags, and finds the breakpoints of an instruction. */
#ifndef CDBG_ARM_H
#define CDBG_ARM_H
#include "py/code/code.h"

struct bp;
struct session;
struct py_frame;

#define ARM_FEW 16

/* Breakpoints, any number; up to ARM_FEW take no memory.  Begins as { 0 }; arm_found_release() frees it. */
struct arm_found {
	struct bp *few[ARM_FEW], **many; /* the first ones; those that follow */
	size_t n, cap;			 /* of both; of many */
};

void arm_found_add(struct arm_found *found, struct bp *b);
struct bp *arm_found_at(const struct arm_found *found, size_t i);
void arm_found_release(struct arm_found *found);

/* Add the breakpoints at this instruction, oldest first; f is the frame that is there.  Hot: no table is searched. */
void arm_find(struct code *c, int index, struct py_frame *f, struct arm_found *out);
/* Hooks stay in place for generated code as a whole, breakpoints or not. */
void arm_generated(struct session *s, bool on);
/* Hooks stay in place for code that is recorded: outside of compiled regions, in them, and graphs that they call. */
void arm_recorded(struct session *s, bool outside, bool regions, bool graphs);

#endif
