/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks the kernel whether memory can be read: see readable.h. */
#include "base/readable.h"
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { AT_ONCE = 512 }; /* pages in one call */

bool readable_memory(uintptr_t from, uintptr_t to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = from;
	struct iovec here, there[AT_ONCE];
	char bytes[AT_ONCE];
	size_t n;

	while (at < to) {
		for (n = 0; n < AT_ONCE && at < to; n++, at = (at / page + 1) * page)
			there[n] = (struct iovec){ .iov_base = (void *)at, .iov_len = 1 };
		here = (struct iovec){ .iov_base = bytes, .iov_len = n };
		if (process_vm_readv(getpid(), &here, 1, there, n, 0) != (ssize_t)n)
			return false;
	}
	return true;
}

bool readable_copy(void *to, uintptr_t from, size_t n)
{
	struct iovec here = { .iov_base = to, .iov_len = n }, there = { .iov_base = (void *)from, .iov_len = n };
	ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

	if (got >= 0 || errno == EFAULT)
		return got == (ssize_t)n;
	memcpy(to, (const void *)from, n);
	return true;
}
