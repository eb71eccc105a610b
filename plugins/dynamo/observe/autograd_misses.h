/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled autograd's reasons why it captures again: torch tells them to a logger, which is cdbg's here and passes them
   on to the one that the program set. */
#ifndef DYNAMO_OBSERVE_AUTOGRAD_MISSES_H
#define DYNAMO_OBSERVE_AUTOGRAD_MISSES_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

extern const struct watcher watch_autograd_logger;
extern const struct watcher watch_autograd_compiler;
/* The reasons that came since the last call, a line for each; owned by the caller, NULL: none. */
char *autograd_misses_take(void);
void autograd_misses_stop(void); /* the program's logger again */

#endif
