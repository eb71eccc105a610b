/* SPDX-License-Identifier: BSD-3-Clause */
/* Values reached by names, attributes and items, without running any of the program's code.  Knows no command and no
   view. */
#ifndef CDBG_VARIABLE_H
#define CDBG_VARIABLE_H
#include <stdbool.h>
#include <stddef.h>

struct child_sink;
struct err;
struct frame;
struct py_obj;
struct session;

/* What is in a value: see children.h.  Plugins are asked, too. */
void variable_children(struct session *s, struct py_obj *v, struct child_sink *sink);
bool variable_has_children(struct session *s, struct py_obj *v);
/* The value of "a.b[0]['key']" in the selected frame, n bytes of text: a new reference, or NULL with err, where
   it is not found, or only the program's code knows it. */
struct py_obj *variable_find(struct session *s, const char *path, size_t n, struct err *err);
/* Each name of the frame's variables, globals and builtins; both borrowed.  A name may come twice. */
void variable_names(const struct frame *f, void (*each)(void *arg, const char *name, struct py_obj *value), void *arg);
/* Where the expression at the end of a text begins: NAME, NAME.NAME, NAME[0].NA, NAME['k.  The end itself: there is
   none. */
const char *variable_start(const char *text);

#endif
