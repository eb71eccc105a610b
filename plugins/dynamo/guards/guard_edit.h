/* SPDX-License-Identifier: BSD-3-Clause */
/* How the user changed single guards, as edit/ reports it. */
#ifndef DYNAMO_GUARDS_GUARD_EDIT_H
#define DYNAMO_GUARDS_GUARD_EDIT_H
#include "torch/cdbg_host.h"

/* How the user changed a guard.  PASSES and FAILS: the user forced that. */
enum guard_edit { GUARD_AS_MADE, GUARD_DROPPED, GUARD_PASSES, GUARD_FAILS, GUARD_CHANGED };

/* Functions that report the change of a guard, by its number. edit/ registers them once. */
struct guard_edits {
	enum guard_edit (*state)(int number);
	const char *(*text)(int number);	     /* of a changed one: its text now */
	bool (*passes)(int number, PyObject *value); /* of a changed one: would this value pass? */
};

void guard_edits_register(const struct guard_edits *by);
enum guard_edit guard_edited(int number);
const char *guard_edit_text(int number);
bool guard_edit_passes(int number, PyObject *value);

#endif
