/* SPDX-License-Identifier: BSD-3-Clause */
/* What py3NN.c implements besides py.h for the report of a crash: the interpreter's structures read in a signal
   handler, in any thread, without the GIL.  They may be damaged, or change meanwhile: all is copied from memory that is
   tested first, and nothing is followed here.  Addresses are numbers; 0: none, or it cannot be read. */
#ifndef CDBG_RAW_H
#define CDBG_RAW_H
#include <stdbool.h>
#include <stdint.h>

struct raw_thread {
	uintptr_t next;	      /* the thread state after it */
	uintptr_t frame;      /* the innermost */
	unsigned long ident;  /* as pthread_self() */
	unsigned long native; /* as gettid() */
};

struct raw_frame {
	uintptr_t previous;
	uintptr_t code;	 /* its code object, unless it is not a function of Python */
	uintptr_t instr; /* the instruction that runs, or a cache of it */
	uintptr_t slots; /* its variables, and above them its value stack: a word each */
	int saved;	 /* how many of these words are in use; -1: the interpreter has not saved that */
	bool python;	 /* false: a frame that the interpreter keeps on the C stack */
};

uintptr_t py_raw_interpreter(uintptr_t after); /* after 0: the first */
uintptr_t py_raw_threads(uintptr_t interpreter);
uintptr_t py_raw_holder(void); /* the thread state that has the GIL of the main interpreter, or had it last */
bool py_raw_thread(uintptr_t thread, struct raw_thread *out);
bool py_raw_frame(uintptr_t frame, struct raw_frame *out);
/* The object of such a word; *number: it is a number that is no object, and 0 is returned. */
uintptr_t py_raw_object(uintptr_t word, bool *number);
/* The opcode of code unit `unit`, which is now op, without its specialised form; it may be an instrumented one. */
int py_raw_op(uintptr_t code, int unit, int op);
/* The data under an index of _PyEval_RequestCodeExtraIndex() of a code object. */
uintptr_t py_raw_extra(uintptr_t code, long index);

#endif
