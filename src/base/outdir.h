/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory of files that appears whole or not at all: it is written under another name beside its place,
   then renamed.  A file .cdbg-unfinished is in it as long as it is not complete.
   Knows libc only. */
#ifndef CDBG_OUTDIR_H
#define CDBG_OUTDIR_H
#include <stdbool.h>
#include <stddef.h>

struct err;

struct outdir {
	char *path;	/* where it will be, without symbolic links; owned */
	char *temp;	/* where it is written; owned, NULL once committed or discarded */
	bool replaces;	/* a directory that cdbg wrote exists there; outdir_commit() replaces it */
	bool fresh;	/* nothing has that name */
	unsigned files; /* written so far */
	unsigned long long bytes;
	unsigned left; /* directories that were removed: processes that were killed while they wrote had left them */
	int lock;      /* the file descriptor of .cdbg-unfinished, plus 1; 0: none */
};

/* The path with its parent resolved: it stays valid when the process changes its working directory. Owned by the
   caller; NULL with err: the parent does not exist. */
char *outdir_path(const char *path, struct err *err);
/* Can a directory be written at path?  A directory that exists must be empty, or its file `mark` must begin with
   `begins`: then cdbg wrote it.  -1: err. */
int outdir_check(const char *path, const char *mark, const char *begins, struct err *err);
/* The same, and create the directory that is written to.  0: the caller must call outdir_commit() or
   outdir_discard(). */
int outdir_open(struct outdir *d, const char *path, const char *mark, const char *begins, struct err *err);
/* Write one file; folders in its name are created.  -1: err. */
int outdir_write(struct outdir *d, const char *name, const char *text, size_t n, struct err *err);
/* Rename the directory to its final name, atomically where the file system can exchange directories, once the contents
   of its files are on the disk: what a crash of the machine leaves under that name is whole, too.  -1: err, nothing has
   changed; the outdir is released either way. */
int outdir_commit(struct outdir *d, struct err *err);
void outdir_discard(struct outdir *d);
/* Remove a directory and all that is in it; symbolic links are not followed. */
void outdir_remove(const char *path);

#endif
