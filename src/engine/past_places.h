/* SPDX-License-Identifier: BSD-3-Clause */
/* Breakpoints and watchpoints in the record of a process that is gone: their places are instructions that the record
   has.  No code object is needed.  Knows no command. */
#ifndef CDBG_PAST_PLACES_H
#define CDBG_PAST_PLACES_H
#include <stdbool.h>
#include <stdint.h>

struct bp;
struct buf;
struct err;
struct session;

/* A breakpoint at a FILE:LINE, a LINE of the selected frame's file, a FUNC (also FILE:FUNC, ENTRY), or a node:NAME.
   where: added to, for people.  NULL: err, the record has no such instruction, or cannot answer. */
struct bp *past_places_break(struct session *s, const char *text, struct buf *where, struct err *err);
/* A watchpoint on a variable or a slot, "$N", of the selected frame.  NULL: err. */
struct bp *past_places_watch(struct session *s, const char *name, struct err *err);
/* 0: a record can tell of a catchpoint of this kind; -1: err says which it can. */
int past_places_may_catch(const char *kind, const char *words, struct err *err);
/* Is there a place of the breakpoint on this line of the file, as the record names it? */
bool past_places_on_line(const struct bp *b, const char *file, int line);
/* Is this instruction, of the code of that number, a place of the breakpoint? */
bool past_places_has(const struct bp *b, uint32_t code, uint32_t instr);

#endif
