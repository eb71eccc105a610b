/* SPDX-License-Identifier: BSD-3-Clause */
/* View: frames. */
#include "view/table.h"

static const struct view_col cols[] = { { .name = NULL } };

const struct view_ops view_frames = {
	.name = "frames",
	.help = "",
	.cols = cols,
};
