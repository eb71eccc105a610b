/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: info. */
#include "cmd/table.h"

const struct cmd_def cmd_info[] = {
	{ .name = NULL }
};
