/* SPDX-License-Identifier: BSD-3-Clause */
/* View: code. */
#include "view/table.h"

static const struct view_col cols[] = { { .name = NULL } };

const struct view_ops view_code = {
	.name = "code",
	.help = "",
	.cols = cols,
};
