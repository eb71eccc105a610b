/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: watch. */
#include "cmd/table.h"

const struct cmd_def cmd_watch[] = {
	{ .name = NULL }
};
