/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written and read by a name that others may know: an earlier file stays as it was until the new one is
   complete, no other user's link or file is followed or filled, and nothing blocks.  SECURITY.md has the rules.
   Knows libc only. */
#ifndef CDBG_FILE_H
#define CDBG_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct buf;
struct err;

/* Write all bytes: an interrupted write is repeated, a full pipe waited for.  -1: errno. */
int file_write_all(int fd, const char *s, size_t n);

/* A file that is being written beside its place. */
struct file_out {
	int fd;	    /* where its bytes go */
	char *name; /* as it was given; owned */
	int dir;    /* the folder that the file is in */
	char *file; /* its name in there; owned */
	char *temp; /* the name of what is written, in the same folder; owned; NULL: fd is the file itself, a device for
			example */
	bool exists; /* a file has the name and is replaced */
};

/*
 * Begin to write a file.  One that exists keeps its mode, its group, and for root its owner; a new one gets `mode` less
 * the umask.  A link that the user or root made is followed; other hard links keep the earlier text.  Anything that is
 * not a regular file, as /dev/stdout, is written to as it is.  0: the caller writes to f->fd and then calls
 * file_commit() or file_discard(); -1: err.
 */
int file_begin(struct file_out *f, const char *name, mode_t mode, struct err *err);
/* Once the contents are on the disk, the file gets its name.  -1: err, the earlier file is as it was.  f is released
   either way. */
int file_commit(struct file_out *f, struct err *err);
void file_discard(struct file_out *f);
/* err: writing f failed for the reason that errno says, and what the user can do.  Returns -1. */
int file_failed(const struct file_out *f, int reason, struct err *err);
/* All of it at once. */
int file_write(const char *name, const char *text, size_t n, mode_t mode, struct err *err);

/* A descriptor that appends to a file, which is created if there is none.  -1: err. */
int file_append(const char *name, struct err *err);
/* Add what a file contains, at most `max` bytes: one that is longer is an error.  `own`: it must be a regular file that
   the user owns and no other user can write.  -1: err. */
int file_read(const char *name, bool own, struct buf *text, size_t max, struct err *err);
/* Open a regular file to read it, or a pipe that a process has opened to write.  -1: errno. */
int file_open(const char *name);
/* The same for regular files only. */
int file_open_regular(const char *name);

/* "; free some space": what a user can do for errno, to be added to an error; "": nothing in general. */
const char *file_remedy(int reason);
/* The path of a file without its parts "." and ".." and doubled slashes: in room, of PATH_MAX bytes, or the path itself
   if it has none or is relative.  Where a link makes ".." lead elsewhere it is the real path. */
const char *file_plain_path(const char *path, char *room);
/* Wait until a file is on its disk; not every kind of file or file system can.  -1: errno. */
int file_sync(int fd);

#endif
