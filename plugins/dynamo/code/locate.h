/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the instructions of generated code at which a breakpoint on a line or function of the program must stop,
   and the code of compiled wrappers and of names of resume functions.  Knows no breakpoint. */
#ifndef DYNAMO_CODE_LOCATE_H
#define DYNAMO_CODE_LOCATE_H
#include "torch/cdbg_host.h"

struct entry;
struct func;

int locate_line(const char *file, int line, struct places *out);
int locate_function(struct py_code *original, struct places *out);
int locate_first(struct code *c); /* index of the first instruction with an event after RESUME */
int locate_inlined(struct py_code *original, struct places *out);
int locate_inside(struct py_code *original);
int locate_unwrap(struct py_obj *v, void (*add)(void *arg, struct py_code *co), void *arg);
int locate_pieces(struct py_code *original, void (*add)(void *arg, struct py_code *co), void *arg);
int locate_by_name(const char *name, void (*add)(void *arg, struct py_code *co), void *arg);
/* Is this function inlined in what the entry's graphs hold, or in what broke its graph? */
bool locate_inlines(struct entry *e, struct py_code *original);
/* A resume function, and the global that generated code calls it by. */
bool locate_known_as(const struct func *f, const char *global);
void locate_wrapped(PyObject *wrapper); /* torch.compile made it: its function's code is compiled from now on */

#endif
