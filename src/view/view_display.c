/* SPDX-License-Identifier: BSD-3-Clause */
/* View: display. */
#include "view/table.h"

static const struct view_col cols[] = { { .name = NULL } };

const struct view_ops view_display = {
	.name = "display",
	.help = "",
	.cols = cols,
};
