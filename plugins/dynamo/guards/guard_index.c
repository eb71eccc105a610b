/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds guards by source: those on one value, and those on values reached through given values.  An entry may
   have tens of thousands of guards, and commands take all of them at once, so no function here searches all guards
   for each one. */
#include "guards/guard_index.h"
#include "model/entry.h"
#include "guards/guard_model.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* ---- about one value ------------------------------------------------------------------------------------------- */

static int order_by_source(const void *a, const void *b)
{
	const struct guard *const *p = a, *const *q = b;
	int order = strcmp((*p)->source, (*q)->source);

	return order ? order : (*p > *q) - (*p < *q);
}

const struct guard *const *guards_about(struct entry *e, const char *source, int *n)
{
	struct guards *all = e->guard.leaves;
	int low = 0, high = all->n, mid, end, i;

	if (!all->sorted) {
		all->sorted = mem_alloc((size_t)all->n * sizeof(*all->sorted) + 1);
		for (i = 0; i < all->n; i++)
			all->sorted[i] = &all->guard[i];
		qsort(all->sorted, (size_t)all->n, sizeof(*all->sorted), order_by_source);
	}
	while (low < high) {
		mid = low + (high - low) / 2;
		if (strcmp(all->sorted[mid]->source, source) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (end = low; end < all->n && !strcmp(all->sorted[end]->source, source); end++)
		;
	*n = end - low;
	return all->sorted + low;
}

/* ---- about values reached through others ------------------------------------------------------------------------- */

void sources_add(struct sources *s, const char *source)
{
	s->text = mem_grow(s->text, &s->cap, s->n + 1, sizeof(*s->text));
	s->text[s->n++] = source;
	s->sorted = false;
}

static int compare_sources(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the sources and removes those that begin with another one, which stands for them. */
static void sort(struct sources *s)
{
	size_t i, n = 0;

	qsort(s->text, s->n, sizeof(*s->text), compare_sources);
	for (i = 0; i < s->n; i++)
		if (*s->text[i] && (!n || !py_text_begins_with(s->text[i], s->text[n - 1])))
			s->text[n++] = s->text[i];
	s->n = n;
	s->sorted = true;
}

const char *sources_in(struct sources *s, const char *source)
{
	size_t low, high, mid;

	if (!s->sorted)
		sort(s);
	for (; s->n && *source; source++) {
		low = 0; /* only the last source before it can be its prefix */
		high = s->n;
		while (low < high) {
			mid = low + (high - low) / 2;
			if (strcmp(s->text[mid], source) <= 0)
				low = mid + 1;
			else
				high = mid;
		}
		if (low && py_text_begins_with(source, s->text[low - 1]))
			return s->text[low - 1];
	}
	return NULL;
}

void sources_release(struct sources *s)
{
	free(s->text);
	memset(s, 0, sizeof(*s));
}
