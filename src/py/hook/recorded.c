/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that is recorded, beside what it is armed for.  Knows no version of CPython. */
#include "py/hook/hook.h"

void hook_record(struct code *c, bool on)
{
	if (c->hook.recorded == on)
		return;
	c->hook.recorded = on;
	hook_code(c, c->hook.armed & ~(unsigned)HOOK_RECORD);
}
