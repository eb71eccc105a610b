/* SPDX-License-Identifier: BSD-3-Clause */
/* `explain`: all about a function in one report, made from the rows of the views. Knows no Python. */
#ifndef DYNAMO_SHOW_EXPLAIN_H
#define DYNAMO_SHOW_EXPLAIN_H
#include "torch/cdbg_host.h"

extern const struct cmd_def cmd_explain[];

#endif
