/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the program: torch changes its caches at exit, which the program did not do, so the states of entries
   are recorded before. */
#ifndef DYNAMO_OBSERVE_PROGRAM_EXIT_H
#define DYNAMO_OBSERVE_PROGRAM_EXIT_H
#include "torch/cdbg_host.h"

int program_exit_watch(void); /* -1: it cannot be */
void program_exit_forget(void);

#endif
