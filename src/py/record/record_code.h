/* SPDX-License-Identifier: BSD-3-Clause */
/* What a record keeps of a code object: what each instruction does to the stack and the variables, so that only results
   need be recorded, and texts for who reads it when the code object is gone.  One block of memory with offsets, which
   the file has as it is. */
#ifndef CDBG_RECORD_CODE_H
#define CDBG_RECORD_CODE_H
#include <stdbool.h>
#include <stddef.h>
#include "py/record/record_words.h"

struct code;

/* How the state after an instruction follows from the state before it. */
enum record_effect {
	EFFECT_RESULTS,	 /* what is above depth - pops is recorded */
	EFFECT_TOUCH,	 /* ... and before these the slot at depth - a */
	EFFECT_METHOD,	 /* the two slots at depth - pops are recorded, nothing is taken */
	EFFECT_NOTHING,	 /* takes pops */
	EFFECT_CONST,	 /* pushes constant a */
	EFFECT_LOCAL,	 /* pushes variable a */
	EFFECT_LOCALS,	 /* pushes variables a, b */
	EFFECT_STORE,	 /* variable a */
	EFFECT_STORES,	 /* the top to variable a, the one below to b */
	EFFECT_EXCHANGE, /* the top to variable a, pushes variable b */
	EFFECT_CLEAR,	 /* pushes variable a, which is unbound then */
	EFFECT_DELETE,	 /* variable a is unbound */
	EFFECT_CELL,	 /* the top goes into the cell that variable a is */
	EFFECT_UNCELL,	 /* that cell is empty */
	EFFECT_COPY,	 /* pushes the slot at depth - a */
	EFFECT_SWAP,	 /* the top and the slot at depth - a */
	EFFECT_NULL,	 /* pushes NULL */
	EFFECT_KEY,	 /* it is not known */
	EFFECT_KINDS
};

enum record_step_flag {
	RECORD_STEP_LEADS = 1 << 0,   /* a region, node or kernel begins */
	RECORD_STEP_RETURNS = 1 << 1, /* ends the frame with the top of the stack */
	RECORD_STEP_YIELDS = 1 << 2,  /* suspends it with that */
	RECORD_STEP_NAMED = 1 << 3,   /* the top goes into the module's or class's variable that its argument names */
};

/* An event of the instruction at a code unit. */
struct record_step {
	int32_t next, jump; /* the units of the frame's next event; -1: another one */
	int32_t a, b;
	uint16_t pops, depth; /* depth: before it; 0xffff: not known */
	uint8_t effect, flags;
	uint16_t spare;
	uint32_t instr; /* index in instrs */
};

struct record_instr {
	uint32_t unit;
	int32_t line;
	uint32_t op, arg; /* texts */
	int32_t note;	  /* index of the note that it belongs to; -1: none */
	uint32_t spare;
};

struct record_local {
	uint32_t name, kind; /* enum local_kind */
};

/* A region, node or kernel, from a unit on. */
struct record_note {
	uint32_t unit, what, name, file; /* texts; 0: none */
	int32_t line;
	uint32_t spare;
};

struct record_code {
	struct record_item item;				 /* kind RECORD_ITEM_CODE */
	uint32_t units, ninstrs, nlocals, room, nconsts, nnotes; /* room: locals and the deepest stack */
	int32_t first_line;
	uint32_t kind;				     /* enum kind */
	uint32_t name, qualname, file, title, entry; /* texts; 0: none */
	uint32_t values;			     /* false: there are too many to record */
	/* Offsets of the arrays; texts end with a NUL each, the first is "". */
	uint32_t steps, instrs, consts, locals, notes, texts, ntexts;
	uint32_t nargs; /* the first of the locals are arguments */
};

static inline const struct record_step *record_code_step(const struct record_code *c, uint32_t unit)
{
	return (const struct record_step *)((const char *)c + c->steps) + unit;
}

static inline uint32_t record_code_unit(const struct record_code *c, const struct record_step *st)
{
	return (uint32_t)(st - record_code_step(c, 0));
}

static inline const struct record_instr *record_code_instr(const struct record_code *c, uint32_t i)
{
	return (const struct record_instr *)((const char *)c + c->instrs) + i;
}

static inline const struct record_value *record_code_const(const struct record_code *c, uint32_t i)
{
	return (const struct record_value *)((const char *)c + c->consts) + i;
}

static inline const struct record_local *record_code_local(const struct record_code *c, uint32_t i)
{
	return (const struct record_local *)((const char *)c + c->locals) + i;
}

static inline const struct record_note *record_code_note(const struct record_code *c, uint32_t i)
{
	return (const struct record_note *)((const char *)c + c->notes) + i;
}

static inline const char *record_code_text(const struct record_code *c, uint32_t at)
{
	return (const char *)c + c->texts + at;
}

/* Of a code object, owned by the caller (free()); NULL: it is too large for a record.  Keeps the pending exception. */
struct record_code *record_code_make(struct code *c, uint32_t id);
/* The index of the first instruction after the prologue; the code has one at least. */
uint32_t record_code_first(const struct record_code *c);
/* Is it the function of that name (its own, the qualified one, or the end of that after a dot) or the entry's code? */
bool record_code_is(const struct record_code *c, const char *name);
/* The line that is shown of an instruction, as stack_line() has it; 0: none. */
int record_code_line(const struct record_code *c, uint32_t i);
/* Is this block of `size` bytes, from a file, whole: can all that it refers to be read? */
bool record_code_valid(const void *block, size_t size);

#endif
