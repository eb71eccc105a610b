/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: until. */
#include "cmd/table.h"

const struct cmd_def cmd_until[] = {
	{ .name = NULL }
};
