/* SPDX-License-Identifier: BSD-3-Clause */
/* Source text by file and line: from the file, else from Python's linecache.  Cached for the session. */
#ifndef CDBG_SOURCE_H
#define CDBG_SOURCE_H

struct err;
struct session;

/* Line 1, 2, ... without its newline; borrowed until source_release(); NULL when there is none. */
const char *source_line(struct session *s, const char *file, int line);
int source_lines(struct session *s, const char *file, struct err *err);      /* how many; -1: no source */
/* Full path of a program's file given by its name or a tail of its path; borrowed; NULL: unknown. */
const char *source_find(struct session *s, const char *name);
void source_release(struct session *s);

#endif
