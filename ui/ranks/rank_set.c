/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of ranks: see rank_set.h. */
#include "ui/ranks/rank_set.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"

void rank_set_add(struct rank_set *s, int n)
{
	s->n = mem_grow(s->n, &s->cap, s->count + 1, sizeof(*s->n));
	s->n[s->count++] = n;
}

bool rank_set_has(const struct rank_set *s, int n)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (s->n[i] == n)
			return true;
	return false;
}

void rank_set_release(struct rank_set *s)
{
	free(s->n);
	*s = (struct rank_set){ .n = NULL };
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void put_in_order(struct rank_set *s)
{
	size_t i, k = 0;

	if (!s->count)
		return;
	qsort(s->n, s->count, sizeof(*s->n), compare_ints);
	for (i = 1; i < s->count; i++)
		if (s->n[i] != s->n[k])
			s->n[++k] = s->n[i];
	s->count = k + 1;
}

/* "5" or "0-2" at *p. */
static bool read_range(struct rank_set *s, const char **p)
{
	int from, to;

	if (!isdigit((unsigned char)**p))
		return false;
	from = to = text_number(p, RANK_MAX + 1);
	if (**p == '-') {
		++*p;
		if (!isdigit((unsigned char)**p))
			return false;
		to = text_number(p, RANK_MAX + 1);
	}
	if (from > to || to > RANK_MAX)
		return false;
	for (; from <= to; from++)
		rank_set_add(s, from);
	return true;
}

int rank_set_read(struct rank_set *s, const char *text, const char **end, bool *all, struct err *err)
{
	size_t n = strcspn(text, " \t");
	const char *p = text;
	bool right;

	*s = (struct rank_set){ .n = NULL };
	*end = text + n;
	*all = n == 3 && !strncmp(text, "all", 3);
	if (*all)
		return 0;
	while ((right = read_range(s, &p)) && *p == ',')
		p++;
	if (!right || p != *end) {
		rank_set_release(s);
		return err_set(err, "invalid ranks '%.*s': expected numbers and ranges, as 0-2,5, or all",
			       n < 100 ? (int)n : 100, text);
	}
	put_in_order(s);
	return 0;
}

void rank_set_text(const struct rank_set *s, struct buf *out)
{
	size_t i, k;

	for (i = 0; i < s->count; i = k + 1) {
		for (k = i; k + 1 < s->count && s->n[k + 1] == s->n[k] + 1; k++)
			;
		buf_addf(out, k > i ? "%s%d-%d" : "%s%d", i ? "," : "", s->n[i], s->n[k]);
	}
}
