/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: python. */
#include "cmd/table.h"

const struct cmd_def cmd_python[] = {
	{ .name = NULL }
};
