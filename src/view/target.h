/* SPDX-License-Identifier: BSD-3-Clause */
/* The code that the argument [FUNC|ENTRY] of a command means, with its location.  Knows no view and no command. */
#ifndef CDBG_TARGET_H
#define CDBG_TARGET_H
#include "engine/session.h"

struct target {
	struct py_code *co; /* owned: keeps code alive */
	struct code *code;  /* decoded */
	int index;	    /* the next instruction if the selected frame runs this code, else -1 */
	int line;	    /* being compiled: the current line; else 0 */
	char *title;	    /* owned: "generated code of toy_example, entry 0/0, 152 instructions" */
};

/* Without words: the selected frame's code.  A function: its newest generated code if it has any, else its own. */
int target_find(struct session *s, const char *words, struct target *out, struct err *err);
void target_release(struct target *t);
/* The user's function that generated code was made from, else t's own code.  Borrowed. */
struct py_code *target_original(struct session *s, const struct target *t);

#endif
