/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that wait for room in a descriptor: see unsent.h. */
#include "base/unsent.h"
#include <errno.h>
#include <unistd.h>

size_t unsent_left(const struct unsent *u)
{
	return u->b.len - u->sent;
}

void unsent_drop(struct unsent *u)
{
	buf_reset(&u->b);
	u->sent = 0;
}

void unsent_release(struct unsent *u)
{
	buf_release(&u->b);
	u->sent = 0;
}

void unsent_write(struct unsent *u, int fd, const char *s, size_t n)
{
	ssize_t done;

	if (u->sent > UNSENT_MOST) { /* what was sent takes no more room than what waits */
		memmove(u->b.s, u->b.s + u->sent, unsent_left(u));
		u->b.len -= u->sent;
		u->sent = 0;
	}
	buf_add(&u->b, s, n);
	while (unsent_left(u)) {
		done = write(fd, u->b.s + u->sent, unsent_left(u));
		if (done > 0)
			u->sent += (size_t)done;
		else if (done == 0 || errno == EAGAIN)
			return;
		else if (errno != EINTR)
			break;
	}
	unsent_drop(u);
}
