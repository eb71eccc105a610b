/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether instructions are a condition: a trial of them on a stack that they must not touch.  Knows no blocks. */
#include <Python.h>
#include "py/decompile/stack/run.h"

bool condition_trial_alone(struct dec *d, int first, int end)
{
	jmp_buf trap, *before = d->trap;
	struct item *held[8], one = { .kind = I_HELD, .pure = true };
	struct temp *temps = d->temps;
	volatile int ntemps = d->ntemps;
	struct temp *next = d->jumps.next;
	volatile bool yes = false;
	struct run r;
	int i;

	for (i = 0; i < 8; i++)
		held[i] = &one;
	for (i = first; i < end; i++) {
		if (walrus_at(d, i) && i + 1 < end) {
			i++;
			continue;
		}
		switch (d->ins[i].op) {
		case D_STORE_FAST:
		case D_STORE_GLOBAL:
		case D_STORE_DEREF:
		case D_STORE_NAME:
		case D_STORE_ATTR:
		case D_STORE_SUBSCR:
		case D_STORE_SLICE:
		case D_INPLACE:
		case D_YIELD:
		case D_YIELD_FROM:
			return false;
		default:
			break;
		}
	}
	d->trap = &trap;
	if (!setjmp(trap)) {
		run_init(&r, d, held, 8);
		run_code(&r, first, end);
		yes = !r.out.first && r.n == 9 && !item_special(r.stack[8]);
	}
	d->trap = before;
	d->temps = temps;
	d->ntemps = ntemps;
	d->jumps.next = next;
	return yes;
}
