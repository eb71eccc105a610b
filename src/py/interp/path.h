/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose files are whose: the program's, Python's libraries, cdbg's own.  Knows paths only. */
#ifndef CDBG_PATH_H
#define CDBG_PATH_H
#include "py/code/code.h"

/* KIND_USER, KIND_LIBRARY or KIND_SELF, by the co_filename of a code object.  Reads sysconfig once. */
enum kind path_kind(const char *file);
/* This file is the program's, wherever it is: the script, a module run by -m. */
void path_add_user(const char *file);
/* The files of this package are a library's, wherever it is imported from: now, or when it will be. */
void path_add_package(const char *name);
/* Both name one file that is there, links and folders aside. */
bool path_same(const char *a, const char *b);

#endif
