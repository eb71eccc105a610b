/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON from outside as a data tree: by jansson, which bounds depth and refuses what is not UTF-8.  Knows no
   protocol. */
#ifndef CDBG_JSON_READ_H
#define CDBG_JSON_READ_H
#include <stdbool.h>
#include <stddef.h>

struct err;
struct val;

/* One value and nothing behind it but white space.  cut: a NUL within a text ends it; else it is an error.  Of two
   equal keys the last counts.  Owned by the caller; NULL: err says what is wrong, and at which byte. */
struct val *json_read(const char *s, size_t n, bool cut, struct err *err);

#endif
