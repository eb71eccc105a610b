/* SPDX-License-Identifier: BSD-3-Clause */
/* Options: the core and each plugin have a table; set, show, completion, help and rc files read them. */
#ifndef CDBG_OPTION_H
#define CDBG_OPTION_H
#include <stdbool.h>
#include "engine/option_def.h"

int option_set(struct session *s, const char *name, const char *value, struct err *err);
long option_number(const struct session *s, const char *name); /* bools too; BUG() when there is none */
const char *option_text(const struct session *s, const char *name);
bool option_is(const struct session *s, const char *name, const char *text); /* has it this text? */
const struct option_def *option_find(const struct session *s, const char *name, struct err *err); /* prefixes */
/* The i-th of all, core's first, then plugins'; NULL past the last. */
const struct option_def *option_at(const struct session *s, int i);
void option_add(struct session *s, const struct option_def *defs); /* ends with name NULL; kept by reference */
void option_value(const struct session *s, const struct option_def *d, char *out, int size);

#endif
