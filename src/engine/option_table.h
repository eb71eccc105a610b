/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the core's own options. */
#ifndef CDBG_OPTION_TABLE_H
#define CDBG_OPTION_TABLE_H
#include "engine/option.h"

extern const struct option_def option_table[]; /* ends with name NULL; option_add() takes it first */

#endif
