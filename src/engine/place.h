/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of places: instructions, and the lines that they stand for. */
#ifndef CDBG_PLACE_H
#define CDBG_PLACE_H
#include "py/code/code.h"

/* One instruction; holds a reference to its code object. */
struct place {
	struct code *code;
	int index;
	char *note;  /* a remark for the user, or NULL */
	int line;    /* the line it stands for, 0: none */
	bool around; /* only when a loop comes back to it: the way in has its own place */
};

struct places {
	struct place *place;
	int n;
	size_t cap;
};

/* Once each; note is copied and may be NULL. */
void places_add(struct places *p, struct code *c, int index, int line, const char *note);
void places_release(struct places *p);

#endif
