/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory of files that appears whole or not at all: it is written under another name beside its place,
   then renamed.  A file .cdbg-unfinished is in it as long as it is not complete.  In a folder of several users: what
   another user owns is neither followed nor written nor removed.
   Knows libc only. */
#ifndef CDBG_OUTDIR_H
#define CDBG_OUTDIR_H
#include <stdbool.h>
#include <stddef.h>

struct err;

struct outdir {
	char *path;	/* where it will be, without symbolic links; owned */
	char *temp;	/* the name under which it is written, beside its place; owned, NULL: there is none (yet) */
	bool replaces;	/* a directory that cdbg wrote exists there; outdir_commit() replaces it */
	bool fresh;	/* nothing has that name */
	unsigned files; /* written so far */
	unsigned long long bytes;
	unsigned left; /* directories that were removed: processes that were killed while they wrote had left them */
	/* Descriptors, -1: none. */
	int parent; /* the folder that it is in */
	int dir;    /* the directory that is written */
	int lock;   /* its .cdbg-unfinished */
};

/* The path with its parent resolved: it stays valid when the process changes its working directory. Owned by the
   caller; NULL with err: the parent does not exist, or path is a link of another user. */
char *outdir_path(const char *path, struct err *err);
/* Can a directory be written at path?  A directory that exists must be the user's own, and empty, or its file `mark`
   must begin with `begins`: then cdbg wrote it.  -1: err. */
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

#endif
