/* SPDX-License-Identifier: BSD-3-Clause */
/* In the relay's process: lets clients in, one at a time.  Knows what a client must show, and nothing of what it says
   then. */
#ifndef CDBG_CLIENTS_H
#define CDBG_CLIENTS_H

struct relay_run;

/* Accepts clients, refuses those that must not come or that come while one is there, and passes on what the one sends;
   returns when r->stop is closed. */
void clients_serve(struct relay_run *r);

#endif
