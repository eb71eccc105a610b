/* SPDX-License-Identifier: BSD-3-Clause */
/* View: breakpoints. */
#include "view/table.h"

static const struct view_col cols[] = { { .name = NULL } };

const struct view_ops view_breakpoints = {
	.name = "breakpoints",
	.help = "",
	.cols = cols,
};
