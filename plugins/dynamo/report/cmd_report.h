/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: report, which writes pages and files about compiled functions into a directory. */
#ifndef DYNAMO_REPORT_CMD_REPORT_H
#define DYNAMO_REPORT_CMD_REPORT_H
#include "torch/cdbg_host.h"

extern const struct cmd_def cmd_report[];

#endif
