/* SPDX-License-Identifier: BSD-3-Clause */
/* A short text that is typed at the bottom line: a search, a filter, an answer.  Knows no screen. */
#ifndef CDBG_TUI_TYPED_H
#define CDBG_TUI_TYPED_H
#include <stdbool.h>
#include "base/buf.h"
#include "ui/line/input.h"

/* Adds a character or what was pasted, or takes the last one away.  True: the text has changed. */
bool typed_key(struct buf *text, const struct key *k);

#endif
