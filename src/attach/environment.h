/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of another process's environment.  Owned by the caller; NULL: it has none of this name, or cannot be
   read. */
#ifndef CDBG_ENVIRONMENT_H
#define CDBG_ENVIRONMENT_H
#include <sys/types.h>

char *environment_at_start(pid_t pid, const char *name);
/* With what it has set since, as by os.environ. */
char *environment_now(pid_t pid, const char *name);

#endif
