/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program asks cdbg about itself. */
#ifndef CDBG_ASK_H
#define CDBG_ASK_H
#include "py/py.h"

struct err;
struct session;

/* Run a read-only command, about the code of a value or without one (NULL), and return a tuple of its text and its
   rows (a list of dictionaries, or None).  A new reference; NULL with err. */
struct py_obj *ask(struct session *s, const char *line, struct py_obj *about, struct err *err);

#endif
