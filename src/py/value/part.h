/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes parts of large values, so that a repr that will be cut is not computed completely.  For repr.c; takes
   PyObjects. */
#ifndef CDBG_PART_H
#define CDBG_PART_H
#include <Python.h>
#include <stdbool.h>

/*
 * A value whose repr begins as that of v and has at least `keep` characters, or v itself where its repr is shorter,
 * where the type is not known here, or where it abbreviates itself.  *cut: it is a part.  A new reference, NULL with
 * an exception.  Runs no code of the program; of numpy's and torch's it reads shapes and takes slices.
 */
PyObject *part_of(PyObject *v, size_t keep, bool *cut);

#endif
