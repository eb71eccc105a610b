/* SPDX-License-Identifier: BSD-3-Clause */
/* The items that can be selected on a page, and their relations. Items have the keys of the views ("guard 12", "node
   __compiled_fn_1:add"); a page has a number for each.  Knows no HTML. */
#ifndef DYNAMO_REPORT_ITEMS_H
#define DYNAMO_REPORT_ITEMS_H
#include "torch/cdbg_host.h"

struct items {
	char **key;  /* owned, n */
	bool *shown; /* an element stands for it */
	size_t n, cap, shown_cap;
	unsigned *slot; /* open hash table of numbers + 1 */
	size_t nslots;
	struct item_pair {
		unsigned a, b;
	} * pair; /* both directions are meant */
	size_t npairs, pairs_cap;
};

/* The number of a thing; the first call makes it. */
unsigned items_number(struct items *it, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
unsigned items_show(struct items *it, unsigned number); /* an element stands for it; returns the number */
void items_join(struct items *it, unsigned a, unsigned b);
/* Lists of keys as in data_code(): the item, then the related ones. */
void items_join_all(struct items *it, const struct val *links);
/* A list with the related numbers of each number; only of shown items. Owned by the caller. */
struct val *items_links(struct items *it);
void items_release(struct items *it);

#endif
