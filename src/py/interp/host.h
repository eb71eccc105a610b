/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter as a whole: its version, its standard streams.  Knows no frame. */
#ifndef CDBG_HOST_H
#define CDBG_HOST_H
#include <stddef.h>

struct err;

const char *host_version(void); /* "3.11.7"; static */
/*
 * What sys.stdout and sys.stderr hold back goes to their descriptors, where they are Python's own text files.
 * To be called inside a stop; runs no code of the program.
 */
void host_flush(void);
/* Source that has a name but no file (FX graphs, notebook cells, files in archives), as Python's linecache knows it: at
   most max bytes, the caller's; NULL: none.  To be called inside a stop; a loader of the program's may run. */
char *host_linecache(const char *name, size_t max);
/* The user's editor ($VISUAL, $EDITOR, vi) on this file, to its end; other threads run on meanwhile.  terminal: a
   descriptor that is the editor's 0, 1 and 2, -1: those of the process.  -1: err. */
int edit_file(const char *path, int terminal, struct err *err);

#endif
