/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes frames: chain, position, locals, and those slots of the value stack that are valid. Knows no stop
   and no step. */
#ifndef CDBG_FRAME_H
#define CDBG_FRAME_H
#include "py/code/code.h"

/* The innermost frame of this thread / of another; the one that called f.  New references, NULL at the end.
   Makes frame objects with the garbage collector off, so no code of the program runs. */
struct py_frame *frame_top(void);
struct py_frame *frame_top_of(struct py_thread *t);
struct py_frame *frame_back(struct py_frame *f);
/* The record of its code (the frame keeps it alive). */
struct code *frame_code(struct py_frame *f);
/* Index of the instruction that runs or is about to; -1 before the first. */
int frame_index(struct py_frame *f);
int frame_line(struct py_frame *f);

/* The innermost frames of a traceback, beginning with their outermost: new references, at most max. Returns the
   number of all its frames. */
struct trace_entry {
	struct py_frame *frame;
	int index, line;
};
int frame_traceback(struct py_obj *tb, struct trace_entry *out, int max);
/* A number for the code and instruction where it began, which distinguishes one exception from another. */
uintptr_t frame_traceback_origin(struct py_obj *tb);

enum slot_kind { SLOT_OBJECT, SLOT_NULL, SLOT_INT, SLOT_UNKNOWN };
struct stack_slot {
	enum slot_kind kind;
	struct py_obj *value; /* borrowed, SLOT_OBJECT only */
	long number;	      /* SLOT_INT only */
};
/*
 * How many slots of the value stack can be shown.  at_event: f is stopped at an instruction event, so all of them are
 * valid; otherwise it is suspended in a call, and only the slots below the operands can be trusted (the saved depth if
 * there is one, else the static depth less the operands).  -1: unknown.
 */
int frame_depth(struct py_frame *f, bool at_event);
void frame_slot(struct py_frame *f, int slot, struct stack_slot *out);
/*
 * Add what the instruction that f is stopped before pushes, lowest first, "NULL, f32[10] cpu", as far as that is known
 * without running it: constants, variables, items of lists, tuples and dicts.  False: unknown, nothing is added.
 */
bool frame_pushes(struct py_frame *f, struct code *c, int index, bool at_event, struct buf *out);
/* The value that f, stopped before a return or yield instruction, is about to return or yield: borrowed, NULL when
   unknown. */
struct py_obj *frame_return_value(struct py_frame *f, struct code *c, int index);
/* Refuses, with the reason, what would corrupt the interpreter: to replace NULLs, iterators of running loops, ... */
int frame_set_slot(struct py_frame *f, int slot, struct py_obj *value, struct err *err);

/* Local i (see code_local_name): borrowed, cells followed, NULL when unbound. */
struct py_obj *frame_local(struct py_frame *f, int i);
int frame_set_local(struct py_frame *f, const char *name, struct py_obj *value, struct err *err);
/* A new dict of the bound locals, cells and free variables; borrowed globals. */
struct py_obj *frame_locals_dict(struct py_frame *f);
struct py_obj *frame_globals(struct py_frame *f);
/* A new dict of variables that the frame does not have as locals, but keeps in a list in a list on its value stack:
   names has the names of the list's first values, "y,,z" (the second has none), after a ';' for each list before it in
   the outer one; after a '.', the list may also be in a slot itself, with these values alone: in the last slot that
   fits, after ".." in the first.  Or in a list that a local variable holds: "LOCAL=y,,z"; there are none once all its
   values are None.  NULL: no such list. */
struct py_obj *frame_stack_locals(struct py_frame *f, bool at_event, const char *names);
/* Writes one of these variables, in its list.  false: there is none of that name, or a local that is bound hides it. */
bool frame_set_stack_local(struct py_frame *f, bool at_event, const char *names, const char *name,
			   struct py_obj *value);

#endif
