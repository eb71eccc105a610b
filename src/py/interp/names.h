/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that CPython keeps in dicts: of module and class bodies, of arguments kept for later, of threads.  Knows no
   frame's fast locals: frame.h has those.  Reads only: runs none of the program's code. */
#ifndef CDBG_NAMES_H
#define CDBG_NAMES_H
#include "py/frame/frame.h"

/* The dict in which a module or class body keeps its names: new reference; NULL for functions, which have none. */
struct py_obj *names_of_frame(struct py_frame *f);
/* Each entry of a dict that has a string as its key, in the dict's order; both borrowed.  No dict: nothing. */
void names_each(struct py_obj *dict, void (*each)(void *arg, const char *name, struct py_obj *value), void *arg);
/* Names that an expression in this frame finds, builtins last.  A name may come twice. */
void names_visible(struct py_frame *f, void (*each)(void *arg, const char *name, struct py_obj *value), void *arg);
/* What the program calls this thread, "" when it has no name. */
void names_thread(struct py_thread *t, struct buf *out);

#endif
