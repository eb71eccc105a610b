/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the elements of a tensor that DLPack describes.  Knows neither torch nor Python objects. */
#ifndef DYNAMO_TORCH_TENSOR_SCAN_H
#define DYNAMO_TORCH_TENSOR_SCAN_H
#include <stdbool.h>
#include <stdint.h>

/* As in dlpack.h, version 0: the capsule is named "dltensor". */
struct dl_tensor {
	void *data;
	struct {
		int32_t type, id;
	} device;
	int32_t ndim;
	struct {
		uint8_t code, bits;
		uint16_t lanes;
	} dtype;
	int64_t *shape, *strides; /* in elements; strides may be NULL: contiguous */
	uint64_t offset;	  /* bytes */
};

enum { DL_CPU = 1 };
enum {
	DL_INT = 0,
	DL_UINT = 1,
	DL_FLOAT = 2,
	DL_BFLOAT = 4,
	DL_COMPLEX = 5,
	DL_BOOL = 6,
	DL_E4M3FN = 10,
	DL_E4M3FNUZ = 11,
	DL_E5M2 = 12,
	DL_E5M2FNUZ = 13,
	DL_E8M0FNU = 14,
};

struct tensor_sum {
	double min, max, total;
	int64_t times; /* the number of times that each element occurs */
	int64_t imin, imax;
	long long nan, inf;
};

/* Is it a floating point type of DLPack? */
bool tensor_scan_is_float(uint8_t code);
/* Adds up all elements of a tensor on the CPU: false, they are of a type that cannot be read.  Of complex numbers only
   NaN and infinities are counted. */
bool tensor_scan(const struct dl_tensor *t, struct tensor_sum *s);
/* The memory in which the elements are, *from up to but not *to: false, there are none. */
bool tensor_scan_memory(const struct dl_tensor *t, const char **from, const char **to);

#endif
