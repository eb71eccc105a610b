/* SPDX-License-Identifier: BSD-3-Clause */
/* The formatters by which plugins show values of their libraries. */
#ifndef CDBG_VALUE_FORMAT_H
#define CDBG_VALUE_FORMAT_H
#include <stdbool.h>

struct buf;
struct py_obj;

/*
 * Formatters, asked in the order added, before the built-in ones.  show returns 1 when it wrote a summary to out,
 * 0 if it does not know the value.  It must run none of the program's code and touch no device.
 */
struct value_format {
	int (*show)(struct py_obj *v, struct buf *out);
	const struct value_format *next;
	/* The same with the contents of the value, if reading them is cheap; NULL: show. */
	int (*show_data)(struct py_obj *v, struct buf *out);
};

/* What a record has of the elements of a value; as a plugin says it, without running Python. */
struct value_numbers {
	bool known;	 /* false: nothing */
	bool nan, inf;	 /* there are such elements */
	bool all;	 /* false: other elements were not read */
	bool one;	 /* there is one element: min and max are it */
	double min, max; /* of the finite ones; NaN: there is none */
};

#endif
