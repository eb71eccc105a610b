/* SPDX-License-Identifier: BSD-3-Clause */
/* Records Dynamo's symbolic execution of a function, instruction by instruction, while `trace-compile` is on.
   Realizes no value, so Dynamo adds no guard. */
#ifndef DYNAMO_OBSERVE_COMPILE_TRACE_H
#define DYNAMO_OBSERVE_COMPILE_TRACE_H
#include "torch/cdbg_host.h"

struct compiling;
struct func;

struct step {
	const char *function, *file, *op; /* the model's texts */
	char *arg, *stack, *nodes;	  /* owned; nodes NULL: it made none */
	int line, offset, depth;
	PyObject *made; /* owned while it runs: a list of those nodes, or NULL */
};

struct trace {
	struct trace *next; /* the newest is first */
	struct func *func;
	char *id;     /* the entry's id, or the one that it would have got */
	char *reason; /* the reason of the break that ended it, or NULL */
	struct step *step;
	size_t n, cap;
	long made; /* the number of nodes in the graph before the last step */
	int attempts;
	PyObject *root, *graph; /* owned while it runs: the function's translator, its graph */
};

void compile_trace_step(PyObject *tx);
void compile_trace_end(struct compiling *c); /* the compile has ended, with a result or without */
void compile_trace_wake(void);
void compile_trace_stop(void);
void compile_trace_changed(struct session *s); /* the option trace-compile was set */
extern struct trace *compile_traces;	       /* the newest is first */

#endif
