/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: run. */
#include "cmd/table.h"

const struct cmd_def cmd_run[] = {
	{ .name = NULL }
};
