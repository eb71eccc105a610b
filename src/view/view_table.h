/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the core's own views, made from the file names in Makefile.am. */
#ifndef CDBG_VIEW_TABLE_H
#define CDBG_VIEW_TABLE_H
#include "view/view.h"

extern const struct view_ops *const view_table[]; /* NULL at the end */

#define X(name) extern const struct view_ops name;
#include "view/view_list.h"
#undef X

#endif
