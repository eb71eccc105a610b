/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPython of another process, and the cdbg that it can load. */
#ifndef CDBG_PYTHON_H
#define CDBG_PYTHON_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "attach/process.h"

struct err;

struct python {
	struct process_range add_pending, make_pending; /* Py_AddPendingCall(), Py_MakePendingCalls() */
	uintptr_t runtime; /* _PyRuntime, whose table of offsets is laid out as here; or 0 */
};

/* -1: it has none that this cdbg can debug; err says why, and what to do. */
int python_check(pid_t pid, struct python *out, struct err *err);
/* The shared object of cdbg by the name that the process has for it: this one's, or in another root the one that is
   installed there.  -1: err. */
int python_library(pid_t pid, char *out, size_t max, struct err *err);

#endif
