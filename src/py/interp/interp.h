/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreters of the process: cdbg debugs the main one only.  Audit hooks and replaced methods of CPython are
   shared by all interpreters, each possibly with a GIL of its own, so they ask here first.
   Must not know frames or hooks. */
#ifndef CDBG_INTERP_H
#define CDBG_INTERP_H
#include <stdbool.h>

/* Does this thread run code of the interpreter that is debugged?  Needs no GIL. */
bool interp_ours(void);
/* An audit event, in any interpreter: keeps the list of those that ran code. */
void interp_audit(const char *event);
/* How many interpreters beside the debugged one have run code and still exist. */
int interp_others(void);

#endif
