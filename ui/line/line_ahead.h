/* SPDX-License-Identifier: BSD-3-Clause */
/* A line from a pipe or a file that the program may read, too: no byte after the line is taken.  Knows no command and
   no terminal. */
#ifndef CDBG_LINE_AHEAD_H
#define CDBG_LINE_AHEAD_H
#include "base/buf.h"

/*
 * Reads the next line of fd with few system calls and adds it to out, without its newline.  fd is a registered
 * descriptor (see ownfd.h); nothing is taken from it if it is no longer ours.  untouched: since the line before, it was
 * neither read by others nor changed, which is not asked for then.  False: out has the beginning of the line, which is
 * empty but for a pipe that others read at this moment.  The rest must be read byte by byte, after a look at the
 * descriptor, because its length is not known: fd is another kind of file, not ours any more, or a pipe that somebody
 * can still write to.
 */
bool line_ahead(int fd, bool untouched, struct buf *out);

#endif
