/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements from the flow graph, and passes over them.  For this folder only, after Python.h. */
#ifndef CDBG_SHAPE_H
#define CDBG_SHAPE_H
#include "py/decompile/flow/flow.h"

/* Where statements are being written: what needs no jump, and what `break` and `continue` reach.  -1: nothing. */
struct ctx {
	int fall, brk, cont;
	int cover;		/* the handler of the try statement around it */
	int exc;		/* exceptions that are being handled there */
	const uint8_t *claimed; /* a set: joins that somebody further out writes */
	struct level *level;	/* innermost first: what follows what is being written */
};

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
void shape_loop(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out);
/* A block, then the joins that it dominates. */
void shape_sequence(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out);
/* The run continues at block k. */
void shape_go(struct dec *d, int k, struct run *r, const struct ctx *c, int from, struct body *out);
bool ctx_knows(const struct ctx *c, int k); /* no jump is needed to block k, or a word does it */
/* The run leaves for block k: its entry is made or filled. */
void shape_slots(struct dec *d, int k, struct run *r, struct body *out);
const uint8_t *shape_claim(struct dec *d, const uint8_t *claimed, const int *blocks, int n);
void raise_check_find(struct dec *d, struct body *b); /* assert.c: before all of these */
/* resumed_with.c: text of a resume function that is read: assignments whose first half has run. */
void resumed_with_tidy(struct dec *d, struct body *b);
void jump_reset_tidy(struct dec *d, struct body *b); /* jump_reset.c: before it */
void assert_tidy(struct dec *d, struct body *b);     /* assert.c: the last step */
void decorators_tidy(struct dec *d, struct body *b); /* decorators.c */
void return_value_tidy(struct body *b);		     /* return_value.c: uses and stores of temporaries are counted */
void repeated_return_tidy(const struct dec *d, struct body *b); /* return_value.c: d->ins is the function's */
void clause_tidy(struct dec *d, struct body *around, struct stmt *try);
void while_tidy(struct dec *d, struct body *b, struct stmt *s); /* while.c: s, if it is a loop, and what follows */
void while_continues(struct dec *d, struct body *b); /* what a test at a loop's end skips: after the other steps */
void multi_assign_tidy(struct dec *d, struct body *b,
		       struct stmt *s);			     /* multi_assign.c: s and what follows, if it can be */
void multi_assign_drop_next(struct body *b, struct stmt *s); /* s is about its instructions, too */
/* multi_assign.c: t = o.x; t.y += v: o.x.y += v.  The place in the statement where t is evaluated, before anything that
   may change; or NULL. */
struct expr **augmented_place(struct stmt *s, const struct temp *t);
struct temp *multi_assign_once(const struct expr *e); /* set once and read once, or NULL */
void statements_body(struct dec *d, struct body *b);
void statements_chain_else(struct dec *d,
			   struct body *b);	      /* elif for an else that is only an if, with what follows it */
void statements_count(struct dec *d, struct body *b); /* how often each temporary is used and bound */
void temp_names_give(struct dec *d, struct code *c);  /* all of them, after the last pass */
bool dec_name_taken(struct dec *d, struct code *c, const char *name); /* has the code, or a temporary, that name? */
/* A name and a number, "x_2", that neither has; NULL: none is free. */
const char *dec_numbered_name(struct dec *d, struct code *c, const char *name);
/* The name that a temporary has from what it is passed as: where a variable has that name, with "_" after it, unless a
   compiler made it.  NULL: none, or neither is free. */
const char *dec_hinted_name(struct dec *d, struct code *c, const struct temp *t);

#endif
