/* SPDX-License-Identifier: BSD-3-Clause */
/* How many entries the value stack has before an instruction of the decompiler's, where several come from one of the
   code.  Knows no expressions. */
#include <Python.h>
#include "py/decompile/dec.h"

int ins_depth(const struct dec *d, int i)
{
	int depth = d->c->instr[d->ins[i].index].depth, k;

	for (k = i - 1; depth >= 0 && k >= 0 && d->ins[k].index == d->ins[i].index; k--)
		switch (d->ins[k].op) {
		case D_FAST:
		case D_NULL:
		case D_GLOBAL:
		case D_CONST:
			depth++;
			break;
		case D_STORE_FAST:
			depth--;
			break;
		default:
			return -1;
		}
	return depth;
}
