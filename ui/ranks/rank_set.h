/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of ranks as people write them: "0-2,5", "all".  Knows no rank. */
#ifndef CDBG_RANK_SET_H
#define CDBG_RANK_SET_H
#include <stdbool.h>
#include <stddef.h>

struct buf;
struct err;

enum { RANK_MAX = 65535 }; /* the largest number */

/* Ascending, each once.  All zero: empty. */
struct rank_set {
	int *n;
	size_t count, cap;
};

void rank_set_add(struct rank_set *s, int n); /* larger than those in it */
bool rank_set_has(const struct rank_set *s, int n);
void rank_set_release(struct rank_set *s);
/* Reads a set that ends with a space or the text's end; *end: behind it.  "all" sets *all.  -1: err. */
int rank_set_read(struct rank_set *s, const char *text, const char **end, bool *all, struct err *err);
void rank_set_text(const struct rank_set *s, struct buf *out); /* "0-2,5" */

#endif
