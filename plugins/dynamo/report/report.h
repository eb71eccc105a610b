/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report directory is known by, and the command that writes one. */
#ifndef DYNAMO_REPORT_REPORT_H
#define DYNAMO_REPORT_REPORT_H
#include "torch/cdbg_host.h"

#define REPORT_FORMAT "cdbg report"
#define REPORT_VERSION 1
#define REPORT_DATA "index.json" /* it begins with REPORT_MARK */
#define REPORT_MARK "{\"format\":\"" REPORT_FORMAT "\""

extern const struct cmd_def cmd_report[];

#endif
