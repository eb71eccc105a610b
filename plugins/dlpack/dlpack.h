/* SPDX-License-Identifier: BSD-3-Clause */
/* What torch says of a tensor by DLPack, as dlpack.h of version 1 has it: plain data, for all plugins. */
#ifndef DLPACK_DLPACK_H
#define DLPACK_DLPACK_H
#include <stdint.h>

/* Also what a capsule named "dltensor" has (version 0). */
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

/* The capsule is named "dlpack_exchange_api". */
struct dl_table {
	uint32_t major, minor;
	const struct dl_table *older;
	void *allocate, *export, *import;
	int (*describe)(void *v,
			struct dl_tensor *out); /* owns nothing; 0, or -1 with a Python exception; may be NULL */
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

#endif
