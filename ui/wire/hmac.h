/* SPDX-License-Identifier: BSD-3-Clause */
/* HMAC with SHA-256 (RFC 2104, FIPS 180-4), to prove that one knows a secret without sending it.  Knows libc only. */
#ifndef CDBG_HMAC_H
#define CDBG_HMAC_H
#include <stdbool.h>
#include <stddef.h>

enum { HMAC_TEXT = 65 };

/* Of the n bytes at s with this key, as lower-case digits that a NUL ends. */
void hmac_text(const char *key, size_t nkey, const char *s, size_t n, char out[HMAC_TEXT]);
/* Takes the same time for all texts of one length that differ. */
bool hmac_same(const char *a, const char *b);

#endif
