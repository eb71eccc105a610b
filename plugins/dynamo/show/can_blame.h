/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a text may name the command blame: what refuses a call before anything runs is asked here, too. */
#ifndef DYNAMO_SHOW_CAN_BLAME_H
#define DYNAMO_SHOW_CAN_BLAME_H
#include <stdbool.h>

/* Does the selected frame run an entry's code, so that the entry serves its call, and is this call not refused? */
bool can_blame(void);

#endif
