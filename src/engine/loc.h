/* SPDX-License-Identifier: BSD-3-Clause */
/* Locations as typed (FILE:LINE, LINE, FUNC, *OFFSET, #INDEX, FUNC*OFFSET, FUNC@REGION, opcode:NAME) and the
   instructions they mean.  Knows no breakpoint. */
#ifndef CDBG_LOC_H
#define CDBG_LOC_H
#include "base/err.h"
#include "py/code.h"

struct session;

/* One instruction; holds a reference to its code object. */
struct place {
	struct code *code;
	int index;
	char *note;                          /* what a person should know, or NULL */
	int line;                            /* the line it stands for, 0: none */
};

struct places {
	struct place *place;
	int n;
	size_t cap;
};

void places_add(struct places *p, struct code *c, int index, int line, const char *note);
void places_release(struct places *p);

enum loc_type { LOC_LINE, LOC_FUNC, LOC_OFFSET, LOC_INDEX, LOC_REGION, LOC_OPCODE };

struct loc {
	enum loc_type type;
	char *text;                          /* as typed */
	char *file;                          /* LOC_LINE; NULL: that of the selected frame, filled in when parsed */
	char *func;                          /* LOC_FUNC, _OFFSET, _INDEX, _REGION: NULL: the frame's own code */
	int line, number;                    /* number: offset or index */
	char *word;                          /* region or opcode */
	struct py_code *code;                /* owned: the selected frame's code for `*OFFSET` and `#INDEX` */
};

struct loc *loc_parse(struct session *s, const char *text, struct err *err);
void loc_free(struct loc *l);
/* All instructions it means now (none yet: 0).  Asks plugins for generated code.  -1: it can never be. */
int loc_resolve(struct session *s, const struct loc *l, struct places *out, struct err *err);
/*
 * Code objects that a FUNC means (users' files, nested functions and methods too; module.FUNC, FILE:FUNC, resume
 * names, expressions that give a function or a compiled wrapper): calls add for each, original code, not generated.
 */
int loc_functions(struct session *s, const char *func, void (*add)(void *arg, struct py_code *co), void *arg,
		  struct err *err);

#endif
