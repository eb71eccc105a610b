/* SPDX-License-Identifier: BSD-3-Clause */
/* What the fuzz targets share: input cut into numbers and texts, and the target that runs at a stop of a live program.
   Knows no parser. */
#ifndef CDBG_FUZZ_H
#define CDBG_FUZZ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold of every input, in a build of any kind. */
#define HOLDS(what) ((what) ? (void)0 : BUG("does not hold: %s", #what))

/* The next byte of the input; 0 when it is used up. */
static inline int fuzz_byte(const uint8_t **data, size_t *size)
{
	if (!*size)
		return 0;
	--*size;
	return *(*data)++;
}

/* The rest as text, owned by the caller.  A NUL ends it, as it does for every parser of text. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	return mem_strn((const char *)data, size);
}

struct session;

/* Defined by a target that needs a stopped program: once per input, at the stop. */
extern int (*const fuzz_at_stop)(struct session *s, const uint8_t *data, size_t size);
/* May the line be run?  Not if it writes files, reads devices, starts processes or may not end. */
bool fuzz_harmless(struct session *s, const char *line);
/* Run it, and write its answer as both kinds of front ends do. */
void fuzz_run(struct session *s, const char *line);

#endif
