/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels that inductor's code defines and calls, as data for a report. */
#include "report/kernels.h"
#include "model/wrapper_text.h"
#include <stdlib.h>
#include <string.h>

static void put_piece(struct val *map, const char *key, struct piece p)
{
	char *text = mem_strn(p.s, p.n);

	val_put(map, key, val_str(text));
	free(text);
}

static struct val *kernel_add(struct val *list, struct piece name, const char *language, struct piece nodes)
{
	struct val *k = val_push(list, val_map()), *names = val_list();
	const char *s, *end = nodes.s + nodes.n;
	size_t n;

	for (s = nodes.s; s < end; s += n) {
		s += strspn(s, ", ");
		n = strcspn(s, ",]");
		if (n)
			val_pushf(names, "%.*s", (int)n, s);
	}
	put_piece(k, "kernel", name);
	val_put(k, "language", val_str(language));
	val_put(k, "nodes", names);
	return k;
}

struct val *kernels_of(const struct wrapper_text *w)
{
	struct val *list = val_list(), *k;
	int i;

	for (i = 0; i < w->nkernels; i++) {
		k = kernel_add(list, w->kernel[i].name, w->kernel[i].language, w->kernel[i].nodes);
		if (w->kernel[i].source.n)
			put_piece(k, "source", w->kernel[i].source);
	}
	for (i = 0; i < w->nstatements; i++)
		if (w->statement[i].called.n > 15 && !strncmp(w->statement[i].called.s, "extern_kernels.", 15))
			kernel_add(list, w->statement[i].called, "library", w->statement[i].nodes);
	return list;
}
