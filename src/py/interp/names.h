/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads names that CPython keeps in dicts: of module and class bodies, of arguments kept for later, of threads.
   frame.h reads the fast locals of frames. Runs none of the program's code. */
#ifndef CDBG_NAMES_H
#define CDBG_NAMES_H
#include "py/frame/frame.h"

/* The dict in which a module or class body keeps its names: new reference; NULL for functions, which have none. */
struct py_obj *names_of_frame(struct py_frame *f);
/* Calls a function for each entry of a dict whose key is a string, in the order of the dict; both borrowed. Does
   nothing if it is not a dict. */
void names_each(struct py_obj *dict, void (*each)(void *arg, const char *name, struct py_obj *value), void *arg);
/* Names that an expression in this frame finds, builtins last.  A name may come twice. */
void names_visible(struct py_frame *f, void (*each)(void *arg, const char *name, struct py_obj *value), void *arg);
/* The name that the program gave this thread, "" if it has none. */
void names_thread(struct py_thread *t, struct buf *out);

#endif
