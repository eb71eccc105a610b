/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of the user's function that code generated from it does not have. */
#ifndef CDBG_MISSING_VARIABLE_H
#define CDBG_MISSING_VARIABLE_H
struct code;
struct err;
struct session;

/* If err reports a NameError in a frame of this code, and the name is a variable of the user's function: say that. */
void missing_explain(struct session *s, struct code *c, struct err *err);

#endif
