/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of processes, as the kernel counts it.  -1: it does not say. */
#ifndef CDBG_PROCMEM_H
#define CDBG_PROCMEM_H
#include <sys/types.h>

struct buf;

long long procmem_own(pid_t pid);  /* bytes that the process shares with no other */
long long procmem_written(void);   /* bytes that this process has written: a rewrite copies them after a fork */
long long procmem_available(void); /* bytes that can be had without swapping, also under the limits of a cgroup */
void procmem_text(long long bytes, struct buf *out); /* "230 MB" */

#endif
