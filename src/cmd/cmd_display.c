/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: display. */
#include "cmd/table.h"

const struct cmd_def cmd_display[] = {
	{ .name = NULL }
};
