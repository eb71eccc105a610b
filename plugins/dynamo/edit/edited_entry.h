/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry that a command edits: given by its id, the only one of a function or resume function, or that of the
   selected frame. */
#ifndef DYNAMO_EDIT_EDITED_ENTRY_H
#define DYNAMO_EDIT_EDITED_ENTRY_H
#include "torch/cdbg_host.h"

struct entry;

/* An entry by its id, or by the name of a function or resume function that has one.  NULL with err. */
struct entry *edit_entry(const char *name, struct err *err);
/* Is it an argument ENTRY: a word, or the name of a resume function, "f (resumed at line 12)"?  -1: err. */
int edit_check_entry(const char *text, struct err *err);
int edit_lives(struct entry *e, struct err *err); /* -1 with err */
/* Completes an argument ENTRY: the numbers of live entries, and names of resume functions. */
void edit_complete_entry(struct session *s, const char *args, const char *word, struct val *list);
struct entry *edit_selected(struct err *err); /* of the selected frame's generated code */

#endif
