/* SPDX-License-Identifier: BSD-3-Clause */
/* What all of the decompiler's files share: the code under work and the memory of its text.  For this folder only,
   after Python.h.  Everything is allocated in the arena of one struct dec. */
#ifndef CDBG_DEC_H
#define CDBG_DEC_H
#include <setjmp.h>
#include "base/err.h"
#include "py/decompile/tree/expr.h"
#include "py/decompile/bytecode/ins.h"
#include "py/decompile/decompile.h"

/* What the function under work has. */
struct dec_made {
	bool walrus;		   /* an assignment within an expression */
	bool class, raw_class;	   /* a class statement; raw: they are calls instead */
	bool finally, raw_finally; /* a finally clause that lost its copies; raw: all copies are kept */
	bool body;		   /* the code that is next is that of a class's body */
	const struct ins *all;	   /* its instructions, while those of a comprehension in it are under work, too */
	int nall;
	const struct part *part; /* the outermost of these comprehensions; NULL: none is under work */
	int looks;		 /* at lists, by virtual_list_share() */
	int ntries;		 /* of stretches */
	uint8_t *astray;	 /* by instruction of the code: handlers that may miss __exit__(); NULL: none */
	PyObject *makers;	 /* of the outermost function, see calls.c: a set; NULL: not known yet */
};

/* Jumps of the function that no statement expresses. */
struct dec_jumps {
	struct temp *next; /* the block that one leads to; NULL: there is none */
	int ntests;	   /* of that variable */
	uint64_t turned;   /* decisions that are taken the other way, a bit each: another text of the same */
	int ndecisions, nretries;
};

/* Copies of finally clauses: some were left out; all are to be kept. */
struct dec_copies {
	bool left_out, keep;
	int *same; /* by instruction of the outermost code: the one that is written instead, or itself; NULL: itself */
};

struct dec;

/* Passes that earlier ones need for code within the code: passes.c fills this in. */
struct dec_steps {
	void (*instructions)(struct dec *d); /* of the code c, in ins */
	void (*statements)(struct dec *d, struct item *const *stack, int n, struct body *out); /* of those in ins */
	void (*nested)(struct dec *d,
		       struct function *f);	      /* of a function, not joined yet; goes to the trap if refused */
	void (*join)(struct dec *d, struct body *b);  /* statements that the stack had to take apart */
	void (*count)(struct dec *d, struct body *b); /* how often each temporary is used and bound */
};

struct dec {
	struct code *c; /* the code object under work; nested ones change it for their time */
	const struct dec_style *style;
	struct arena *arena;
	struct ins *ins;
	int n;
	struct except *except; /* in terms of ins */
	int nexcept;
	struct block *block;
	int nblock;
	PyObject *bound;	       /* objects that have no text: a list, owned */
	PyObject *globals, *nonlocals; /* of the function under work */
	struct temp *temps;	       /* newest first */
	int ntemps;
	struct dec_jumps jumps;
	int work;
	int *entered, nentered, entered_cap; /* blocks that got an entry, in order: a trial takes its own back */
	const struct dec_steps *steps;
	struct reader *reader; /* of text that is only read; NULL before */
	jmp_buf *trap;
	char why[160];
	int why_index;
	int depth;		 /* of nested functions */
	const struct dec *outer; /* the function around the one under work, as it was; NULL: none */
	struct dec_made made;
	struct dec_copies copies;
	bool partial; /* what is not covered is shown as bytecode within the text */
	struct stretch *stretches;
};

/* The text is only read, and may say what generated code does in fewer words. */
static inline bool dec_only_read(const struct dec *d)
{
	return d->style->reads_as && !d->style->whole;
}

/* Nobody wrote this code, so no statement of a person's is to be found again. */
static inline bool dec_only_generated(const struct dec *d)
{
	return dec_only_read(d) && !d->depth;
}

/* Lists that generated code passes values on by are followed across try statements and loops: somebody reads the text.
   Functions within are the program's own: a loop in them may fill a list. */
static inline bool dec_follows_lists(const struct dec *d)
{
	return !d->depth && (d->style->edited || dec_only_read(d));
}

/* ---- dec.c: memory ------------------------------------------------------------------------------ */

void dec_arena_free(struct dec *d);
void *dec_alloc(struct dec *d, size_t size); /* zeroed; lives as long as d */
char *dec_text(struct dec *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Give this construct up: goes to d->trap. */
void dec_refuse(struct dec *d, int index, const char *fmt, ...) __attribute__((format(printf, 3, 4), noreturn));
/* Numbers of blocks, or of instructions, in the arena. */
struct outs {
	int *block, n, cap;
};
void outs_push(struct dec *d, struct outs *o, int k);
/* memcpy() that may be given NULL where nothing is copied. */
static inline void dec_copy(void *to, const void *from, size_t n)
{
	if (n)
		memcpy(to, from, n);
}

/* Whoever walks expressions, statements or blocks by recursion calls dec_deep() first: it refuses the code when little
   of the thread's stack is left.  From dec_guard() on, which returns what it takes the place of. */
struct dec *dec_guard(struct dec *d);
void dec_deep(void);
/* Loops whose time grows with the square of the code ask this in each round: it refuses the code once the
   function of decompile_ask() returns true.  dec_deep() does the same. */
void dec_poll(void);
/* defaults.c: f gets the defaults that this function object has. */
void default_items(struct dec *d, struct function *f, PyObject *function);
/* This object as a module with these globals would write it. */
struct expr *default_expr(struct dec *d, PyObject *globals, PyObject *v);
bool dec_ended(void); /* the last code under dec_guard() was refused for that */

#endif
