/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: help. */
#include "cmd/table.h"

const struct cmd_def cmd_help[] = {
	{ .name = NULL }
};
