/* SPDX-License-Identifier: BSD-3-Clause */
/* What another process was started with: variables of its environment and its command line.  Owned by the caller;
   NULL: it has none of this name, or cannot be read. */
#ifndef CDBG_ENVIRONMENT_H
#define CDBG_ENVIRONMENT_H
#include <sys/types.h>

struct buf;

char *environment_at_start(pid_t pid, const char *name);
/* With what it has set since, as by os.environ. */
char *environment_now(pid_t pid, const char *name);
/* Adds its words, each with its NUL. */
void environment_words(pid_t pid, struct buf *out);

#endif
