/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python that inductor writes around its kernels, read once: the kernels, C++ and Triton alike, and the statements
   of `call` and of the functions of sub-graphs, with what each reads and writes.  Reading survives any text.  The text
   is that of torch/_inductor/codegen/wrapper.py, torch 2.6 to 2.15.  Knows text only. */
#ifndef DYNAMO_MODEL_WRAPPER_TEXT_H
#define DYNAMO_MODEL_WRAPPER_TEXT_H
#include <stdbool.h>
#include <stddef.h>

/* A part of the text. */
struct piece {
	const char *s;
	size_t n; /* 0: there is none */
};

/* NAME = async_compile.cpp_pybinding(['float*', ...], '''...'''), or triton('NAME', '''...''', ...) */
struct wrapper_kernel {
	struct piece name, whole, source; /* whole: its definition, from its name to the end of its lines */
	const char *language;		  /* "c++", "triton", "python" */
	int line;			  /* of its name */
	bool *written;			  /* by argument: does it write there? */
	int nargs;			  /* -1: not known */
	struct piece nodes;		  /* "sin, cos", as the comment before it says */
};

struct wrapper_statement {
	enum wrapper_kind {
		WRAPPER_NOTHING,  /* frees, checks, or asks for a size */
		WRAPPER_INPUTS,	  /* "a, b = args" */
		WRAPPER_MEMORY,	  /* memory that nothing was computed into yet, or another name of what was */
		WRAPPER_PART,	  /* "a = b[0]", base is b */
		WRAPPER_ITEM,	  /* "u0 = buf0.item()": reads what a kernel wrote */
		WRAPPER_VALUE,	  /* another value */
		WRAPPER_CALL,	  /* a kernel, or an operation of a library */
		WRAPPER_SUBGRAPH, /* calls the function of a sub-graph */
		WRAPPER_RETURN,
	} kind;
	struct piece text;     /* without its indentation */
	struct piece function; /* that it is in: "call", "true_graph_0" */
	struct piece target;   /* the variable that is set */
	struct piece called;   /* "extern_kernels.mm", "cpp_fused_add_0" */
	struct piece base;     /* whose memory the target is, or is a part of: "reinterpret_tensor(b, ...)", "b[0]" */
	struct piece out;      /* of "out=buf0" */
	struct piece in_place; /* the argument that "aten.index_put_(a, ...)" writes */
	struct piece nodes;    /* as for a kernel, of a call of a library */
	const struct wrapper_kernel *kernel; /* that is called, NULL: none of this text */
	struct piece *write;		     /* the variables whose values it makes */
	int nwrites, line;
};

struct wrapper_text {
	struct wrapper_kernel *kernel;
	int nkernels;
	size_t kernels_cap;
	struct wrapper_statement *statement; /* in the order of the text */
	int nstatements;
	size_t statements_cap;
};

/* The text must live as long as the result, the caller's. */
struct wrapper_text *wrapper_text_read(const char *text);
void wrapper_text_free(struct wrapper_text *w); /* may be NULL */
/* The kernel whose name is the first n bytes, or NULL. */
const struct wrapper_kernel *wrapper_text_kernel(const struct wrapper_text *w, const char *name, size_t n);
/* The statement on a line, from 1, or NULL. */
const struct wrapper_statement *wrapper_text_at(const struct wrapper_text *w, int line);
/* The call that computes a buffer, or the last one that writes it where it is an input; NULL: none does. */
const struct wrapper_statement *wrapper_text_maker(const struct wrapper_text *w, const char *buffer);
/* How many statements call this kernel. */
int wrapper_text_calls(const struct wrapper_text *w, const char *kernel);
bool piece_is(struct piece p, const char *text);

#endif
