/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the kinds of regions, for people and machines. */
#ifndef CDBG_REGION_NAME_H
#define CDBG_REGION_NAME_H
#include "engine/region.h"

struct err;

const char *region_name(enum region_kind kind); /* "graph call" */
/* By name or unambiguous prefix, with '-' for a space; -1 with err. */
int region_find(const char *text, enum region_kind *kind, struct err *err);

#endif
