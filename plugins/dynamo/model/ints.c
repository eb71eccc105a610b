/* SPDX-License-Identifier: BSD-3-Clause */
/* Short lists of numbers, each number once: see ints.h. */
#include "model/ints.h"
#include "torch/cdbg_host.h"

bool ints_has(const int *list, int n, int v)
{
	int i;

	for (i = 0; i < n; i++)
		if (list[i] == v)
			return true;
	return false;
}

void ints_add(int **list, int *n, int v)
{
	size_t cap = (size_t)*n;

	if (ints_has(*list, *n, v))
		return;
	if (!(*n & (*n - 1))) /* it has room for a power of two */
		*list = mem_grow(*list, &cap, *n ? (size_t)*n * 2 : 1, sizeof(**list));
	(*list)[(*n)++] = v;
}
