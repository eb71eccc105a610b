/* SPDX-License-Identifier: BSD-3-Clause */
/* The items that can be selected on a page, and their relations: see items.h. */
#include "report/items.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static size_t hash(const char *s)
{
	size_t h = 1469598103934665603u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h;
}

static unsigned *slot_of(struct items *it, const char *key)
{
	size_t i = hash(key) & (it->nslots - 1);

	while (it->slot[i] && strcmp(it->key[it->slot[i] - 1], key))
		i = (i + 1) & (it->nslots - 1);
	return &it->slot[i];
}

static void enlarge(struct items *it)
{
	size_t i;

	free(it->slot);
	it->nslots = it->nslots ? 2 * it->nslots : 1024;
	it->slot = mem_alloc(it->nslots * sizeof(*it->slot));
	for (i = 0; i < it->n; i++)
		*slot_of(it, it->key[i]) = (unsigned)i + 1;
}

static unsigned item_number(struct items *it, char *key)
{
	unsigned *slot;

	if (2 * it->n >= it->nslots)
		enlarge(it);
	slot = slot_of(it, key);
	if (*slot) {
		free(key);
		return *slot - 1;
	}
	it->key = mem_grow(it->key, &it->cap, it->n + 1, sizeof(*it->key));
	it->shown = mem_grow(it->shown, &it->shown_cap, it->n + 1, sizeof(*it->shown));
	it->key[it->n] = key;
	it->shown[it->n++] = false;
	*slot = (unsigned)it->n;
	return (unsigned)it->n - 1;
}

unsigned items_number(struct items *it, const char *fmt, ...)
{
	va_list ap;
	char *key;

	va_start(ap, fmt);
	key = mem_vfmt(fmt, ap);
	va_end(ap);
	return item_number(it, key);
}

unsigned items_show(struct items *it, unsigned number)
{
	it->shown[number] = true;
	return number;
}

void items_join(struct items *it, unsigned a, unsigned b)
{
	if (a == b)
		return;
	it->pair = mem_grow(it->pair, &it->pairs_cap, it->npairs + 1, sizeof(*it->pair));
	it->pair[it->npairs++] = (struct item_pair){ a, b };
}

void items_join_all(struct items *it, const struct val *links)
{
	const struct val *one;
	unsigned self;
	size_t i, k;

	for (i = 0; i < links->u.list.n; i++) {
		one = links->u.list.item[i];
		self = item_number(it, mem_str(one->u.list.item[0]->u.s));
		for (k = 1; k < one->u.list.n; k++)
			items_join(it, self, item_number(it, mem_str(one->u.list.item[k]->u.s)));
	}
}

static int before(const void *a, const void *b)
{
	const struct item_pair *x = a, *y = b;

	return x->a != y->a ? (x->a < y->a ? -1 : 1) : x->b != y->b ? (x->b < y->b ? -1 : 1) : 0;
}

struct val *items_links(struct items *it)
{
	size_t i, n = it->npairs;
	struct val *out = val_list(), *list = NULL;
	struct item_pair *p;
	unsigned at = 0;

	for (i = 0; i < n; i++)
		items_join(it, it->pair[i].b, it->pair[i].a);
	if (it->npairs)
		qsort(it->pair, it->npairs, sizeof(*it->pair), before);
	for (i = 0; i < it->npairs; i++) {
		p = &it->pair[i];
		if ((i && !before(p, p - 1)) || !it->shown[p->a] || !it->shown[p->b])
			continue;
		for (; at <= p->a; at++)
			list = val_push(out, val_list());
		val_push(list, val_int(p->b));
	}
	it->npairs = n;
	return out;
}

void items_release(struct items *it)
{
	while (it->n)
		free(it->key[--it->n]);
	free(it->key);
	free(it->shown);
	free(it->slot);
	free(it->pair);
	memset(it, 0, sizeof(*it));
}
