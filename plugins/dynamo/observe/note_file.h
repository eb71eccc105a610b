/* SPDX-License-Identifier: BSD-3-Clause */
/* Where cdbg keeps notes between runs: small files in $XDG_CACHE_HOME/cdbg, or ~/.cache/cdbg.  Only the user can read
   them, no link is followed, and the oldest go when there are many.  Does not depend on what the notes say. */
#ifndef DYNAMO_OBSERVE_NOTE_FILE_H
#define DYNAMO_OBSERVE_NOTE_FILE_H
#include <stdbool.h>
#include <stddef.h>

/* The note of that name, a plain file name; owned by the caller.  NULL: there is none, or it is not the user's own. */
char *note_file_read(const char *name);
/* Writes a note, whole or not at all; a failure leaves the earlier one.  False: it was not written. */
bool note_file_write(const char *name, const char *text, size_t n);

#endif
