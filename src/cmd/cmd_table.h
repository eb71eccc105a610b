/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of the core's own commands, made from the file names in Makefile.am. */
#ifndef CDBG_CMD_TABLE_H
#define CDBG_CMD_TABLE_H
#include "cmd/cmd.h"

extern const struct cmd_def *const cmd_table[]; /* NULL at the end */

#define X(name) extern const struct cmd_def name[];
#include "cmd/cmd_list.h"
#undef X

#endif
