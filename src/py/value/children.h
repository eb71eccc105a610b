/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in a value: items, attributes, slots.  Runs no code of the program: what a class computes (a property, an
   item of a class with __getitem__) is not among them. */
#ifndef CDBG_CHILDREN_H
#define CDBG_CHILDREN_H
#include "base/buf.h"
#include "py/value/child.h"

/* Asks for values of a library: its children, as plug_ops.children(). */
typedef int child_ask(void *arg, struct py_obj *v, struct child_sink *sink);

/* Passes the children of v that the sink asks for to sink->add: items, what ask adds, attributes.  Raises nothing; the
   garbage collector waits meanwhile. */
void children_of(struct py_obj *v, child_ask *ask, void *arg, struct child_sink *sink);
/* Can it have any?  An object whose class gives it a dict can, whether it has attributes or not: to look would make
   the dict. */
bool children_possible(struct py_obj *v, child_ask *ask, void *arg);
/* The number of items of a list, tuple, deque, dict or set, which are its first children; -1: another value. */
long long children_items(struct py_obj *v);
bool children_numbered(struct py_obj *v); /* is its N-th child the item [N]? */

/* The names of properties of its class, each once, but those with an underscore.  Reading one runs the program's
   code. */
void children_properties(struct py_obj *v, void (*each)(void *arg, const char *name), void *arg);

/* Is it, as an attribute of a class, one whose value for an object the class computes?  before_own: even where the
   object's own dict has the name. */
bool children_computed(struct py_obj *of_class, bool before_own);

/* How a row of a tree shows a value: by one of the names, separated by spaces, that children_formats() gives.  false:
   the value has no such form, or showing it raised.  "repr" and "str" run the program's code, the others none. */
const char *children_formats(struct py_obj *v);
bool children_show(struct py_obj *v, const char *format, struct buf *out, size_t max);

#endif
