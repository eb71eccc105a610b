/* SPDX-License-Identifier: BSD-3-Clause */
/* Error values: what failed, as a text that only a front end prints.  Knows nothing else. */
#ifndef CDBG_ERR_H
#define CDBG_ERR_H

struct err {
	char text[1000];
};

/*
 * Record a failure: lower case, what failed, on what (in single quotes), and what to do about it; complete enough to
 * print as it is. err may be NULL.  Always returns -1, so that callers can `return err_set(err, ...)`.
 */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
