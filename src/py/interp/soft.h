/* SPDX-License-Identifier: BSD-3-Clause */
/* Soft keywords: match, case, type and _ are keywords in some places and names in all others.  The tokens of a text are
   given in their order; knows no file and no colour. */
#ifndef CDBG_SOFT_H
#define CDBG_SOFT_H
#include <stdbool.h>

enum { SOFT_BLOCKS = 128 };

enum soft_token { SOFT_NAME, SOFT_KEYWORD, SOFT_OP, SOFT_OTHER, SOFT_NEWLINE, SOFT_INDENT, SOFT_DEDENT };

/* All zero at the start of a statement that begins in the first column. */
struct soft {
	int nth;	  /* tokens of this logical line */
	int depth;	  /* open brackets */
	bool match, type; /* the line may be such a statement: its first token is the word, and the second fits */
	bool colon;	  /* the last token was ':' outside of brackets */
	bool pattern;	  /* between case and its ':' or if */
	bool header;	  /* the previous logical line was the first of a match statement */
	bool block[SOFT_BLOCKS]; /* for each depth: is the block that of a match statement? */
	int nblocks;
};

/* The token that is known to be a keyword so far. */
enum soft_answer { SOFT_NONE, SOFT_THIS, SOFT_FIRST };

/* SOFT_FIRST: the first token of this logical line is one after all.  `has_type`: this Python has type statements. */
enum soft_answer soft_take(struct soft *s, enum soft_token type, const char *text, bool has_type);

#endif
