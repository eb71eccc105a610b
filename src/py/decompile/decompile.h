/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects as Python source, and that source as code that can take their place; README.md has the
   passes.  Knows neither commands nor Dynamo. */
#ifndef CDBG_DECOMPILE_H
#define CDBG_DECOMPILE_H
#include "py/code/code.h"

struct dec_style {
	bool whole;		 /* fold nothing */
	bool edited;		 /* a person changes the text before it is compiled */
	struct py_obj *function; /* whose code it is: the text has its defaults; NULL: not known */
	void *arg;		 /* passed to the functions below; any of them may be NULL */
	/* A global that is never bound again while this code runs: its value may be read late. */
	bool (*steady)(void *arg, struct code *c, const char *name);
	/* An instruction that nobody needs to read: statements of such ones alone are folded into a comment. */
	const char *(*folded)(void *arg, struct code *c, int index);
	/* Bytes of a name that a person needs to see; 0: all.  Not for text that is compiled. */
	int (*shown)(void *arg, const char *name);
	/* What the function called by this name calls its i-th positional argument; or NULL. */
	const char *(*argument)(void *arg, struct code *c, const char *function, int i);
	/* What a name in code that a compiler made stands for, see struct plug_ops; NULL: itself. */
	const char *(*reads_as)(void *arg, const char *name);
	/* Do objects of the class of this dotted name, as the code's module has it, store this attribute in another way
	   than in their dictionary? */
	bool (*stores)(void *arg, struct code *c, const char *cls, const char *attribute);
	/* The dotted name of the class that an object must have for this code to run: "L['x'].a[0]" is an item of an
	   attribute of the argument x, "G['x']" a global; or NULL.  Valid until it is called again. */
	const char *(*class_of)(void *arg, struct code *c, const char *object);
};

struct dec_line {
	int from, to; /* instructions it stands for, as indexes; -1: none */
	bool wrapped; /* continues the line above */
	bool folded;  /* a comment that statements are folded into */
	bool nested;  /* of a function within: its instructions are in another code object, and not counted here */
};

struct dec_source {
	char *text;	       /* owned */
	struct dec_line *line; /* of each line of text; owned */
	int n;
	int *same;    /* by instruction: that of the copy of its finally clause that is written; owned; NULL: itself */
	bool partial; /* some of it is bytecode: it cannot be compiled */
	char *why;    /* partial: what is not covered, and where; owned */
};

/* Code that is not covered is written as bytecode.  NULL: interrupted, see decompile_ask(). */
struct dec_source *decompile(struct code *c, const struct dec_style *style);
void dec_source_free(struct dec_source *s);
/* Long work asks this function now and then, with the GIL; true: the work ends.  Set once, before the first work. */
void decompile_ask(bool (*wants_end)(void));
/* A new code object compiled from the source of c, which can take its place: same arguments, cells and free variables,
   the same objects as constants.  A new reference; NULL with err: what is not covered, and where. */
struct py_code *recompile(struct code *c, struct err *err);
/* The same in two steps, with an editor between: the text, owned by the caller, and the code compiled from what it
   has become. Objects without a literal are named __const_N, as a comment says.  NULL with err. */
char *recompile_text(struct code *c, struct err *err);
struct py_code *recompile_edited(struct code *c, const char *text, struct err *err);

#endif
