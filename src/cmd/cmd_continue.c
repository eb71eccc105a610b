/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: continue. */
#include "cmd/table.h"

const struct cmd_def cmd_continue[] = {
	{ .name = NULL }
};
