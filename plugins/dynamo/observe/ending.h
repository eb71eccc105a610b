/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the program: what torch does at its exit is not the program's doing, so the states of entries are kept
   before. */
#ifndef DYNAMO_OBSERVE_ENDING_H
#define DYNAMO_OBSERVE_ENDING_H
#include "torch/host.h"

int ending_watch(void); /* -1: it cannot be */
void ending_forget(void);

#endif
