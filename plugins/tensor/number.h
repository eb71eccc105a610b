/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of tensors as text and as numbers, by the short name of their dtype ("f32", "float8_e5m2"). */
#ifndef TENSOR_NUMBER_H
#define TENSOR_NUMBER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "plugin.h"

/* Bytes of one element; 0: how it is read is not known. */
size_t number_size(const char *dtype);
/* Adds the element at b, of that many bytes: "1.5", "True", "1+2j". */
void number_put(const unsigned char *b, const char *dtype, size_t size, struct buf *out);
/* Its value.  false: it is complex, and *out says only whether a part of it is NaN or Inf. */
bool number_value(const unsigned char *b, const char *dtype, size_t size, double *out);

#endif
