/* SPDX-License-Identifier: BSD-3-Clause */
/* What the report of a crash says of generated code and of graphs' code: regions, nodes and kernels as plain data
   beside the code, made when it appears, since nothing can be asked in a signal handler.  Knows no stop. */
#ifndef DYNAMO_CODE_CRASH_NOTES_H
#define DYNAMO_CODE_CRASH_NOTES_H

struct entry;

/* For the entry's generated code. */
void crash_notes_entry(struct entry *e);
/* For graphs' code that has none yet, or whose entry was not known.  e: the entry that was compiled meanwhile, whose
   code it is; or NULL. */
void crash_notes_graphs(struct entry *e);
/* For all that is there. */
void crash_notes_all(void);

#endif
