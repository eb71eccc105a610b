/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the program; for module.c alone. */
#ifndef CDBG_SCRIPT_H
#define CDBG_SCRIPT_H

struct py_obj;

/* Adds the functions to the extension module.  -1 with an exception. */
int script_add(struct py_obj *module);

#endif
