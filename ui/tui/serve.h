/* SPDX-License-Identifier: BSD-3-Clause */
/* What the stopped thread does for the UI thread.  Knows no screen. */
#ifndef CDBG_SERVE_H
#define CDBG_SERVE_H
#include "engine/session.h"

void serve_views(void);                      /* tell the UI which views there are */
struct val *serve_status(struct session *s); /* what the status line says: owned by the caller */
/* Run a command line; what a person reads of it goes to out.  -1: it is an error. */
int serve_line(struct session *s, const char *line, struct buf *out);
void serve_one(struct session *s);           /* wait for one request, do it, answer it */

#endif
