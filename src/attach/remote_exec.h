/* SPDX-License-Identifier: BSD-3-Clause */
/* Has the main thread of another process run a file of Python, by CPython's own protocol for debuggers (PEP 768,
   CPython 3.14 and later): words in its memory are written, and it looks between two instructions.  Nothing is
   stopped, and no code is put there.  The file has it load cdbg and read the page, which both processes map. */
#ifndef CDBG_REMOTE_EXEC_H
#define CDBG_REMOTE_EXEC_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct page;

struct remote_exec {
	pid_t pid;
	struct page *page; /* shared; NULL: nobody was asked */
	int memory, file;  /* of the page, and of the program */
	uintptr_t pending; /* the word there that asks */
};

/* false: this process or that one cannot do it, and nothing has been changed.  page is copied. */
bool remote_exec_ask(struct remote_exec *r, pid_t pid, uintptr_t runtime, const struct page *page);
/* Nobody is to begin any more.  False: somebody has begun. */
bool remote_exec_cancel(struct remote_exec *r);
void remote_exec_end(struct remote_exec *r); /* after that, or when it is done */

#endif
