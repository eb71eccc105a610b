/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of small tensors on the CPU, read from memory: no operator runs, and no other device is used. */
#ifndef CDBG_ELEMENTS_H
#define CDBG_ELEMENTS_H
#include <Python.h>
#include "plugin.h"

/* What is needed of torch; false: this torch lacks it, and no elements are shown. */
bool elements_begin(void);
/* Adds " [1, 2, 3]" for a tensor of this dtype name ("f32") and shape, if it is plain, has at most four elements and is
in memory of this process.  To be called while torch functions are switched off.  Raises nothing. */
void elements_show(PyObject *tensor, const char *dtype, PyObject *shape, struct buf *out);
/* Adds the bytes of all elements of such a tensor of up to 1 MiB that is contiguous.  False: it is another one.  The
   same holds. */
bool elements_bytes(PyObject *tensor, const char *dtype, PyObject *shape, struct buf *out);

enum { LAYOUT_DIMS = 64 };

/* Where the elements of a tensor are. */
struct layout {
	int ndim, n; /* n: elements, for elements_show() only */
	long long size[LAYOUT_DIMS], stride[LAYOUT_DIMS];
	unsigned long long at; /* the first one */
};

/* Of a tensor of any class whose elements are in memory of this process, with `item` bytes each; conjugate, negative:
   they are to be read so.  False: they are elsewhere, or what they are is not known.  The same holds. */
bool elements_layout(PyObject *tensor, PyObject *shape, size_t item, struct layout *out, bool *conjugate,
		     bool *negative);
/* Reads n bytes; false: that memory is not there. */
bool elements_read(unsigned long long at, void *to, size_t n);

#endif
