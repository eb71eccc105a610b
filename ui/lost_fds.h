/* SPDX-License-Identifier: BSD-3-Clause */
/* What a front end can still do when the program has closed or replaced its descriptors: restore the terminal, and say
   that cdbg detaches.  Never writes to a file that it has not written to before. */
#ifndef CDBG_LOST_FDS_H
#define CDBG_LOST_FDS_H

void lost_fds_remember(void); /* at the start: records the files of descriptors 0, 1 and 2 */
/* The terminal that was descriptor 0, 1 or 2, opened again: the caller closes it.  -1: there was none, or it cannot be
   opened.  Async-signal-safe. */
int lost_fds_terminal(void);
/* Say that the program took cdbg's descriptors: on fd if it is still ours, else where standard error and output still
 * are what they were, else on that terminal. */
void lost_fds_say(int fd);

#endif
