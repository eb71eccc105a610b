/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the core's own views, made from the file names in Makefile.am.  Nothing else: module.c passes it to
   view.c, which must not know any single view. */
#include <stddef.h>
#include "view/view_table.h"

const struct view_ops *const view_table[] = {
#define X(name) &name,
#include "view/view_list.h"
#undef X
	NULL
};
