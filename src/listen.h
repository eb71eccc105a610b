/* SPDX-License-Identifier: BSD-3-Clause */
/* How a program serves clients that come while it runs: cdbg.listen(), and a session for each later client. */
#ifndef CDBG_LISTEN_H
#define CDBG_LISTEN_H

/* Has the main thread begin a session, since a client came when there was none.  Any thread, no GIL needed. */
void listen_again(void);
void listen_prepare(void); /* before a process listens; with the GIL */

#endif
