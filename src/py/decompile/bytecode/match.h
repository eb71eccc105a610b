/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of match statements as trees, and the instruction that stands for a case.  For this folder only, after
   Python.h. */
#ifndef CDBG_MATCH_H
#define CDBG_MATCH_H
#include "py/decompile/tree/dec.h"

enum { PATTERN_KIDS = 24, PATTERN_STORES = 24 };

struct pattern {
	enum { P_ANY, P_VALUE, P_SEQUENCE, P_MAPPING, P_CLASS, P_OR } kind;
	const char *text;		   /* P_VALUE: its source; P_CLASS: the class */
	const char *name;		   /* what it is bound to, or NULL */
	struct pattern *kid[PATTERN_KIDS]; /* NULL: a wildcard */
	int n;
	bool unpacked;		       /* P_SEQUENCE: its elements are known, star among them if it is not -1 */
	int star;		       /* P_SEQUENCE: which kid takes any number of elements; -1: none */
	int length;		       /* P_SEQUENCE: that its length was compared with; -1: none */
	bool least;		       /* that length is the least one */
	int last[PATTERN_KIDS], nlast; /* kids taken by their distance from the end */
	PyObject *keys;		       /* P_MAPPING: a tuple of constants, borrowed; P_CLASS: of attributes' names */
	const char **key;	       /* P_MAPPING: the keys' source, where they are not all constants */
	int nkeys;
	const char *rest;     /* P_MAPPING: the name of the remaining items */
	int positional;	      /* P_CLASS */
	struct pattern *twin; /* what is bound to the same name in the next alternative */
};

/* A case: its pattern's text, and the variables that it binds. */
struct case_of {
	const char *text;
	struct ins store[PATTERN_STORES];
	int nstores;
};

enum { PATTERN_VALUES = 48, PATTERN_FAILS = 64 };

/* An entry of the value stack. */
struct value {
	enum { V_SUBJECT, V_TEST, V_LENGTH, V_CONST, V_TEXT, V_TEXTS, V_PARTS, V_KEYS, V_KEY, V_INDEX, V_REST } kind;
	struct pattern *p;  /* that it is the subject, the length, ... of */
	PyObject *obj;	    /* V_CONST */
	const char *text;   /* V_TEXT: a name, with dots */
	const char **texts; /* V_TEXTS: a tuple of the source of each */
	int n;		    /* V_TEXTS, V_INDEX: from the end */
};

struct matching {
	struct dec *d;
	struct value value[PATTERN_VALUES];
	struct outs path; /* instructions on the way on which it matches */
	int n, floor;	  /* entries below the floor are out of reach */
	struct {
		int target, height;
	} fail[PATTERN_FAILS];
	int nfails;
	struct case_of *made;
};

/* match_way.c: the way on which a pattern matches, from instruction i up to the one that leaves the stack at this
   height, or, if that is -1, to a jump.  -1: not a pattern. */
int follow(struct matching *m, int i, int height);
/* Where all that has failed since then continues, at this height. */
int follow_fails(struct matching *m, int first, int height);
bool follow_push(struct matching *m, struct value v);
struct pattern *pattern_new(struct dec *d);

/* The source of a pattern, in the arena; NULL: it has none. */
const char *pattern_text(struct dec *d, const struct pattern *p);
/* The source of a constant within a pattern, NULL: it has none there. */
const char *pattern_constant(struct dec *d, PyObject *v, bool key);

#endif
