/* SPDX-License-Identifier: BSD-3-Clause */
/* What the user made of single guards, as the layer that edits them tells it. */
#ifndef DYNAMO_GUARDS_GUARD_EDIT_H
#define DYNAMO_GUARDS_GUARD_EDIT_H
#include "torch/cdbg_host.h"

/* What the user made of a guard.  PASSES and FAILS: it is forced to. */
enum guard_edit { GUARD_AS_MADE, GUARD_DROPPED, GUARD_PASSES, GUARD_FAILS, GUARD_CHANGED };

/* Told by the layer that edits guards, by a guard's number; edit/ registers it once. */
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
