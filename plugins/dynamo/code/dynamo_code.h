/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder offer to each other and to other folders, file by file. */
#ifndef DYNAMO_CODE_H
#define DYNAMO_CODE_H
#include "torch/cdbg_host.h"

struct compiling;
struct entry;
struct func;
struct graph_lines;
struct resume;
struct source_line;

/* ---- call_text.c: describes stretches of generated code in terms of the user's code: what a graph is called with,
   what a resume function gets.  Knows no region. */
/* The text of a call whose callable is loaded at index `at` and called at `call`: "__compiled_fn_1(a, b)". */
char *call_text_of(struct code *c, int at, int call, const char *name);
char *call_text_resume(const struct resume *r); /* "__resume_at_92_2(x, b)" */
char *call_text_live(const struct func *f);	/* "x, b" */

/* ---- caller.c: finds the line that called the function being compiled, also in generated code, by its regions. */
/* Where the function being compiled was called, also outside of torch; NULL: not known. */
const struct source_line *caller_spot(struct compiling *c);

/* ---- decompile_hints.c: what the decompiler cannot know of generated code: which globals never change, and which
   instructions only call profiler hooks.  Knows nothing of statements. */
int hints_steady(struct code *c, const char *name);
const char *hints_boilerplate(struct code *c, int index);
int hints_name_length(const char *name);
const char *hints_reads_as(const char *name);

/* ---- evaluated_lines.c: which lines and which inlined functions Dynamo evaluated when it compiled an entry: as
   recorded then, or, for an entry that is older than cdbg, according to its code. */
/* Did Dynamo go over this line when it made the entry?  *inlined: the inlined function that it is in, or NULL. */
bool evaluated_line(const struct entry *e, const char *file, int line, const char **inlined);
/* Did it inline the function of this code? */
bool evaluated_inlined(const struct entry *e, PyCodeObject *co);

/* ---- graph_code.c: the Python that compiled graphs are made of, line by line: FX's forward and inductor's call.
   Knows no entry. */
/* Fill in the lines of a graph's code, which is decoded. */
void graph_code_read(struct code *c, struct graph_lines *l);

/* ---- regions.c: finds the regions of generated code, that is, what each stretch of it is for, in the code itself,
   so that code from before cdbg was loaded, and code that a user's hook changed, is read the same way.  Knows no
   stop. */
int regions_of(struct entry *e, const struct region **out); /* how many; computed once */
/* The first region of this kind; NULL: none. */
const struct region *regions_first(struct entry *e, enum region_kind kind);
const struct region *regions_at(struct entry *e, int index);

/* ---- select.c: the frame that is selected at a stop, with the references that the host gives. */
/* Each may be NULL: a frame that is being compiled has no Python frame, one of C has no code.  index: -1 if unknown. */
struct selected_frame {
	struct py_frame *frame; /* owned */
	struct code *code;	/* its code object's reference is owned */
	int index;
};

/* -1 with err (which may be NULL): the program is not stopped.  selected_frame_release() is needed, and harmless, then,
   too. */
int selected_frame_get(struct selected_frame *s, struct err *err);
void selected_frame_release(struct selected_frame *s);

/* ---- source_text.c: sources of values as a person writes them:
   "L['self']._modules['layer']._modules['0']._parameters['weight']" is self.layer[0].weight.  Knows text only. */
/* Each source in a text as a person writes it: "self.layer[0].weight"; the rest of the text as it is. */
void source_text_people(const char *text, struct buf *out);
/* The long guard on how a tensor's dimensions are marked (mark_dynamic() and its like), in a few words; false: it is
   another guard. */
bool source_text_marks(const char *text, struct buf *out);
/* A guard's text or what it expects, for people, cut at the end; and a source alone, cut in the middle. */
void source_text_shown(const char *text, size_t columns, struct buf *out);
void source_text_name(const char *source, size_t columns, struct buf *out);

/* ---- stack_local_names.c: variables that generated code keeps in a list on its value stack for a resume function,
   or was given in one.  Knows no frame. */
/* If this instruction broke the graph: the names of the list's items, "y,,n" (the second has none), after a ';' for
   each inlined frame, which has a list of its own before it.  Else of the list that the function was given, after the
   name of the argument and a '='.  NULL: there is no list.  The text stays. */
const char *stack_local_names(struct entry *e, struct code *c, int index);

/* ---- traced_copy.c: dynamo traces a copy of a function's instructions, some of them taken apart, and names resume
   functions by offsets in that copy: where those are in the function itself.  Knows no entry. */
/* Where the resume function of that global continues in the function that was traced, which may be NULL; -1:
   unknown. */
int traced_copy_resume(PyCodeObject *co, const char *global);

/* ---- wrapper_rows.c: what inductor's code reads and writes, as rows for the package. */
/* The function wrapper_text(source) of all modules of the package: {"kernels": {name: {"source", "written"}},
   "statements": [{"line", "function", "called", "kernel", "part", "writes", "reads", "in_place", "view"}]}. */
extern PyMethodDef wrapper_rows_def;

#endif
