/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions as people write them: with the class, and for a decorator's wrapper the name of the wrapped
   function.  Runs none of the program's code; knows no view. */
#ifndef DYNAMO_MODEL_QUALNAME_H
#define DYNAMO_MODEL_QUALNAME_H
#include "torch/cdbg_host.h"

struct compiling;
struct entry;
struct func;

/* "Net.forward": without the functions around it; the code's own, or "?". */
const char *qualname_plain(PyCodeObject *co);
/* Does a typed name fit a __qualname__: its last parts, functions around it named or not? */
bool qualname_fits(const char *typed, const char *qualname);
/* A compile begins with these locals and this closure: what its function wraps is noted. */
void qualname_note(struct compiling *c, PyObject *locals, PyObject *closure);
/* What the entry's function wrapped when it was compiled, or NULL; its title names that. */
void qualname_set(struct entry *e, const char *wraps);
/* Names for people; machines get co_name.  Of a resume function: "Net.forward (resumed at line 12)". */
const char *qualname_func(struct func *f);
const char *qualname_entry(const struct entry *e);
const char *qualname_compiling(const struct compiling *c);

#endif
