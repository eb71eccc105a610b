/* SPDX-License-Identifier: BSD-3-Clause */
/* The elements of a tensor counted where they lie, without torch's operations: no autograd, no mode and no random
   number generator notices.  Knows no graph. */
#ifndef DYNAMO_TORCH_NUMBERS_H
#define DYNAMO_TORCH_NUMBERS_H
#include "torch/host.h"

enum { NUMBERS_DIMS = 8 };
enum numbers_kind { NUMBERS_NONE, NUMBERS_FLOAT, NUMBERS_INT, NUMBERS_BOOL };

struct numbers {
	enum numbers_kind kind; /* NUMBERS_NONE: it has no elements that can be read here */
	double min, max, mean;	/* as torch's: a NaN among the elements makes them NaN */
	long long imin, imax;	/* NUMBERS_INT, NUMBERS_BOOL */
	long long nan, inf, count;
	/* Of every plain tensor: NULL for other values. */
	const char *dtype; /* "float32" */
	int ndim;	   /* at most NUMBERS_DIMS */
	long long shape[NUMBERS_DIMS];
};

enum { NUMBERS_NAN = 1, NUMBERS_INF = 2 };

/* Elements in this process's memory of a plain tensor (torch.Tensor or Parameter): dense, not a subclass, not inside a
   vmap.  Never an exception.  kind is NUMBERS_NONE for all others, and for dtypes other than floats, integers, bool. */
void numbers_of(PyObject *v, struct numbers *out);
/* Has it a NaN (NUMBERS_NAN), an infinity (NUMBERS_INF)?  Also of tuples and lists of tensors. */
unsigned numbers_odd(PyObject *v);
/* A tensor of torch's own class? */
bool numbers_tensor(PyObject *v);
/* A Python function of one value: (min, max, mean, NaN, Inf), None: not such a tensor.  A new reference, or NULL. */
PyObject *numbers_function(void);

#endif
