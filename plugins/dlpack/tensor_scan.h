/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the elements of a tensor that DLPack describes.  Knows neither torch nor Python objects. */
#ifndef DLPACK_TENSOR_SCAN_H
#define DLPACK_TENSOR_SCAN_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include "dlpack/dlpack.h"

/* Begins as TENSOR_SUM_NONE. */
struct tensor_sum {
	double min, max, total;
	int64_t times; /* the number of times that each element occurs */
	int64_t imin, imax;
	long long nan, inf;
};

#define TENSOR_SUM_NONE \
	{ \
		.min = INFINITY, .max = -INFINITY, .times = 1, .imin = INT64_MAX, .imax = INT64_MIN \
	}

/* Is it a floating point type of DLPack? */
bool tensor_scan_is_float(uint8_t code);
/* Can elements of its type be read? */
bool tensor_scan_can(const struct dl_tensor *t);
/* Adds up all elements of a tensor on the CPU: false, they are of a type that cannot be read.  Of complex numbers only
   NaN and infinities are counted. */
bool tensor_scan(const struct dl_tensor *t, struct tensor_sum *s);
/* ... of a tensor whose elements are the negatives of these. */
void tensor_sum_negate(struct tensor_sum *s);
/* The same of some elements: at most `room` bytes of the tensor's memory, in pieces that lie evenly in it, are copied
   to `to`, which is aligned as a double, by one system call: memory that is not there gives no signal.  Returns how
   many were read, of each that expand() repeats one; 0: none can be.  *all: these are all of them. */
int64_t tensor_scan_some(const struct dl_tensor *t, void *to, size_t room, struct tensor_sum *s, bool *all);
/* The memory in which the elements are, *from up to but not *to: false, there are none. */
bool tensor_scan_memory(const struct dl_tensor *t, const char **from, const char **to);

#endif
