/* SPDX-License-Identifier: BSD-3-Clause */
/* cdbg.breakpoint() and the builtin breakpoint(); for module.c alone. */
#ifndef CDBG_BREAKPOINT_H
#define CDBG_BREAKPOINT_H
#include <stdbool.h>

struct py_obj;

/* Adds the object `breakpoint` to the extension module.  -1 with an exception. */
int breakpoint_add(struct py_obj *module);
/* While on, the builtin breakpoint() stops in cdbg, unless PYTHONBREAKPOINT or a sys.breakpointhook of the program
   prevents it. */
void breakpoint_hook(bool on);

#endif
