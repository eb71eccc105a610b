/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of values, so that those of two processes can be compared.  Knows no report. */
#ifndef DYNAMO_REPORT_STABLE_TEXT_H
#define DYNAMO_REPORT_STABLE_TEXT_H
#include <stdbool.h>

/* The text without addresses of objects, which are in names that Dynamo made, too, with the elements of sets in order,
   and with devices as strings; owned by the caller. */
char *stable_text(const char *text);
bool stable_same(const char *a, const char *b);

#endif
