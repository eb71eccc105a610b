/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two halves of the test module share. */
#ifndef PYPROBE_H
#define PYPROBE_H
struct err;
struct code;

extern PyMethodDef pyprobe_frame_methods[];
PyObject *pyprobe_refuse(const struct err *err); /* a RuntimeError with the text; NULL */
struct code *pyprobe_code(PyObject *o);		 /* NULL: a TypeError */

#endif
