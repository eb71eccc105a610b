/* SPDX-License-Identifier: BSD-3-Clause */
/* View: threads. */
#include "view/table.h"

static const struct view_col cols[] = { { .name = NULL } };

const struct view_ops view_threads = {
	.name = "threads",
	.help = "",
	.cols = cols,
};
