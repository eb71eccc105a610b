/* SPDX-License-Identifier: BSD-3-Clause */
/* CDBG_SELFCHECK=1: every instruction of every frame is checked instead of debugged: static depth against the saved
   one, and each slot readable. */
#ifndef CDBG_SELFCHECK_H
#define CDBG_SELFCHECK_H
#include "py/hook/hook.h"

bool selfcheck_wanted(void);
int selfcheck_start(struct err *err); /* in place of hook_start() with the engine's sink */
/* "selfcheck: 123 instructions, 0 depths wrong, 456 slots, 0 bad"; true when nothing was wrong. */
bool selfcheck_report(struct buf *out);

#endif
