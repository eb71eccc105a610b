/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: break. */
#include "cmd/table.h"

const struct cmd_def cmd_break[] = {
	{ .name = NULL }
};
