/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that Dynamo compiles now, by thread, and stops that show one as their innermost frame.  Knows no
   particular event. */
#ifndef DYNAMO_MODEL_COMPILING_H
#define DYNAMO_MODEL_COMPILING_H
#include "torch/cdbg_host.h"
#include "model/source_line.h"

struct breakage;
struct effect;
struct entry;
struct evaluated;
struct func;
struct nodes;
struct reads;
struct stacks;
struct stage;
struct timing;
struct trace;

/* The symbolic state when an exception was made, by the exception's address. */
struct snapshot {
	struct snapshot *next;
	const void *exc;
	struct val *locals, *stack; /* owned */
	int line;
};

/* The parts of the future entry, collected while Dynamo compiles.  Written by observe/. */
struct compiling_parts {
	PyObject *graphs;  /* owned list of (name, nodes) */
	PyObject *resumes; /* owned list of (name, code) */
	struct effect *effects;
	struct evaluated *evaluated;
	struct reads *reads; /* owned: what Dynamo read, NULL: nothing yet */
	bool under_way;	     /* ... the outermost translator is past the line where it began */
	struct stage *stages;
	struct timing *timing; /* borrowed: where its time goes; NULL: not known */
	PyObject *calls;       /* owned list of calls that build guards, or NULL */
	PyObject *backend;     /* owned: its backend, if Dynamo's entries do not name it; or NULL */
	PyObject *compiler;    /* owned: its backend as Dynamo calls it, which has its name; NULL: not called yet */
	char *skip;	       /* why Dynamo skips the frame, in Dynamo's words; or NULL */
	char *limit;	       /* the limit of recompiles that is reached, "recompile_limit"; or NULL */
	long limit_value;      /* ... and its number */
	char *why;	       /* why Dynamo compiles again, in Dynamo's words, a line for each entry; or NULL */
	struct val *missed;    /* owned: the entries that do not fit, as in struct entry_made; NULL: not asked */
};

/* Lines that guards come from: guard_lines.c's; the line that called the function: caller.c's. */
struct compiling_guards {
	bool called_known;
	struct source_line called; /* file NULL: none */
	struct stacks *stacks;	   /* NULL: none */
	PyObject *added;	   /* owned, or NULL */
};

/* Dynamo's symbolic run of it. */
struct compiling_run {
	struct snapshot *snapshots;
	struct nodes *partial; /* owned: its graph while a stop shows a graph break in it; or NULL */
	struct trace *trace;   /* compile_trace.c's, NULL: not kept */
	PyObject *tx;	       /* owned: the translator that an exception left last, or NULL */
	/* The nodes that torch erased last, before the break that they led to was known. */
	PyObject *erased_of; /* owned: their OutputGraph, or NULL */
	int erased;	     /* how many */
	struct nodes *nodes; /* owned: they, if a stop may show them; or NULL */
};

struct compiling {
	struct compiling *next; /* the one around it */
	PyObject *frame;	/* owned: what Dynamo was given; NULL: it was called some other way */
	PyObject *caller;	/* owned frame object, or NULL */
	PyObject *generated;	/* owned, once compiled */
	struct func *func;
	char *raw;    /* compile id; NULL before it has one */
	char *id;     /* ... as the entry will be called */
	double began; /* by compile_clock(); 0: its compile has not begun */
	struct entry *entry;
	char *wraps;		/* what func wraps, see qualname_wrapped(); or NULL */
	struct breakage **mark; /* where breaks of this compile begin */
	bool failed;
	struct compiling_parts parts;
	struct compiling_guards guard;
	struct compiling_run run;
};

/* The rows (name, nodes) of parts.graphs, borrowed, NULL: none: of the graph that Dynamo passed to the backend last; of
   that, or of the part of it that the backend compiles now. */
PyObject *compiling_whole(const struct compiling *c);
PyObject *compiling_last(const struct compiling *c);
struct compiling *compiling_top(void); /* NULL: none in this thread */
struct compiling *compiling_push(PyObject *frame);
/* Drops the objects of Dynamo that run has: they must not outlive the compile. */
void compiling_drop_run(struct compiling *c);
void compiling_pop(void);

#endif
