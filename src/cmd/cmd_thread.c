/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: thread. */
#include "cmd/table.h"

const struct cmd_def cmd_thread[] = {
	{ .name = NULL }
};
