/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of the self-check: each instruction is recorded, and what the record says of the state before it, each variable
   and each slot, is compared with the frame; now and then from the beginning of a chunk.  CDBG_SELFCHECK=small: the
   rings are as small as they can be. */
#ifndef CDBG_SELFCHECK_RECORD_H
#define CDBG_SELFCHECK_RECORD_H
#include "py/hook/hook.h"

int selfcheck_record_start(struct err *err);
void selfcheck_record_instr(struct hook_thread *t, struct py_frame *f, struct code *c, int index, int depth);
void selfcheck_record_leave(struct hook_thread *t, struct py_frame *f, const struct code *c, int how);
bool selfcheck_record_report(struct buf *out); /* adds; true when nothing was wrong */

#endif
