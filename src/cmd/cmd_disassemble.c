/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: disassemble. */
#include "cmd/table.h"

const struct cmd_def cmd_disassemble[] = {
	{ .name = NULL }
};
