/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory which both the process that attaches and the other one read and write: what to do there, and what came of it.
   Made by inject.c in the other one, or by remote_exec.c in a file that both map; read by src/attached.c.  Machine code
   of inject.c knows the places of its first members. */
#ifndef CDBG_PAGE_H
#define CDBG_PAGE_H
#include <stdint.h>

enum page_state {
	PAGE_QUEUED = 1, /* nobody has begun with it */
	PAGE_NO_LIBRARY, /* the shared object could not be loaded: `error` is the address of the reason */
	PAGE_BEGUN,
	PAGE_DONE,	/* text: where the process listens, or "" */
	PAGE_FAILED,	/* text: why */
	PAGE_CANCELLED, /* whoever comes to it does nothing */
	PAGE_LENT,	/* `lent` is to be fetched; then it is PAGE_QUEUED again */
};

enum { PAGE_VERSION = 3, PAGE_PATH = 4096, PAGE_WORDS = 8192, PAGE_TEXT = 2048, PAGE_STAYS = 1 << 16 };

struct page {
	uint64_t dlopen, dlsym, dlerror; /* 0 */
	uint64_t error;			 /* 24 */
	_Atomic uint32_t state;		 /* 32: enum page_state */
	uint32_t version;		 /* of this struct */
	char entry[64];			 /* 40: the function to call */
	char library[PAGE_PATH];	 /* 104: of cdbg */
	_Atomic uint32_t left;		 /* 4200: the machine code was run, and returns */
	int32_t channel;		 /* a descriptor of the process, or -1 */
	_Atomic uint32_t threads;	 /* of cdbg's that use the page; PAGE_STAYS: never unmap it */
	uint32_t wants;			 /* a channel is to be made there, since there is none yet */
	int32_t lent;			 /* ... of which this descriptor is the other process's */
	char words[PAGE_WORDS];		 /* of cdbg's command line, each ends with NUL; an empty one ends them */
	char text[PAGE_TEXT];
};

#endif
