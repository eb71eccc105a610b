/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo's lookups: the hook that it calls after each one, and its callback before generated code runs.  Both are
   set only while hits are counted or misses are caught.  C++ code calls both and ends the process on an exception, so
   they never raise one. */
#ifndef DYNAMO_OBSERVE_CACHE_LOOKUP_H
#define DYNAMO_OBSERVE_CACHE_LOOKUP_H
#include "torch/cdbg_host.h"

void lookup_changed(struct session *s); /* the option count */
void lookup_wake(void);
void lookup_stop(void);
bool lookup_counted(void);   /* hits are counted, or were at some time */
bool lookup_countable(void); /* does this version of torch have the hooks? */
enum lookup { LOOKUP_NONE, LOOKUP_HIT, LOOKUP_MISS };
void lookup_watch(bool on);    /* turn on for callers of lookup_take() */
enum lookup lookup_take(void); /* the result of this thread's last lookup; returned once */

#endif
