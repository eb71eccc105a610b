/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects decoded once: instructions as dis lists them, lines, jumps, exception table, stack depth, and the
   table of flags that the hooks read.  Knows neither Dynamo nor breakpoints; never hashes or reprs a constant. */
#ifndef CDBG_CODE_H
#define CDBG_CODE_H
#include "py/code/code_record.h"
#include "py/py.h"

const char *kind_name(enum kind k); /* as in the machine interface */

/* The record, created if there is none; never NULL. Cheap: decodes nothing. */
struct code *code_get(struct py_code *co);
/* The record if there is one, else NULL. Hot paths call this function. */
struct code *code_peek(struct py_code *co);
/* Decodes at the first call; later calls only compare.  Never fails: what cannot be analysed has depth -1, depth_ok
   false. */
void code_decode(struct code *c);
/* The record holds a copy of a code object, with its units and a room: decodes its generic bytecode, 2 * units bytes.
   Async-signal-safe.  false: the room has less than code_room_needed() bytes. */
bool code_decode_copy(struct code *c, const unsigned char *bytes);
void *code_room_take(struct code_room *room, size_t n); /* aligned; NULL: it has less */
/* Takes the notes, which free() frees, in place of those before. */
void code_set_notes(struct code *c, struct code_notes *notes);
/* Where CPython keeps records in code objects, see py_raw_extra(); -1: it has none yet. */
long code_record_index(void);
/* Called with the record when its code object dies; a few such functions, each once. */
void code_on_free(void (*gone)(struct code *c));

/* Index of the instruction that holds this byte offset, or -1. */
int code_index(struct code *c, int offset);
/* Index of the instruction at which the interpreter emits the event for `index` (a prefix, the entry), see
   INSTR_NO_EVENT. */
int code_event_index(struct code *c, int index);

/* Borrowed text, alive as long as the code object. */
const char *code_name(const struct code *c); /* co_name */
const char *code_qualname(const struct code *c);
const char *code_file(const struct code *c);		      /* co_filename */
bool code_file_is(const struct code *c, struct py_obj *text); /* co_filename, compared as Python does */
int code_first_line(const struct code *c);
int code_nlocals(const struct code *c); /* locals, cells and free variables */
int code_nargs(const struct code *c);	/* the first of them: arguments, '*args' and '**kwargs' too */
const char *code_local_name(const struct code *c, int i);
enum local_kind code_local_kind(const struct code *c, int i);
bool code_is_generator(const struct code *c); /* coroutines and async generators too */
bool code_is_class(const struct code *c);     /* the body of a class */
bool code_is_coroutine(const struct code *c); /* async ones alone */
/* True if the only reference to this code object, and to those nested in it, is that of the caller. */
bool code_unused(struct py_code *co);
/* Code objects among the constants, in order: borrowed, NULL past the last. */
struct py_code *code_nested(const struct code *c, int i);

/* The argument as dis prints it (names, constants by value_show, jump targets "to 396"); nothing if it has no
   argument. */
void code_arg_text(struct code *c, int index, struct buf *out);
/* A constant or name of an instruction as an object: borrowed, NULL when it has none. */
struct py_obj *code_arg_object(struct code *c, int index);

#endif
