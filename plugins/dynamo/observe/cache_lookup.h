/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo's lookups: its hook after each one, and its callback before generated code runs, in place only while hits are
   counted or misses are caught.  Both are called from C++ that ends the process on an exception: none leaves here. */
#ifndef DYNAMO_OBSERVE_CACHE_LOOKUP_H
#define DYNAMO_OBSERVE_CACHE_LOOKUP_H
#include "torch/cdbg_host.h"

void lookup_changed(struct session *s); /* the option count */
void lookup_wake(void);
void lookup_stop(void);
bool lookup_counted(void);   /* hits are, or were, counted */
bool lookup_countable(void); /* this torch has the hooks for it */
enum lookup { LOOKUP_NONE, LOOKUP_HIT, LOOKUP_MISS };
void lookup_watch(bool on);    /* somebody asks lookup_take() */
enum lookup lookup_take(void); /* what this thread's last lookup came to, told once */

#endif
