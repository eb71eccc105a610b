/* SPDX-License-Identifier: BSD-3-Clause */
/* How a code object is written as text; see asm.h. */
#ifndef CDBG_ASM_STYLE_H
#define CDBG_ASM_STYLE_H

struct buf;
struct code;

struct asm_style {
	const char *id; /* the value of `.code`: the code that the text describes */
	/* Adds comment lines ("# ...\n") before an instruction; may be NULL. */
	void (*comment)(void *arg, struct code *c, int index, struct buf *out);
	void *arg;
	/* A change of one instruction, at `index`: other lines before it and in its place, where jumps may also go "to
	   OFFSET"; NULL: none. */
	int index;
	const char *before, *instead;
};

#endif
