/* SPDX-License-Identifier: BSD-3-Clause */
/* What to change so that a guard does not fail and nothing is compiled again, by kind of guard.  A remedy states only
   what the guard, the entry and the values show. */
#ifndef DYNAMO_GUARDS_GUARD_REMEDY_H
#define DYNAMO_GUARDS_GUARD_REMEDY_H
#include "torch/cdbg_host.h"

struct guard;

/* A guard that fails. */
struct failure {
	const struct guard *guard;
	const char *expected, *live; /* as guard_live() has them; live NULL: not known */
	const char *live_type;	     /* "int": the type of an actual value that is not known; NULL: not known either */
	PyObject *value, *owner;     /* borrowed: what it checks, and the object whose attribute or item that is; NULL:
					not known */
};

/* What to change so that this guard does not fail: NULL where nothing is known. */
const char *guard_remedy(const struct failure *f);

#endif
