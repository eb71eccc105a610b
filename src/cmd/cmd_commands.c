/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: commands. */
#include "cmd/table.h"

const struct cmd_def cmd_commands[] = {
	{ .name = NULL }
};
