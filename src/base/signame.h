/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of signals. */
#ifndef CDBG_SIGNAME_H
#define CDBG_SIGNAME_H

enum { SIGNALS = 65 }; /* numbers are below it */

/* "SIGTERM" for 15, "SIG40" for one without a name; static.  NULL where no signal has that number. */
const char *signame_name(int number);
const char *signame_help(int number); /* "Terminated"; static */
/* "SIGTERM", "TERM", "sigterm" or "15"; 0: there is no such signal. */
int signame_number(const char *text);
/* Why cdbg cannot stop at this signal nor discard it: a text, or NULL when it can. */
const char *signame_uncatchable(int number);

#endif
