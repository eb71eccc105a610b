/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of the user's function that code generated from it does not have, and those of a graph that are not
   computed yet, or freed. */
#ifndef CDBG_MISSING_VARIABLE_H
#define CDBG_MISSING_VARIABLE_H
struct code;
struct err;
struct frame;
struct session;

/* If err reports a NameError in a frame of this code, and the name is a variable of the user's function: say that.
   In a graph say when a variable has a value. */
void missing_variable_explain(struct session *s, struct code *c, struct err *err);
/* The value of this expression in the frame is None: note it if it is a variable that a graph has freed. */
void missing_variable_note_freed(struct session *s, const struct frame *f, const char *expr);

#endif
