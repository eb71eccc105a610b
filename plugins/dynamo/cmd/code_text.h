/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes generated code as text, reads it from a file, and assembles it into a clone of its entry.  Never changes
   the code that Dynamo made.  Knows no command. */
#ifndef DYNAMO_CMD_CODE_TEXT_H
#define DYNAMO_CMD_CODE_TEXT_H
#include "torch/cdbg_host.h"

struct entry;

/* The code of an entry, as 'code assemble' reads it; always 0. */
int code_text_write(struct entry *e, struct buf *out, struct err *err);
/* The same with a change.  line: for each instruction its line in the text, or NULL. */
void code_text_changed(struct entry *e, const struct asm_style *change, int *line, struct buf *out);
/* Make a clone of `base` with the code `made`, a reference that is taken; a clone that is not in the cache is changed
   itself.  how: for the message.  -1: err has been set, also where made is NULL. */
int code_take(struct entry *base, PyObject *made, const char *how, struct reply *out, struct err *err);
/* Assemble a text for a clone of `base`.  -1: err has been set. */
int code_assemble(struct entry *base, const struct buf *text, const char *how, struct reply *out, struct err *err);
/* Write the code of an entry to a file, or make a clone from such a file.  guards: the guards as comments, too. */
int code_save(struct entry *e, const char *path, bool guards, struct reply *out, struct err *err);
int code_load(const char *path, struct reply *out, struct err *err);

#endif
