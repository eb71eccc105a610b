/* SPDX-License-Identifier: BSD-3-Clause */
/* The style sheet and the script of a report, which are files in assets/ and become bytes of the plugin. */
#ifndef DYNAMO_REPORT_ASSETS_H
#define DYNAMO_REPORT_ASSETS_H
#include "report/files.h"

int assets_write(files_write *put, void *arg, struct err *err);

#endif
