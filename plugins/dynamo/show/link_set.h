/* SPDX-License-Identifier: BSD-3-Clause */
/* The related items that were found: each item once, in the order in which it was found. */
#ifndef DYNAMO_SHOW_LINK_SET_H
#define DYNAMO_SHOW_LINK_SET_H
#include "torch/cdbg_host.h"

struct link_set {
	void (*add)(void *arg, const char *what, const char *id, int line);
	void *arg;
	char **seen; /* each is named once: a hash table, cap is a power of two */
	size_t n, cap;
};

/* Takes ownership of the id. The first one is the item of the question, which is not reported. */
void link_set_put(struct link_set *l, const char *what, int line, char *id);

#endif
