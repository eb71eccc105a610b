/* SPDX-License-Identifier: BSD-3-Clause */
/* The statements of the `call` that inductor wrote: variables, and the calls that compute them.  Knows text
   only. */
#ifndef DYNAMO_OBSERVE_CACHED_CODE_H
#define DYNAMO_OBSERVE_CACHED_CODE_H
#include "observe/cached_kernels.h"
#include "torch/cdbg_host.h"

/* A variable of `call`. */
struct variable {
	char *name;
	int memory;  /* the variable whose memory it takes over, -1: none */
	int whole;   /* the variable that it is a part of, as of a concatenation, -1: none */
	int written; /* the first call that names it, -1: none; of an input, 0 */
	bool input;
	int node;  /* the matcher's: whose value it holds, -1: not known */
	int helps; /* the matcher's: the node that it helps to compute where it has none of its own, -1: not known */
	int line;  /* the matcher's: a node on the line that it has, where neither is known, -1: not known */
	bool only; /* the matcher's: no other node fits than that one */
	const char *size; /* in the text: "(8, 1), ...", what it was allocated with; NULL: not known */
	bool cpu;	  /* on the CPU */
};

/* A statement that computes something. */
struct call {
	enum { LIBRARY, PART, KERNEL } kind; /* "extern_kernels.mm(a, b, out=c)", "a = b[0]", "cpp_fused_add_0(a, b)" */
	char *op;			     /* "extern_kernels.mm" */
	const char *args;		     /* in the text: "(a, b)" */
	int write, part;		     /* the variable that it sets, -1: none; the 0 of "b[0]" */
	int *arg, nargs;		     /* the variables that it names, each once */
	int *fit, nfit;			     /* the matcher's, of LIBRARY: the nodes that such an operation computes */
	bool found;			     /* the matcher's: its node is known */
};

/* Zeroes are an empty one. */
struct cached_code {
	struct variable *var;
	int nvars;
	size_t vars_cap;
	PyObject *names; /* owned: variable -> index */
	struct call *call;
	int ncalls;
	size_t calls_cap;
	struct cached_kernels *kernels; /* owned */
	const char *result;		/* in the text: what `call` returns, "(buf1, buf2, )"; "": nothing was found */
};

/* Reads `call` of a text, which must live as long as the result.  What cannot be read is left out. */
void cached_code_read(struct cached_code *code, const char *text);
void cached_code_release(struct cached_code *code);
/* What the kernel that a call is of does with a variable that it gets. */
struct kernel_use cached_code_use(const struct cached_code *code, const struct call *c, int var);
/* A variable's index by its name of len bytes, or -1. */
int cached_code_find(const struct cached_code *code, const char *s, size_t len);
/* The length of the identifier at s, 0: there is none. */
size_t cached_code_word(const char *s);

#endif
