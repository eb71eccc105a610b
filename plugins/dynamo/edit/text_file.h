/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in files, for the user and the user's editor.  Knows nothing of what they say. */
#ifndef DYNAMO_EDIT_TEXT_FILE_H
#define DYNAMO_EDIT_TEXT_FILE_H
#include "torch/cdbg_host.h"

/* A file that exists stays as it is until the new one is complete. */
int text_file_write(const char *path, const struct buf *text, struct err *err);
int text_file_read(const char *path, struct buf *text, struct err *err);
/* The same, of a file that no other user can have written. */
int text_file_read_own(const char *path, struct buf *text, struct err *err);
/* Makes a file with this text that only the user can read: its path, owned by the caller, or NULL. */
char *text_file_temporary(const struct buf *text, struct err *err);

#endif
