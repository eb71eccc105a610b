/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that the code of a frame does not have though the function that it was made from has them. */
#ifndef CDBG_MISSING_H
#define CDBG_MISSING_H
struct code;
struct err;
struct session;

/* err tells of a NameError in a frame of this code: say so where the name is a variable of the user's function. */
void missing_explain(struct session *s, struct code *c, struct err *err);

#endif
