/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: step. */
#include "cmd/table.h"

const struct cmd_def cmd_step[] = {
	{ .name = NULL }
};
