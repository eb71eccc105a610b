/* SPDX-License-Identifier: BSD-3-Clause */
/* A report's data tree read from its directory. */
#ifndef DYNAMO_REPORT_LOAD_H
#define DYNAMO_REPORT_LOAD_H
#include "torch/cdbg_host.h"

struct val *load_report(const char *dir, struct err *err); /* the caller's; NULL: err */

#endif
