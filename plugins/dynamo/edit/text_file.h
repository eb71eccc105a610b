/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in files, for the user and the user's editor.  Knows nothing of what they say. */
#ifndef DYNAMO_EDIT_TEXT_FILE_H
#define DYNAMO_EDIT_TEXT_FILE_H
#include "torch/cdbg_host.h"

int text_write(const char *path, const struct buf *text, struct err *err);
int text_read(const char *path, struct buf *text, struct err *err);
char *text_temporary(struct err *err); /* makes an empty file: its path, owned by the caller, or NULL */

#endif
