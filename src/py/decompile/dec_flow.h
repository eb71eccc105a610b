/* SPDX-License-Identifier: BSD-3-Clause */
/* The decompiler's flow graph, and how statements come of it.  For this folder only, after Python.h. */
#ifndef CDBG_DEC_FLOW_H
#define CDBG_DEC_FLOW_H
#include "py/decompile/dec_cut.h"
#include "py/decompile/dec_run.h"

/* ---- the flow graph ------------------------------------------------------------------------------ */

struct block {
	int first, end; /* in d->ins */
	enum { B_FALL, B_END, B_COND, B_OR_POP, B_FOR } kind;
	int succ[2];	    /* B_COND, B_OR_POP: falls through, jumps; B_FOR: body, exit; -1: none */
	int yes, no;	    /* B_COND: where a true and a false condition lead */
	int handler, depth; /* block; -1: none */
	bool lasti;
	struct more { /* B_COND: `and` and `or` joined to it */
		bool is_and, negated;
		int block;
		struct more *next;
	} * more, **more_end;
	bool or_true; /* B_OR_POP: a true value is kept and jumps, not a false one */
	bool gone;
	bool handles; /* exceptions of some block; set in dec_stretch.c */
	int exc;      /* exceptions that are being handled where it begins */
	int *pred, npred;
	int order; /* in reverse postorder; -1: not reached */
	int idom;
	int *kid, nkid;	     /* in the dominator tree, by order */
	bool merge;	     /* several ways lead here */
	uint8_t *loop;	     /* a set: the loop that this one heads; NULL: none */
	struct outs in_loop; /* the same blocks, in no order */
	struct item **entry; /* the stack at a join, n_entry of them; NULL: not reached yet */
	int n_entry;
	bool tested; /* the test of a loop, which the compiler has put at its end, too */
	bool passed; /* the only way to it left its entries as they were */
};

/* ---- dec_flow.c, dec_shape.c, dec_loop.c, dec_try.c, dec_tidy.c ---------------------------------- */

void flow_build(struct dec *d);
void flow_each(struct dec *d);	       /* a block for each instruction, and its dominators */
void dom_find(struct dec *d);	       /* dominators alone */
void dom_build(struct dec *d);	       /* dominators and loops of blocks whose ways are known */
void dom_split_headers(struct dec *d); /* of loops around the try statement that they begin in */
void dom_exceptions(struct dec *d);
void flow_reach(struct dec *d);
int flow_edges(const struct block *b, int out[3]);
int flow_body_end(const struct block *b); /* without the jump that ends it */
bool flow_dominates(struct dec *d, int a, int b);
bool flow_may_raise(struct dec *d, const struct block *b);
bool flow_only_from(struct dec *d, const struct block *b, int handler); /* what it covers leads there, nothing else */

/* ---- dec_with.c ----------------------------------------------------------------------------------- */

bool with_ends(struct dec *d, const struct block *b); /* is it the end of a with statement's body? */
/* Block k, which one way leads to, is the end of a with statement around what the handler handles exceptions of: a
   jump out of it does that by itself. */
bool with_ends_around(struct dec *d, int k, int handler);

/* ---- dec_finally.c ------------------------------------------------------------------------------- */

/* Copies of finally clauses are left out of the instructions: the graph is to be built again.  false: none are. */
bool finally_find(struct dec *d);
/* The block that the clause in this handler, which is being written, ends before; -1: no copies of it were left
   out. */
int finally_end(struct dec *d, int handler);
/* Block k is of a statement with such a clause that is not around what `cover` handles exceptions of: it may raise
   there, whatever the block does. */
bool finally_opens(struct dec *d, int k, int cover);
/* Block k comes after such a clause of a statement whose body, or what is in it, `cover` handles exceptions of. */
bool finally_before(struct dec *d, int k, int cover);

/* ---- dec_module.c -------------------------------------------------------------------------------- */

/* Statements of a module's code become those of its text.  whole: the text is compiled. */
void module_tidy(struct dec *d, struct function *f, bool whole);
void chain_targets(struct dec *d, struct body *b); /* after tidy_count() */

/* ---- dec_join.c ---------------------------------------------------------------------------------- */

/* Blocks lose what leads to them; d->block[].gone of what is never reached then is up to flow_reach(). */
void join_conditions(struct dec *d);
void join_tests(struct dec *d);

/* Where statements are being written: what needs no jump, and what `break` and `continue` reach.  -1: nothing. */
struct ctx {
	int fall, brk, cont;
	int cover;		/* the handler of the try statement around it */
	int exc;		/* exceptions that are being handled there */
	const uint8_t *claimed; /* a set: joins that somebody further out writes */
	struct level *level;	/* innermost first: what follows what is being written */
};

/* Sets of blocks, a bit each. */
static inline size_t set_size(const struct dec *d)
{
	return (size_t)d->nblock / 8 + 1;
}
static inline uint8_t *set_new(struct dec *d)
{
	return dec_alloc(d, set_size(d));
}
static inline bool set_has(const uint8_t *set, int k)
{
	return set[k / 8] >> (k % 8) & 1;
}
static inline void set_add(uint8_t *set, int k)
{
	set[k / 8] |= (uint8_t)(1 << (k % 8));
}

