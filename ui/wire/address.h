/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a session listens, as the user writes it.  Knows no socket that is open. */
#ifndef CDBG_ADDRESS_H
#define CDBG_ADDRESS_H

struct err;

/* "unix:PATH", where %p is the number of the process and no PATH stands for the default one; or "HOST:PORT"; or ":PORT"
   and "PORT" for the loopback interface, "[HOST]:PORT" for an address with colons. */
struct address {
	char *path; /* owned, absolute; NULL: TCP */
	char *host; /* owned; NULL: unix */
	int port;   /* 0: one that is free */
};

int address_parse(struct address *a, const char *text, struct err *err);
void address_release(struct address *a);

#endif
