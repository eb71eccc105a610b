/* SPDX-License-Identifier: BSD-3-Clause */
/* Text in rows of some width, broken between words.  Knows no screen. */
#ifndef CDBG_WRAP_H
#define CDBG_WRAP_H
#include "base/buf.h"

/* One line of len bytes in rows of at most w columns, each with a line break at its end.  Further rows are
   indented by 2 columns more than the first, but not those of prose. */
void wrap_line(const char *s, size_t len, int w, bool prose, struct buf *out);
/* Lines.  help: those that are not indented are paragraphs, which were broken for some width already. */
void wrap_text(const char *s, int w, bool help, struct buf *out);
/* A table with sentences around it: these are wrapped, rows of the table stay. */
void wrap_table(const char *s, int w, struct buf *out);
/* The rows that wrap_text() makes. */
int wrap_rows(const char *s, int w, bool help);

#endif
