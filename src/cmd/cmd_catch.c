/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: catch. */
#include "cmd/table.h"

const struct cmd_def cmd_catch[] = {
	{ .name = NULL }
};
