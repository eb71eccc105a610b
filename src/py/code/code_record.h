/* SPDX-License-Identifier: BSD-3-Clause */
/* The decoded form of a code object: plain data. code.h declares the functions that make and read it. */
#ifndef CDBG_CODE_RECORD_H
#define CDBG_CODE_RECORD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "py/handle.h"

/* The owner of the code; the names are those of the machine interface. */
enum kind { KIND_UNKNOWN, KIND_USER, KIND_GENERATED, KIND_COMPILING, KIND_GRAPH, KIND_LIBRARY, KIND_SELF };

enum local_kind { LOCAL_FAST, LOCAL_CELL, LOCAL_FREE };

enum instr_flag {
	INSTR_NO_EVENT = 1 << 0, /* the interpreter emits no event here (RESUME, before it, ...) */
	INSTR_TARGET = 1 << 1,	 /* something jumps here */
	INSTR_LINE = 1 << 2,	 /* first of its line in this run of the line table */
	INSTR_HANDLER = 1 << 3,	 /* an exception handler starts here */
	INSTR_RETURN = 1 << 4,	 /* ends the frame with a value */
	INSTR_YIELD = 1 << 5,
	INSTR_PREFIX = 1 << 6,	/* EXTENDED_ARG */
	INSTR_RETURNS = 1 << 7, /* this, or one that follows it on its line, ends the frame with a value */
};

/* One instruction; EXTENDED_ARG is an instruction, inline caches are not. */
struct instr {
	int offset;	    /* bytes, as dis has it */
	int arg;	    /* with its prefixes applied; 0 without one */
	int target;	    /* index of the jump target, or -1 */
	int line, end_line; /* 0: none */
	int col, end_col;   /* bytes; -1: none */
	int depth;	    /* of the value stack before it; -1: unreachable or unknown */
	uint16_t op;	    /* 0..255 */
	bool has_arg;
	uint8_t flags; /* enum instr_flag */
};

/* A row of the exception table, in instruction indexes; end is exclusive. */
struct except {
	int start, end, target, depth;
	bool lasti;
};

/* Bits of the flag table, one byte a code unit; the hooks look at nothing else. */
enum code_flag {
	CODE_BREAK = 1 << 0, /* a location of a breakpoint */
	CODE_TEMP = 1 << 1,  /* a place a step plan waits for */
};

struct code;

/* What a plugin knows of the code from a code unit on, until the next: "node", "sin".  Texts are valid as long as the
   notes. */
struct code_note {
	int unit;
	const char *what, *name; /* what: "region", "node", "kernel", ... */
	const char *file;	 /* where the program wrote it; NULL: unknown, or the file of the code */
	int line;		 /* 0: unknown */
};

/* For readers in a signal handler: plain data, in one block of memory. */
struct code_notes {
	const char *title;    /* "generated code of model, entry 0/0"; or NULL */
	const char *function; /* as people know it: "model (resumed at line 3)"; NULL: by the name of its code */
	const char *entry;    /* or NULL */
	int n;
	struct code_note note[]; /* by unit */
};

/* Memory that a signal handler gives to a record. */
struct code_room {
	char *at;
	size_t left;
};

struct code_crash {
	struct code_notes *notes; /* owned; or NULL */
	struct code_room *room;	  /* of a copy in a signal handler: its memory comes from there; else NULL */
};

/* Written by src/py/hook alone. */
struct code_hook {
	uint8_t armed; /* enum hook_want */
	bool recorded; /* armed with HOOK_RECORD, whatever it is armed for beside */
	void *own;     /* the hook's own, freed by gone */
	void (*gone)(struct code *c);
	void *record; /* the recorder's, and written by it alone; NULL: none */
};

struct code {
	struct py_code *co; /* borrowed: the record lives in the code object's extra slot */
	enum kind kind;	    /* KIND_UNKNOWN until it is used (stack.c determines it) */
	struct code_hook hook;
	int temps;	     /* flags with CODE_TEMP: the hook keeps it armed while there are any */
	uint8_t *flags;	     /* units bytes, enum code_flag; never NULL */
	int units;	     /* code units */
	int n;		     /* instructions; also 0 if decoding ran out of memory */
	struct instr *instr; /* NULL until code_decode(), then one more than n */
	int *unit_index;     /* unit -> index of the instruction that holds it */
	struct except *except;
	int nexcept;
	bool depth_ok; /* the depth analysis found no conflict */
	int doubt;     /* else the instruction at which it found one */
	void *engine;  /* the engine's own, freed by code_on_free's function */
	struct code_crash crash;
};

static inline int code_unit(const struct code *c, int index)
{
	return c->instr[index].offset / 2;
}

#endif
