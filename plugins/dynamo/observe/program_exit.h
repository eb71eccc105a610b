/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the program: what torch does at its exit is not the program's doing, so the states of entries are kept
   before. */
#ifndef DYNAMO_OBSERVE_PROGRAM_EXIT_H
#define DYNAMO_OBSERVE_PROGRAM_EXIT_H
#include "torch/cdbg_host.h"

int program_exit_watch(void); /* -1: it cannot be */
void program_exit_forget(void);

#endif
