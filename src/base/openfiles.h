/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that the program has open, and their positions, which a forked child shares with its parent.  cdbg's own
   descriptors, the files that these have, and 0, 1 and 2 are left out: a conversation does not go back. */
#ifndef CDBG_OPENFILES_H
#define CDBG_OPENFILES_H
#include <stddef.h>
#include <sys/types.h>

struct buf;

struct openfile {
	int fd;
	dev_t dev;
	ino_t ino;
	off_t at;
};

struct openfiles {
	struct openfile *file; /* owned */
	size_t n, cap;
	int pipes, sockets; /* whose contents nobody can put back */
};

void openfiles_save(struct openfiles *o); /* the positions of regular files; replaces what was saved */
/* As they were saved, for descriptors that still have that file.  Returns how many could not be set. */
int openfiles_restore(const struct openfiles *o);
/* The device of an accelerator that the process uses, whose driver does not work in a forked child: "/dev/nvidia-uvm";
   static, NULL: none. */
const char *openfiles_device(void);

#endif
