/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: source. */
#include "cmd/table.h"

const struct cmd_def cmd_source[] = {
	{ .name = NULL }
};
