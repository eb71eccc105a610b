/* SPDX-License-Identifier: BSD-3-Clause */
/* set collective-timeout day: process groups of torch.distributed wait a day for each other, so that a rank can stand
   at a stop.  Knows no tensor. */
#ifndef TENSOR_GROUP_TIMEOUT_H
#define TENSOR_GROUP_TIMEOUT_H
#include <stdbool.h>

struct cdbg_host;

/*
 * on: existing groups get a timeout of a day, and those that are made from now on are made with it; their own are
 * kept.  off: all is as before, but for groups whose timeout the program has changed meanwhile.  What is in a
 * collective keeps the timeout with which it began.  With the GIL.  Imports nothing: before torch.distributed is
 * imported it does nothing.  What this torch lacks is said once.
 */
void group_timeout(const struct cdbg_host *host, bool on);

#endif
