/* SPDX-License-Identifier: BSD-3-Clause */
/* The descriptors that cdbg keeps open in the program's process.  The program may close them or put files of its own in
   their place at any time, so each has a high number, and is compared with what it was before it is used. */
#ifndef CDBG_OWNFD_H
#define CDBG_OWNFD_H
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/*
 * Each returns the number of a registered close-on-exec descriptor, -1 with errno set on failure.  Numbers are as high
 * as the limit of open files allows, up to a bound that keeps fork() fast.  A forked child closes them all.
 */
int ownfd_move(int fd);	 /* closes fd, also on failure */
int ownfd_copy(int fd);	 /* fd stays open */
int ownfd_adopt(int fd); /* registers fd itself; its number does not change */

/* Whether children of later forks keep the descriptors (a child that is debugged instead of its parent). */
void ownfd_inherit(bool on);

/* Still the file that it was when it was registered?  Async-signal-safe; keeps errno. */
bool ownfd_ok(int fd);
/*
 * The same without the way it was opened: one system call in place of two.  For who reads or writes at once, and calls
 * ownfd_ok() when that fails with EBADF.
 */
bool ownfd_same_file(int fd);
/* The same; fills *st as statx() does, with its type, its inode and what the bits of `more` ask for. */
bool ownfd_statx(int fd, unsigned int more, struct statx *st);
/* Is this the file of one of them?  It may be open under another number, too. */
bool ownfd_has_file(const struct stat *st);
/* Close it if it is still ours, and forget it.  -1 is ignored. */
void ownfd_close(int fd);
/* The same for a stream on a registered descriptor.  A stream whose descriptor is lost is abandoned unflushed. */
void ownfd_fclose(FILE *f);

/*
 * Give the calling thread a table of descriptors of its own, with those that are registered and 0, 1 and 2: nothing
 * that the program does reaches it.  What the thread registers then is in its own table only; what it closes stays
 * open in the program's until ownfd_reap().  -1: the kernel cannot, and the table stays the program's.
 */
int ownfd_private(void);
void ownfd_reap(void); /* by a thread of the program, when the thread above has ended */

#endif
