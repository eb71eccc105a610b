/* SPDX-License-Identifier: BSD-3-Clause */
/* The dispatch keys of a tensor as a guard compares them, and in words how two sets of keys differ.  Knows no view. */
#ifndef DYNAMO_GUARDS_GUARD_KEYS_H
#define DYNAMO_GUARDS_GUARD_KEYS_H
#include "torch/cdbg_host.h"

/* Adds for each difference between a guard's keys, "CPU, BackendSelect, ...", and those of the tensor what the guard
   expects and what the tensor is: ", an inference tensor".  The tensor's keys are those that the guard compares: with
   the keys that this thread includes and without those that it excludes.  Nothing where both are the same. */
void guard_keys_differ(const char *wanted, PyObject *tensor, struct buf *expected, struct buf *live);
/* The same for a tensor with these compared keys. */
void guard_keys_differ_from(const char *wanted, const char *is, struct buf *expected, struct buf *live);
/* Does a key of this set begin with these words? */
bool guard_keys_have(const char *keys, const char *words);

#endif
