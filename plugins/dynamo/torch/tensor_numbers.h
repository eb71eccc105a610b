/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the elements of a tensor in its memory, without torch's operations: no effect on autograd, modes or random
   number generators.  Knows no graph. */
#ifndef DYNAMO_TORCH_TENSOR_NUMBERS_H
#define DYNAMO_TORCH_TENSOR_NUMBERS_H
#include "torch/cdbg_host.h"

enum { TENSOR_NUMBERS_DIMS = 8 };
enum tensor_numbers_kind {
	TENSOR_NUMBERS_NONE,
	TENSOR_NUMBERS_FLOAT,
	TENSOR_NUMBERS_INT,
	TENSOR_NUMBERS_BOOL,
	TENSOR_NUMBERS_COMPLEX, /* min, max and mean are NaN */
};

struct tensor_numbers {
	enum tensor_numbers_kind kind; /* TENSOR_NUMBERS_NONE: it has no elements that can be read here */
	double min, max, mean;	       /* of the finite elements; NaN: there is none */
	long long imin, imax;	       /* TENSOR_NUMBERS_INT, TENSOR_NUMBERS_BOOL */
	long long nan, inf, count;
	/* Of every plain tensor: NULL for other values. */
	const char *dtype; /* "float32" */
	int ndim;	   /* at most TENSOR_NUMBERS_DIMS */
	long long shape[TENSOR_NUMBERS_DIMS];
	bool freed;	/* its memory is gone: its storage is smaller than its elements need, or a file that was cut */
	bool elsewhere; /* its elements are not in this process's memory: on a device, or it has none (meta) */
};

enum { TENSOR_NUMBERS_NAN = 1, TENSOR_NUMBERS_INF = 2, TENSOR_NUMBERS_ELSEWHERE = 4 };

/* Elements in this process's memory of a plain tensor (torch.Tensor or Parameter): dense, not a subclass, not inside a
   vmap.  Never an exception.  kind is TENSOR_NUMBERS_NONE for all others, and for dtypes other than floats,
   integers, complex numbers and bool. */
void tensor_numbers_of(PyObject *v, struct tensor_numbers *out);
/* Whether it has a NaN (TENSOR_NUMBERS_NAN) or an infinity (TENSOR_NUMBERS_INF). TENSOR_NUMBERS_ELSEWHERE: reading
   it would wait for its device.  Also of tuples and lists of tensors. */
unsigned tensor_numbers_odd(PyObject *v);
/* The number of tensors in a list or tuple of tensors only, 0 for other values.  The figures are those of all elements;
   kind is TENSOR_NUMBERS_NONE if one of the tensors has none, or if some have floats and others not.  dtype is NULL. */
int tensor_numbers_of_list(PyObject *v, struct tensor_numbers *out);
/* Sets dtype, ndim and shape of a tensor of torch's own class for which tensor_numbers_of() sets none: quantized, or
   without memory (meta).  Runs none of the program's code and no operation of torch; never an exception.  false: it is
   another value, as a sparse or nested tensor; then out is as before. */
bool tensor_numbers_shape(PyObject *v, struct tensor_numbers *out);
/* The memory in which its elements are, *from up to but not *to: false, it has none here. */
bool tensor_numbers_memory(PyObject *v, const char **from, const char **to);
/* A tensor of torch's own class? */
bool tensor_numbers_tensor(PyObject *v);
/* One of another class? */
bool tensor_numbers_other_class(PyObject *v);
/* A Python function of one value: (min, max, mean, NaN, Inf), None: not such a tensor.  A new reference, or NULL. */
PyObject *tensor_numbers_function(void);
/* A Python function of an address and a number of bytes: can all of them be read?  A new reference, or NULL. */
PyObject *tensor_numbers_readable_function(void);
/* A Python function that makes a row of graph run: see rows.py.  A new reference, or NULL. */
PyObject *tensor_numbers_row_function(void);

#endif
