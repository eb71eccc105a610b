/* SPDX-License-Identifier: BSD-3-Clause */
/* The object of a name, and the code objects of a value: loaded modules, functions, classes and wrappers. Runs none of
   the program's code. */
#ifndef CDBG_LOOKUP_H
#define CDBG_LOOKUP_H
#include "py/py.h"

typedef void lookup_add(void *arg, struct py_code *co);

/* Code objects behind a value (function, method, property, partial, decorated function down to what it wraps, class:
   its own methods, callable object, generator, code): calls add for each.  Returns how many. */
int lookup_code(struct py_obj *v, lookup_add *add, void *arg);
/* The value of a dotted name that begins with a loaded module: a new reference, or NULL.  *module: the name begins with
   one, even if the rest is not found. */
struct py_obj *lookup_dotted(const char *name, bool *module);
/* Do objects of this class store this attribute in another way than in their dictionary: by a __setattr__() of its own,
   or by a property, a slot or their like?  The class is a dotted name, as the module with this __file__ has it, or one
   that begins with a module.  false: no, or it is not found.  *by: the name of that
   __setattr__() with its module, if it is in Python; the caller's, or NULL. */
bool lookup_stores(const char *file, const char *cls, const char *attribute, char **by);
/* The value of one name of v in its own dict or in those of its type: a new reference, or NULL. */
struct py_obj *lookup_member(struct py_obj *v, const char *name);
/* What the class of v has for a name (of a class: its metaclass), borrowed; NULL: nothing. */
struct py_obj *lookup_class_attribute(struct py_obj *v, const char *name);
/* Each name of v's own dict, then of its type and the bases of that; both borrowed.  A name may come twice. */
void lookup_members(struct py_obj *v, void (*each)(void *arg, const char *name, struct py_obj *value), void *arg);
/* The code of a function with this __qualname__ that wraps no other: borrowed from it; NULL: v is not such a
   function. */
struct py_code *lookup_function_code(struct py_obj *v, const char *qualname);
/* The function at the bottom of methods, of what keeps the original in __wrapped__, as functools.wraps() does, and of
   modules of layers, whose forward() it is: a new reference; NULL: there is none. */
struct py_obj *lookup_innermost(struct py_obj *v);
/* "Class.method": of each loaded module that defines such a class.  Returns how many. */
int lookup_method(const char *name, lookup_add *add, void *arg);
/* Functions and methods of the loaded modules whose __file__ fits.  Returns how many. */
int lookup_files(bool (*fits)(void *arg, const char *file), lookup_add *add, void *arg);
/* 1 equal, 0 different, -1 when they are not both plain values (None, numbers, text) of one type. */
int lookup_plain_equal(struct py_obj *a, struct py_obj *b);

#endif
