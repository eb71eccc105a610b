/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the core's own commands, made from the file names in Makefile.am.  Nothing else: module.c passes it
   to cmd.c, which must not know any single command. */
#include <stddef.h>
#include "cmd/cmd_table.h"

const struct cmd_def *const cmd_table[] = {
#define X(name) name,
#include "cmd/cmd_list.h"
#undef X
	NULL
};
