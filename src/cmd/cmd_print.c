/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: print. */
#include "cmd/table.h"

const struct cmd_def cmd_print[] = {
	{ .name = NULL }
};
