/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry that a command edits: given by its id, the only one of a function, or that of the selected frame. */
#ifndef DYNAMO_EDIT_EDITED_ENTRY_H
#define DYNAMO_EDIT_EDITED_ENTRY_H
#include "torch/cdbg_host.h"

struct entry;

/* Parse the arguments of a command: an entry by its id. */
struct entry *edit_entry(const char **args, struct err *err);
/* Copies the first word, at most size - 1 bytes of it.  Returns the word's length. */
size_t edit_word(const char *args, char *out, size_t size);
int edit_lives(struct entry *e, struct err *err); /* -1 with err */
/* Completes an argument ENTRY: the numbers of live entries. */
void edit_complete_entry(struct session *s, const char *args, const char *word, struct val *list);
struct entry *edit_selected(struct err *err); /* of the selected frame's generated code */

#endif
