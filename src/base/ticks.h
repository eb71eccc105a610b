/* SPDX-License-Identifier: BSD-3-Clause */
/* A clock that is read in a few nanoseconds.  Its unit is the machine's; who needs seconds compares it with
   CLOCK_MONOTONIC at two moments.  Knows libc only. */
#ifndef CDBG_TICKS_H
#define CDBG_TICKS_H
#include <stdint.h>
#include <time.h>

static inline uint64_t ticks_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t ticks_now(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return ticks_ns();
#endif
}

#endif
