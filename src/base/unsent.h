/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes on their way into a descriptor that does not block: what its reader does not take waits here, so that who
   writes is held up by nobody.  Knows libc only. */
#ifndef CDBG_UNSENT_H
#define CDBG_UNSENT_H
#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"

/* All zero at first.  Where more than UNSENT_MOST bytes wait, read no more of where they come from. */
struct unsent {
	struct buf b;
	size_t sent; /* so many at its beginning have been written */
};

enum { UNSENT_MOST = 1 << 20 };

/* Write these n bytes, or what waits if there are none, as far as there is room.  What has no reader any more is
   dropped. */
void unsent_write(struct unsent *u, int fd, const char *s, size_t n);
size_t unsent_left(const struct unsent *u); /* bytes that wait: poll for POLLOUT, and write again */
void unsent_drop(struct unsent *u);	    /* all that waits; keeps the memory */
void unsent_release(struct unsent *u);

#endif
