/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: save. */
#include "cmd/table.h"

const struct cmd_def cmd_save[] = {
	{ .name = NULL }
};
