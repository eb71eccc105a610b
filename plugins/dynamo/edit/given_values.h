/* SPDX-License-Identifier: BSD-3-Clause */
/* NAME=EXPR NAME=EXPR ..., evaluated in the selected frame. */
#ifndef DYNAMO_EDIT_GIVEN_VALUES_H
#define DYNAMO_EDIT_GIVEN_VALUES_H
#include "torch/cdbg_host.h"

/* "NAME=EXPR NAME=EXPR ...", evaluated in the selected frame, into a dict. */
int entry_given(const char *args, PyObject *values, struct err *err);
/* Past the word "with" that may be at the beginning. */
const char *entry_given_begin(const char *args);
/* The next name that entry_given() would take, owned by the caller; NULL: there is none.
   *args moves past its value. */
char *entry_given_name(const char **args);

#endif
