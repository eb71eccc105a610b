/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of a function within the code: its body as statements.  Knows not what is made of it. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

/* The body of a nested code object; NULL: it cannot be written. */
struct function *nested_make(struct run *r, PyCodeObject *co)
{
	struct dec *d = r->d, outer = *d;
	struct function *f = dec_alloc(d, sizeof(*f));
	jmp_buf trap;

	f->code = code_get((struct py_code *)co);
	if (d->depth > 10 || (!(co->co_flags & CO_OPTIMIZED) && !d->made.body))
		return NULL;
	d->made.body = false;
	d->depth++;
	d->outer = &outer;
	d->trap = &trap;
	if (!setjmp(trap)) {
		d->steps->nested(d, f);
	} else {
		f = NULL;
	}
	/* counters and tables for all of the code continue; the current code is the outer one again */
	outer.arena = d->arena;
	outer.temps = d->temps;
	outer.ntemps = d->ntemps;
	outer.work = d->work;
	outer.jumps.nretries = d->jumps.nretries;
	outer.copies = d->copies;
	memcpy(outer.why, d->why, sizeof(outer.why));
	*d = outer;
	return f;
}

bool nested_defaults_fit(const struct item *d, const struct item *kwdefaults)
{
	if (d && !(d->kind == I_VALUE &&
		   (d->e->kind == E_TUPLE || (d->e->kind == E_CONST && PyTuple_CheckExact(d->e->obj)))))
		return false;
	return !kwdefaults || (kwdefaults->kind == I_VALUE && kwdefaults->e->kind == E_DICT);
}
