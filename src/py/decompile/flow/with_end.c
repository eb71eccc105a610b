/* SPDX-License-Identifier: BSD-3-Clause */
/* Where with statements end: what the compiler writes at each jump out of one.  Knows blocks, and no statements. */
#include <Python.h>
#include "py/decompile/flow/flow.h"

/* The end of a with statement's body: __exit__(None, None, None), and nothing else but leaving. */
bool with_ends(struct dec *d, const struct block *b)
{
	int i, n = 0;

	for (i = b->first; i < b->end; i++) {
		enum dop op = d->ins[i].op;

		if (op == D_NOP || op == D_SWAP)
			continue;
		if (n < 3 && op == D_CONST && d->ins[i].obj == Py_None)
			n++;
		else if (n == 3 && op == D_CALL && (d->ins[i].arg == 2 || d->ins[i].arg == 3))
			n++;
		else if (n == 4 && op == D_POP)
			n++;
		else if (n < 5 || (op != D_CONST && op != D_FAST && op != D_RETURN && op != D_JUMP && op != D_POP))
			return false;
	}
	return n == 5;
}

/* Does this handler call __exit__() with the exception? */
static bool calls_exit(const struct dec *d, const struct block *b)
{
	int i;

	for (i = b->first; i < b->end && d->ins[i].op != D_WITH_EXCEPT; i++)
		;
	return i < b->end;
}

bool with_ends_around(struct dec *d, int k, int handler)
{
	const struct block *b = &d->block[k];
	int h, most = d->nblock;

	if (handler < 0 || b->npred != 1 || !with_ends(d, b))
		return false;
	for (h = handler; h >= 0 && most--; h = d->block[h].handler)
		if (d->block[h].handler == b->handler && calls_exit(d, &d->block[h]))
			return true;
	return false;
}
