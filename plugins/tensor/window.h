/* SPDX-License-Identifier: BSD-3-Clause */
/* The elements of a tensor of any size, a part at a time: from memory of this process, without a copy of the rest, or a
   copy of that part from another device. */
#ifndef TENSOR_WINDOW_H
#define TENSOR_WINDOW_H
#include <Python.h>
#include "elements.h"

enum window_state {
	WINDOW_HERE,	/* it can be read */
	WINDOW_DEVICE,	/* on another device: window_copy() */
	WINDOW_NOTHING, /* why says why it has no elements that can be read */
};

struct window {
	struct layout at;
	char dtype[24];
	size_t item; /* bytes of an element */
	bool conjugate, negative;
	long long n;	/* elements */
	PyObject *copy; /* owned: what holds the elements of a copy, or NULL */
};

/* Within tensor_quiet_enter().  why gets the device's name, or why there is nothing. */
enum window_state window_open(PyObject *tensor, struct window *out, struct buf *why);
/* A copy of elements from[i] up to from[i] + count[i] of each dimension, on the CPU; waits for the device. -1: err. */
int window_copy(PyObject *tensor, const long long *from, const long long *count, struct window *out, struct err *err);
void window_close(struct window *w);
/* The bytes of one element, at most 16; false: its memory is gone. */
bool window_element(const struct window *w, const long long *index, unsigned char *out);
/* As text, with the sign that the view gives it. */
void window_put(const struct window *w, const unsigned char *element, struct buf *out);

enum { WINDOW_BINS = 24 };
struct window_numbers {
	long long n, nan, inf, zero; /* elements that were read; of these */
	double min, max, sum;	     /* of finite ones; none: min > max */
	bool real;		     /* else only n, nan, inf and zero have a meaning */
	long long bin[WINDOW_BINS];  /* finite ones between min and max, in equal steps */
};
/* Of all elements, or of the first so many; in two passes, with little memory. */
void window_numbers(const struct window *w, long long most, struct window_numbers *out);
/* "▁▂▅█▃▁": the bins in eight levels, so many neighbours in one; a bin without elements is a space. */
void window_histogram(const struct window_numbers *n, int in_one, struct buf *out);

#endif
