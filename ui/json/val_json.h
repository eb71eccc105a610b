/* SPDX-License-Identifier: BSD-3-Clause */
/* Data trees, rows and text as JSON, added to a buffer without newline.  Always valid UTF-8. */
#ifndef CDBG_VAL_JSON_H
#define CDBG_VAL_JSON_H
#include <stddef.h>

struct buf;
struct rows;
struct val;

/* In quotes; every byte sequence that is not UTF-8 becomes U+FFFD. */
void json_add_text(struct buf *out, const char *s, size_t n);
/* Integers beyond 2^53, NaN and infinities become strings; NULL is null. */
void json_add_val(struct buf *out, const struct val *v);
/* A list of objects keyed by column.  send, unless NULL, gets the beginning of a long text while the rest is made: what
   it got is no longer in out. */
void json_add_rows(struct buf *out, const struct rows *r, void (*send)(const char *s, size_t n));
/* ,"key": for an object that has begun. */
void json_add_key(struct buf *out, const char *key);

#endif
