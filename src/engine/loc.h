/* SPDX-License-Identifier: BSD-3-Clause */
/* Locations as typed (FILE:LINE, LINE, FUNC, *OFFSET, #INDEX, FUNC*OFFSET, FUNC@REGION, FUNC@python:LINE,
   opcode:NAME, node:NAME) and the instructions they mean.  Knows no breakpoint. */
#ifndef CDBG_LOC_H
#define CDBG_LOC_H
#include "base/err.h"
#include "engine/place.h"
#include "engine/region.h"

struct session;

enum loc_type { LOC_LINE, LOC_FUNC, LOC_OFFSET, LOC_INDEX, LOC_REGION, LOC_PYTHON, LOC_OPCODE, LOC_NODE };

struct loc {
	enum loc_type type;
	char *text;		 /* as typed */
	char *file;		 /* LOC_LINE; NULL: that of the selected frame, filled in when parsed */
	char *func;		 /* LOC_FUNC, _OFFSET, _INDEX, _REGION, _PYTHON: NULL: the frame's own code */
	int line, number;	 /* number: offset, index, or line of the decompiled source */
	enum region_kind region; /* LOC_REGION */
	char *word;		 /* opcode, or pattern of node names */
	struct py_code *code;	 /* owned: the selected frame's code for `*OFFSET` and `#INDEX` */
	struct py_code **codes;	 /* owned, ncodes: values of an expression when it was parsed */
	int ncodes;
	struct py_code **given; /* owned, ngiven: code that the program gave such a function since */
	int ngiven;
};

/* "" and ".": where the selected frame is; +N, -N: lines from there.  An expression is evaluated here, once. */
struct loc *loc_parse(struct session *s, const char *text, struct err *err);
/* Where the code of a function begins. */
struct loc *loc_code(struct session *s, struct py_code *co);
/* The instruction at this offset, in bytes. */
struct loc *loc_instruction(struct session *s, struct code *c, int offset);
bool loc_is_code(const struct loc *l, const struct py_code *co); /* is it such a location? */
/* A text that is not resolved: of a breakpoint in the record of a process that is gone. */
struct loc *loc_recorded(const char *text);
void loc_free(struct loc *l);
/* The program gives a function with the code old, which the location means, the code now. */
void loc_follow(struct loc *l, struct py_code *old, struct py_code *now);
/* Add all instructions that it means now to out; returns how many out has (0: pending), -1 with err if it can never
   be resolved.  Asks plugins for generated code.  Runs none of the program's code, so it may be called whenever code
   appears. */
int loc_resolve(struct session *s, const struct loc *l, struct places *out, struct err *err);
/* Add the instructions at which the code of a graph begins to compute a FILE:LINE of the program, or the next line
   after it with anything to compute.  c: the code of a frame; NULL: the frame is one that Dynamo compiles.  Returns how
   many were added; 0 for other locations and other code. */
int loc_node_lines(struct session *s, const struct loc *l, struct code *c, struct places *out);
/* The text that means the same in another run, where there is no selected frame. */
void loc_script(struct session *s, const struct loc *l, struct buf *out);
/* A FUNC as loc_named() finds it: as it was typed, or FILE:FUNC of what an expression gives in the selected frame.
   -1: err. */
int loc_func_text(struct session *s, const char *func, struct buf *out, struct err *err);
/* "toy.py:3 (toy_example)", "toy.py:4 (toy_example, 0/0) at 192". */
void place_text(struct session *s, const struct place *p, bool offset, struct buf *out);
/* Does a file match the FILE of a location: its name, the end of its path, or the whole path? Of a library more than
   the name must be typed, and nothing that fits a file of the program, also of one that is not imported yet. */
bool loc_file_fits(const char *typed, const char *file);
/*
 * Code objects that a FUNC means (users' files, nested functions and methods too; module.FUNC, FILE:FUNC, resume
 * names, expressions that give a function or a compiled wrapper): calls add for each, original code, not generated.
 */
int loc_functions(struct session *s, const char *func, void (*add)(void *arg, struct py_code *co), void *arg,
		  struct err *err);
/* The same without expressions, for loc_resolve().  Returns how many. */
int loc_named(struct session *s, const char *func, void (*add)(void *arg, struct py_code *co), void *arg);
/* All code of the program's own files: module bodies and the code nested in them. */
void loc_program_code(void (*add)(void *arg, struct py_code *co), void *arg);
/* All code of a file, the program's or a loaded module's, outer before inner.  Returns how many. */
int loc_file_code(struct session *s, const char *file, void (*add)(void *arg, struct py_code *co), void *arg);
/* Is a pending location waiting for the module of this file?  Then loc_keep_body() keeps its body. */
/* Does this body define what the location's FUNC names, a qualified name as in "Class.method"? */
bool loc_defined_in(const struct loc *l, struct py_code *body);
bool loc_waits_for(const struct loc *l, const char *file);
void loc_keep_body(struct py_code *co);
/* Can the body of one more module of the program give the location places? bound: or the object its name is bound
   to. */
bool loc_concerns(struct session *s, const struct loc *l, struct py_code *body, bool bound);
/* Add the instructions of c at which the line begins to run.  A `finally` is compiled more than once, and each copy
   counts; the first line of a loop begins again in each round.  Returns how many were added. */
int loc_line_in(struct code *c, int line, const char *note, struct places *out);
/* Calls add for the line of each instruction of c that can run after the prologue; a line may come more than once. */
void loc_code_lines(struct code *c, void (*add)(void *arg, int line), void *arg);
/* Calls add for each line from that of l, a FILE:LINE or a FUNC@python:LINE, up to `to` at which a breakpoint stops,
   in ascending order; c: code that has it.  -1: err, the file is not loaded yet, or l is another location. */
int loc_lines(struct session *s, const struct loc *l, int to, void (*add)(void *arg, int line, struct code *c),
	      void *arg, struct err *err);
/* Index of the first instruction with an event after the prologue: where a breakpoint on the function stops. */
int loc_entry_index(struct code *c);
/* Is this the body of a class statement?  Its name means the class. */
bool loc_class_body(struct code *c);

#endif
