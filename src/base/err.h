/* SPDX-License-Identifier: BSD-3-Clause */
/* Error values: what failed, said once, printed only by a front end.  Knows nothing else. */
#ifndef CDBG_ERR_H
#define CDBG_ERR_H

struct err {
	char text[1000];
};

/*
 * Record a failure: lower case, what failed first, the subject in single quotes, and the remedy when there is
 * one; whole enough to print as it is.  err may be NULL.  Always returns -1, so that callers can
 * `return err_set(err, ...)`.
 */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
