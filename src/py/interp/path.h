/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a file belongs to the program, to a library or to cdbg, and knows the current directory. Knows paths
   only. */
#ifndef CDBG_PATH_H
#define CDBG_PATH_H
#include "py/code/code.h"

/* KIND_USER, KIND_LIBRARY or KIND_SELF, by the co_filename of a code object.  Reads sys once. */
enum kind path_kind(const char *file);
/* Declares a file to be part of the program, wherever it is: the script, or a module run by -m. */
void path_add_user(const char *file);
/* Declares the files of this package to be a library, wherever it is or will be imported from. */
void path_add_package(const char *name);
/* The path relative to the current directory, which is asked for once after each path_moved(): a part of path, or path
   itself if the file is not below that directory.  Any thread may call both. */
const char *path_from_here(const char *path);
void path_moved(void); /* the current directory may be another one now */
/* Is this file in a folder that libraries are imported from, so that its name alone says which it is? */
bool path_top_level(const char *file);
/* The real path of a file of the program that sys.path leads to, by its path below one of the folders: in found, of
   PATH_MAX bytes, which may be NULL. */
bool path_importable(const char *name, char *found);
/* True if both paths name the same existing file, possibly through links or other folders. */
bool path_same(const char *a, const char *b);

#endif
