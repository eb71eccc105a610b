/* SPDX-License-Identifier: BSD-3-Clause */
/* View: frame. */
#include "view/table.h"

static const struct view_col cols[] = { { .name = NULL } };

const struct view_ops view_frame = {
	.name = "frame",
	.help = "",
	.cols = cols,
};
