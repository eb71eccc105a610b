/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: frame. */
#include "cmd/table.h"

const struct cmd_def cmd_frame[] = {
	{ .name = NULL }
};
