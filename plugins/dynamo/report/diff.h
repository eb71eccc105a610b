/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes the changes from one report to another. */
#ifndef DYNAMO_REPORT_DIFF_H
#define DYNAMO_REPORT_DIFF_H
#include "torch/cdbg_host.h"

int diff_reports(const char *before, const char *after, struct buf *out, struct err *err);

#endif
