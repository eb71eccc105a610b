/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program asks cdbg about itself. */
#ifndef CDBG_ASK_H
#define CDBG_ASK_H
#include "py/py.h"

struct err;
struct session;

/* What a command that only looks answers, about this value's code where there is one (NULL: none): a tuple of its text
   and its rows (dictionaries in a list; None where it has no rows).  A new reference, NULL with err. */
struct py_obj *ask(struct session *s, const char *line, struct py_obj *about, struct err *err);

#endif
