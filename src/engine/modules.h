/* SPDX-License-Identifier: BSD-3-Clause */
/* The bodies of the modules of the program's own files that ran or are about to: FUNC is looked up in them.  Knows no
   session. */
#ifndef CDBG_MODULES_H
#define CDBG_MODULES_H
#include <stdbool.h>

struct py_code;

/* Add one; false: it was added before. */
bool modules_add(struct py_code *body);
/* The n-th; borrowed, NULL past the last. */
struct py_code *modules_code(int n);

#endif
