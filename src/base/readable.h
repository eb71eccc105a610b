/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether memory of this process can be read. */
#ifndef CDBG_READABLE_H
#define CDBG_READABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Can all bytes from `from` up to but not `to` be read?  Asks the kernel for a byte of each page, so that memory that
   maps the end of a file which was cut gives no signal. */
bool readable_memory(uintptr_t from, uintptr_t to);
/* Copies n bytes from an address that may be wrong; false: they cannot all be read.  Async-signal-safe.  Where the
   kernel forbids the call that asks, it reads at once: the caller's signal handler must then survive a fault. */
bool readable_copy(void *to, uintptr_t from, size_t n);

#endif
