/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: list. */
#include "cmd/table.h"

const struct cmd_def cmd_list[] = {
	{ .name = NULL }
};
