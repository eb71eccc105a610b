/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects decoded once: instructions as dis lists them, lines, jumps, exception table, stack depth, and the
   table of flags that the hooks read.  Knows neither Dynamo nor breakpoints; never hashes or reprs a constant. */
#ifndef CDBG_CODE_H
#define CDBG_CODE_H
#include "py/py.h"

/* Whose code it is; the names are those of the machine interface. */
enum kind { KIND_UNKNOWN, KIND_USER, KIND_GENERATED, KIND_COMPILING, KIND_GRAPH, KIND_LIBRARY, KIND_SELF };
const char *kind_name(enum kind k);

enum instr_flag {
	INSTR_NO_EVENT = 1 << 0,             /* the interpreter gives no event here (RESUME, before it, ...) */
	INSTR_TARGET = 1 << 1,               /* something jumps here */
	INSTR_LINE = 1 << 2,                 /* first of its line in this run of the line table */
	INSTR_HANDLER = 1 << 3,              /* an exception handler starts here */
	INSTR_RETURN = 1 << 4,               /* ends the frame with a value */
	INSTR_YIELD = 1 << 5,
	INSTR_PREFIX = 1 << 6,               /* EXTENDED_ARG */
};

/* One instruction; EXTENDED_ARG is one of its own, inline caches are none. */
struct instr {
	int offset;                          /* bytes, as dis has it */
	int arg;                             /* with its prefixes applied; 0 without one */
	int target;                          /* index of the jump target, or -1 */
	int line, end_line;                  /* 0: none */
	int col, end_col;                    /* bytes; -1: none */
	int depth;                           /* of the value stack before it; -1: unreachable or unknown */
	uint8_t op;
	bool has_arg;
	uint8_t flags;                       /* enum instr_flag */
};

/* A row of the exception table, in instruction indexes; end is exclusive. */
struct except {
	int start, end, target, depth;
	bool lasti;
};

/* Bits of the flag table, one byte a code unit; the hooks look at nothing else. */
enum code_flag {
	CODE_BREAK = 1 << 0,                 /* a location of a breakpoint */
	CODE_TEMP = 1 << 1,                  /* a place a step plan waits for */
};

struct code {
	struct py_code *co;                  /* borrowed: the record lives in the code object's extra slot */
	enum kind kind;                      /* KIND_UNKNOWN until somebody asked (stack.c decides) */
	uint8_t armed;                       /* enum hook_want, the hook's */
	int temps;                           /* flags with CODE_TEMP: the hook keeps it armed while there are any */
	uint8_t *flags;                      /* units bytes, enum code_flag; never NULL */
	int units;                           /* code units */
	int n;                               /* instructions; 0 also while there is no memory to decode them */
	struct instr *instr;                 /* NULL until code_decode(), then one more than n */
	int *unit_index;                     /* unit -> index of the instruction that holds it */
	struct except *except;
	int nexcept;
	bool depth_ok;                       /* the depth analysis found no conflict */
	int doubt;                           /* else the instruction at which it found one */
	void *engine;                        /* the engine's own, freed by code_on_free's function */
	void *hook;                          /* the hook's own, freed by hook_gone */
	void (*hook_gone)(struct code *c);
};

/* The record, made when there is none.  NULL never.  Cheap: decodes nothing. */
struct code *code_get(struct py_code *co);
/* The record if there is one.  This is what hot paths call. */
struct code *code_peek(struct py_code *co);
/* Decode once; later calls cost a compare.  Never fails: what cannot be analysed has depth -1, depth_ok false. */
void code_decode(struct code *c);
/* Called with the record when its code object dies. */
void code_on_free(void (*gone)(struct code *c));

/* Index of the instruction that holds this byte offset, or -1. */
int code_index(struct code *c, int offset);
/* Index of the instruction at which an event for `index` really comes (a prefix, the entry), see INSTR_NO_EVENT. */
int code_event_index(struct code *c, int index);
static inline int code_unit(const struct code *c, int index)
{
	return c->instr[index].offset / 2;
}

/* Borrowed text, alive as long as the code object. */
const char *code_name(const struct code *c);         /* co_name */
const char *code_qualname(const struct code *c);
const char *code_file(const struct code *c);         /* co_filename */
bool code_file_is(const struct code *c, struct py_obj *text);        /* co_filename, compared as Python does */
int code_first_line(const struct code *c);
int code_nlocals(const struct code *c);              /* locals, cells and free variables */
const char *code_local_name(const struct code *c, int i);
enum local_kind { LOCAL_FAST, LOCAL_CELL, LOCAL_FREE };
enum local_kind code_local_kind(const struct code *c, int i);
bool code_is_generator(const struct code *c);        /* coroutines and async generators too */
bool code_is_coroutine(const struct code *c);        /* async ones alone */
/* Code objects among the constants, in order: borrowed, NULL past the last. */
struct py_code *code_nested(const struct code *c, int i);

/* The argument as dis prints it (names, constants by value_show, jump targets "to 396"); nothing when it has none. */
void code_arg_text(struct code *c, int index, struct buf *out);
/* A constant or name of an instruction as an object: borrowed, NULL when it has none. */
struct py_obj *code_arg_object(struct code *c, int index);

#endif
