/* SPDX-License-Identifier: BSD-3-Clause */
/* The side of the process that is attached to: what the code of src/attach/inject.c calls, by the only functions,
   beside that of the module, that the shared object exports; and the program of src/attach/remote_exec.c. */
#ifndef CDBG_ATTACHED_H
#define CDBG_ATTACHED_H

struct page;

/* Begin the session that the page describes, in a pending call of the main thread.  Returns 0: it raises nothing. */
__attribute__((visibility("default"))) int attached_pending(struct page *p);
/* Have the main thread, which is blocked in a system call, come to it; the session begins without it
   where it does not.  In that thread, stopped there, without the GIL.  Returns 0. */
__attribute__((visibility("default"))) int attached_thread(struct page *p);
/* The same of a page in a file, which the process that attaches maps, too; with the GIL, in the main thread. */
void attached_page(const char *path);

#endif
