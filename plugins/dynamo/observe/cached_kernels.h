/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernels that inductor wrote in C++ do with their parameters.  Knows text only. */
#ifndef DYNAMO_OBSERVE_CACHED_KERNELS_H
#define DYNAMO_OBSERVE_CACHED_KERNELS_H
#include <stdbool.h>

struct kernel_use {
	bool read;    /* what was there before; true where it cannot be read */
	bool reduced; /* what it stores last is what a reduction made; false where it cannot be read */
};

/* The kernels that a text defines, the caller's; the text must live as long.  Each is read when it is first asked
   for. */
struct cached_kernels *cached_kernels_read(const char *text);
void cached_kernels_free(struct cached_kernels *k); /* may be NULL */
/* What a kernel does with a variable that a call "KERNEL(a, b)" gives it; args: "(a, b)" in a longer text, or NULL: it
   cannot be read. */
struct kernel_use cached_kernels_use(struct cached_kernels *k, const char *kernel, const char *args,
				     const char *variable);

#endif
