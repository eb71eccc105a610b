/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: finish. */
#include "cmd/table.h"

const struct cmd_def cmd_finish[] = {
	{ .name = NULL }
};
