/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found to belong together: each thing once, in the order in which it was found. */
#ifndef DYNAMO_SHOW_LINK_SET_H
#define DYNAMO_SHOW_LINK_SET_H
#include "torch/cdbg_host.h"

struct link_set {
	void (*add)(void *arg, const char *what, const char *id, int line);
	void *arg;
	char **seen; /* each is named once: a hash table, cap is a power of two */
	size_t n, cap;
};

/* Takes the id.  The first one put is what was asked about, which is not told. */
void link_put(struct link_set *l, const char *what, int line, char *id);

#endif
