/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the program as text: short summaries that run none of its code, and reprs, bounded and guarded. */
#ifndef CDBG_VALUE_H
#define CDBG_VALUE_H
#include "py/py.h"
#include "py/value/format.h"

void value_add_format(struct value_format *f);
void value_drop_format(struct value_format *f);

/* Summary of at most `max` bytes ("f32[10] cpu", "[1, 2, 3]", "<Foo at 0x...>"); runs no code of the program. */
void value_show(struct py_obj *v, struct buf *out, size_t max);
/* The same with what a value holds where that is read without cost ("f32[3] cpu [1, 2, 3]"): for people who look at it
   now, not for texts that are kept. */
void value_show_data(struct py_obj *v, struct buf *out, size_t max);
const char *value_type(struct py_obj *v); /* tp_name's last part, or from visible() */
/* show: writes a value whose own repr would end the program, and returns true; false, and nothing in out: another
   value.  Asked instead of repr from then on; out may be NULL.  Runs no code of the program. */
void value_add_unreadable(bool (*show)(struct py_obj *v, struct buf *out));
bool value_unreadable(struct py_obj *v, struct buf *out);
/*
 * repr(v) as the program defines it, at most max bytes of it; *cut is set if there was more.  Runs the program's
 * code; an exception in it is an error.  Containers longer than the bound are not walked whole.
 */
int value_repr(struct py_obj *v, struct buf *out, size_t max, bool *cut, struct err *err);
/* The same by pprint.pformat(), over several lines; max bounds what is shown, not what is walked. */
int value_pretty(struct py_obj *v, struct buf *out, size_t max, bool *cut, struct err *err);
/* str(v), for messages of exceptions; as value_repr. */
int value_str(struct py_obj *v, struct buf *out, size_t max, struct err *err);

/*
 * At most max bytes of a str; true: that was the whole text.  NUL becomes \x00 and a lone surrogate \udc80, other
 * characters stay.  Anything but a str gives "?".  Raises nothing.
 */
bool value_text(struct py_obj *text, struct buf *out, size_t max);
/* A name in one line, with nothing that controls a terminal; alive as long as the str itself, or forever. */
const char *value_name(struct py_obj *name);

/* Attribute by name: a new reference, or NULL with no exception set.  Runs the program's code where it has any. */
struct py_obj *value_attr(struct py_obj *v, const char *name);
/* The dict of a class, a module or an object itself, borrowed; NULL: it has none, which for a function is not made now.
   Runs no code, neither a descriptor nor a __getattr__. */
struct py_obj *value_own_dict(struct py_obj *v);
/* A name of a class or of its bases as it is in their dicts, borrowed; or NULL. */
struct py_obj *value_of_class(struct py_obj *type, const char *name);
/* Is this type, or one of its bases, called NAME or MODULE.NAME?  Runs no code. */
bool value_type_named(struct py_obj *type, const char *name);

/* Describe the pending Python exception in err and clear it: "TypeError: ...".  Returns -1. */
int err_from_python(struct err *err, const char *what);

#endif
