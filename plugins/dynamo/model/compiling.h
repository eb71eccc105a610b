/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that Dynamo is looking at now, thread by thread, and the stops that show one as their innermost frame.
   Knows no particular event. */
#ifndef DYNAMO_MODEL_COMPILING_H
#define DYNAMO_MODEL_COMPILING_H
#include "torch/host.h"
#include "model/spot.h"

struct breakage;
struct effect;
struct entry;
struct evaluated;
struct func;
struct stacks;
struct stage;
struct trace;

/* The symbolic state when an exception was made, by the exception's address. */
struct snapshot {
	struct snapshot *next;
	const void *exc;
	struct val *locals, *stack;          /* owned */
	int line;
};

struct compiling {
	struct compiling *next;              /* the one around it */
	PyObject *frame;                     /* owned: what Dynamo was given; NULL: it was called some other way */
	PyObject *caller;                    /* owned frame object, or NULL */
	PyObject *generated;                 /* owned, once compiled */
	struct func *func;
	char *raw;                           /* compile id; NULL before it has one */
	char *id;                            /* ... as the entry will be called */
	double began;
	struct entry *entry;
	PyObject *graphs;                    /* owned list of (name, nodes) */
	PyObject *resumes;                   /* owned list of (name, code) */
	struct effect *effects;
	struct evaluated *evaluated;         /* evaluated.c's, until there is an entry */
	bool under_way;                      /* ... the outermost translator is past the line where it began */
	struct stacks *stacks;               /* guard_lines.c's, until there is an entry, or NULL */
	PyObject *added;                     /* owned: guard_lines.c's, or NULL */
	PyObject *calls;                     /* owned list of calls that build guards, or NULL */
	PyObject *backend;                   /* owned: see_backend()'s, or NULL */
	char *wraps;                         /* what func wraps, see qualname_wrapped(); or NULL */
	char *skip;                          /* why Dynamo skips the frame, in its words; or NULL */
	char *why;                           /* why Dynamo compiles again, in its words, a line an entry; or NULL */
	struct snapshot *snapshots;
	struct stage *stages;                /* stages.c's, until there is an entry */
	struct trace *trace;                 /* compile_trace.c's, NULL: not kept */
	struct breakage **mark;              /* where breaks of this compile begin */
	bool failed;
	struct spot called;                  /* caller_spot()'s, file NULL: none */
	bool called_known;
	PyObject *tx;                        /* owned: the translator that an exception left last, or NULL */
};

struct compiling *compiling_top(void);       /* NULL: none in this thread */
struct compiling *compiling_push(PyObject *frame);
void compiling_pop(void);

#endif