enum { LEVEL_CROSS = 16 };

/* Text that is followed by that of a block, or a loop.  A jump beyond it sets a variable, and what follows is
   skipped. */
struct level {
	struct level *out;
	int after, header;		/* blocks; -1: none.  A header: it is a loop */
	int exc;			/* exceptions that are being handled */
	bool guard;			/* something jumps over what follows */
	bool target;			/* or to it, that way */
	int cross[LEVEL_CROSS], ncross; /* blocks that such jumps lead to, past the loop around this one */
};

void level_open(struct ctx *c, struct level *lv, int after, int header, int exc);
/* Exceptions that are being handled after the beginning of block k. */
int level_handling(struct dec *d, int k, struct item *const *stack, int n);
bool level_knows(const struct ctx *c, int k);
void level_leave(struct dec *d, const struct level *loop, struct body *out);
void level_close(struct dec *d, const struct level *lv, struct body *text, struct body *out);
void level_again(struct dec *d, const struct level *lv, struct body *loop);
void level_follow(struct dec *d, const struct level *lv, const struct ctx *c, struct body *out);
void shape_leave(struct dec *d, int k, struct run *r, const struct ctx *c, struct body *out);
void shape_begin(struct dec *d, struct body *f);
/* Is this decision, which has two right answers, to be taken the other way?  Asked once for each, in order. */
bool shape_turned(struct dec *d);
bool shape_keeps(const struct item *i); /* an entry that joins keep as it is */

void shape_code(struct dec *d, struct item *const *stack, int n, struct body *out);
void shape_tree(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out);
void shape_try(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out);
bool flow_covered(struct dec *d, int k, int handler); /* by it, or by what handles its exceptions */
void shape_loop(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out);
/* A block, then the joins that it dominates. */
void shape_sequence(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out);
/* The run continues at block k. */
void shape_go(struct dec *d, int k, struct run *r, const struct ctx *c, int from, struct body *out);
bool ctx_knows(const struct ctx *c, int k); /* no jump is needed to block k, or a word does it */
/* The run leaves for block k: its entry is made or filled. */
void shape_slots(struct dec *d, int k, struct run *r, struct body *out);
const uint8_t *shape_claim(struct dec *d, const uint8_t *claimed, const int *blocks, int n);
/* dec_cases.c: cases of one subject become one match statement, and tests of it for a constant are cases, too. */
void cases_join(struct dec *d, struct body *b);
void cases_subject(struct body *b);		  /* the temporary that only the cases of one statement read */
void raised_check(struct dec *d, struct body *b); /* dec_raised.c: before all of these */
/* dec_resumed.c: text of a resume function that is read: assignments whose first half has run. */
void resumed_tidy(struct dec *d, struct body *b);
void stale_tidy(struct dec *d, struct body *b);	 /* dec_stale.c: before it */
void assert_tidy(struct dec *d, struct body *b); /* dec_assert.c: the last step */
void define_tidy(struct dec *d, struct body *b); /* dec_define.c */
void returned_tidy(struct body *b);		 /* dec_returned.c: uses and stores of temporaries are counted */
void repeated_tidy(const struct dec *d, struct body *b); /* dec_repeated.c: d->ins is the function's */
void clause_tidy(struct dec *d, struct body *around, struct stmt *try);
void while_tidy(struct dec *d, struct body *b, struct stmt *s); /* dec_while.c: s, if it is a loop, and what follows */
void while_continues(struct dec *d, struct body *b); /* what a test at a loop's end skips: after the other steps */
void together_tidy(struct dec *d, struct body *b,
		   struct stmt *s);		     /* dec_together.c: s and what follows, if it can be */
void tidy_drop_next(struct body *b, struct stmt *s); /* s is about its instructions, too */
/* dec_augment.c: t = o.x; t.y += v: o.x.y += v.  The place in the statement where t is evaluated, before anything that
   may change; or NULL. */
struct expr **augment_place(struct stmt *s, const struct temp *t);
struct temp *tidy_once(const struct expr *e); /* set once and read once, or NULL */
void tidy_body(struct dec *d, struct body *b);
void tidy_all(struct dec *d, struct body *b);	/* of the function under work; each temporary's uses are counted */
void tidy_count(struct dec *d, struct body *b); /* how often each temporary is used and bound */
void end_drop(struct function *f); /* `return None` at its ends; beside a docstring it needs no statement at all */
bool dec_name_taken(struct dec *d, struct code *c, const char *name); /* has the code, or a temporary, that name? */
/* A name and a number, "x_2", that neither has; NULL: none is free. */
const char *dec_numbered_name(struct dec *d, struct code *c, const char *name);
/* The name that a temporary has from what it is passed as: where a variable has that name, with "_" after it, unless a
   compiler made it.  NULL: none, or neither is free. */
const char *dec_hinted_name(struct dec *d, struct code *c, const struct temp *t);
void read_tidy(struct dec *d, struct body *b); /* dec_read.c: after the last step, of text that is only read */
/* The place where this variable is read in the statement, before anything that can be observed; or NULL. */
struct expr **tidy_first_name(struct stmt *s, PyObject *name);
struct expr **tidy_first_use(struct stmt *s, const struct temp *t);

#endif
