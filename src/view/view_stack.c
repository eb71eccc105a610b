/* SPDX-License-Identifier: BSD-3-Clause */
/* View: stack. */
#include "view/table.h"

static const struct view_col cols[] = { { .name = NULL } };

const struct view_ops view_stack = {
	.name = "stack",
	.help = "",
	.cols = cols,
};
