/* SPDX-License-Identifier: BSD-3-Clause */
/* View: locals. */
#include "view/table.h"

static const struct view_col cols[] = { { .name = NULL } };

const struct view_ops view_locals = {
	.name = "locals",
	.help = "",
	.cols = cols,
};
