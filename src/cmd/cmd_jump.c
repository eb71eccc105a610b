/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: jump. */
#include "cmd/table.h"

const struct cmd_def cmd_jump[] = {
	{ .name = NULL }
};
