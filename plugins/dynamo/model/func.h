/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that Dynamo traced or may trace.  Code objects are held weakly, so that the program's own lifetimes stay as
   they are.  Knows no entry. */
#ifndef DYNAMO_MODEL_FUNC_H
#define DYNAMO_MODEL_FUNC_H
#include "torch/cdbg_host.h"

struct entry;

enum { LAST_CALLS = 16 };

/* The results of its compiles.  Written while Dynamo works. */
struct func_seen {
	bool wrapped;		    /* torch.compile was called with it */
	bool looked;		    /* Dynamo has looked at it */
	int compiles, skips, fails; /* fails: its caller got an exception instead */
	int compiling;		    /* threads that compile it now */
	bool gave_up;		    /* a compile failed because something could not be traced */
	char *reason;		    /* of the last skip or failure, or NULL */
};

/* What served its calls. */
struct func_calls {
	struct entry *call[LAST_CALLS]; /* the last ones, in a ring: see model_called() */
	unsigned ncalls;		/* how many that were */
	struct entry **order;		/* ev_guard_fail.c: its norder entries as they were tried last */
	int norder;
};

/* A code object that Dynamo traced or may trace: a function of the program, or a resume function. */
struct func {
	struct func *next;  /* of all, newest first */
	struct func *chain; /* of those with the same hash */
	PyCodeObject *co;   /* borrowed: weak tells when it dies; then NULL */
	PyObject *weak;
	char *name, *file; /* co_name, co_filename */
	char *qualname;	   /* with its class, without the functions around it: "Net.forward" */
	char *wraps;	   /* of a decorator's wrapper: what it wrapped when last compiled, or NULL */
	bool wraps_many;   /* ... and it was compiled for several functions: one code object */
	int line;
	struct func *root; /* of a resume function: the user's function; else NULL */
	int resume_line;   /* of a resume function: where it continues; 0: unknown */
	char *resumed;	   /* ... and its name for people, once both are known */
	char *module;	   /* its globals are this module's, or NULL */
	struct func_seen seen;
	struct func_calls calls;
};

extern struct func *model_funcs;
struct func *model_func(PyCodeObject *co, bool make);
void model_module(struct func *f, PyObject *globals);
/* Records it as a resume function if Dynamo knows it as one, though cdbg did not see it made. */
void model_resume_known(struct func *f);
struct func *model_root(struct func *f); /* itself if it is not a resume function */
void funcs_release(void);

/* Code objects as keys of tables: by address, never hashed, with a weak reference that reports when they are freed. */
enum { CODE_SLOTS = 1024 };

unsigned code_slot(const void *p);
/* A weak reference to a code object that calls `gone` with the record when the code dies, before its address can be
   used again.  NULL: the code cannot be watched. */
PyObject *code_weak(PyCodeObject *co, PyMethodDef *gone, void *record);

#endif
