/* SPDX-License-Identifier: BSD-3-Clause */
/* The elements of lists of tensors: see dynamo_torch.h. */
#include "torch/dynamo_torch.h"
#include <math.h>

/* Adds the figures of one more tensor; counts are those of finite elements. */
static void add_numbers(struct tensor_numbers *all, const struct tensor_numbers *n)
{
	long long own = n->count - n->nan - n->inf, whole = all->count - all->nan - all->inf;

	if (own > 0) {
		all->min = whole ? fmin(all->min, n->min) : n->min;
		all->max = whole ? fmax(all->max, n->max) : n->max;
		all->imin = whole && all->imin < n->imin ? all->imin : n->imin;
		all->imax = whole && all->imax > n->imax ? all->imax : n->imax;
		all->mean = whole ? all->mean * ((double)whole / (double)(whole + own)) +
					    n->mean * ((double)own / (double)(whole + own)) :
				    n->mean;
	}
	all->nan += n->nan;
	all->inf += n->inf;
	all->count += n->count;
}

int tensor_lists_numbers(PyObject *v, struct tensor_numbers *out)
{
	Py_ssize_t n = PyList_Check(v) || PyTuple_Check(v) ? PySequence_Fast_GET_SIZE(v) : 0, i;
	struct tensor_numbers one;
	bool known = true;

	*out = (struct tensor_numbers){ .min = NAN, .max = NAN, .mean = NAN };
	for (i = 0; i < n; i++)
		if (!tensor_numbers_tensor(PySequence_Fast_GET_ITEM(v, i)) &&
		    !tensor_numbers_other_class(PySequence_Fast_GET_ITEM(v, i)))
			return 0;
	for (i = 0; known && i < n; i++) {
		tensor_numbers_of(PySequence_Fast_GET_ITEM(v, i), &one);
		known = one.kind != TENSOR_NUMBERS_NONE && (!i || one.kind == out->kind);
		if (known) {
			add_numbers(out, &one);
			out->kind = one.kind;
		}
	}
	if (!known)
		*out = (struct tensor_numbers){ .kind = TENSOR_NUMBERS_NONE };
	return (int)n;
}
