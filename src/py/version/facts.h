/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences between the instructions of CPython's versions besides their names and numbers: one constant in each
   py3NN.c. For src/py only. */
#ifndef CDBG_FACTS_H
#define CDBG_FACTS_H
#include <stdbool.h>

/* The keywords of CALL_FUNCTION_EX: anything; a dict where the argument has bit 0; always a dict or NULL. */
enum keywords { KEYWORDS_ANY, KEYWORDS_FLAGGED, KEYWORDS_OR_NULL };

struct py_facts {
	bool null_above;      /* the NULL of a call is above the callable, not below it */
	bool wants_bool;      /* branches and UNARY_NOT take only True and False: TO_BOOL makes them */
	bool loads_check;     /* LOAD_FAST raises where the variable is unbound */
	bool yield_delegates; /* YIELD_VALUE's argument says whether it does so for another generator */
	bool exit_has_self;   /* WITH_EXCEPT_START finds __exit__'s object, or NULL, beside it */
	enum keywords keywords;
	int for_skips;	    /* instructions that FOR_ITER jumps over at its end: END_FOR, POP_TOP */
	int resume_args;    /* RESUME's argument is less than this */
	int function_parts; /* the highest bit that SET_FUNCTION_ATTRIBUTE takes */
	int spare_slots;    /* added to the computed depth for co_stacksize */
};
extern const struct py_facts py_facts;

#endif
