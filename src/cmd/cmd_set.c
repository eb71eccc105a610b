/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: set. */
#include "cmd/table.h"

const struct cmd_def cmd_set[] = {
	{ .name = NULL }
};
