/* SPDX-License-Identifier: BSD-3-Clause */
/* HTML written into a buffer: everything that comes from the program goes through html_text().  Knows no report. */
#ifndef DYNAMO_REPORT_HTML_H
#define DYNAMO_REPORT_HTML_H
#include "torch/cdbg_host.h"

/* Text and attribute values: &, <, >, quotes escaped; control characters as signs; invalid UTF-8 as U+FFFD. */
void html_text(struct buf *out, const char *s);
/* Markup with arguments: %s is escaped, %S is markup itself, %d an int, %l a long long, %z a size_t, %f a double with
   two digits; %% is %. */
void html(struct buf *out, const char *fmt, ...);
/* A JSON tree inside a <script>: valid for any texts. */
void html_json(struct buf *out, const struct val *v);
/* A path as a relative URL: bytes with a meaning in URLs are escaped. */
void html_url(struct buf *out, const char *path);
/* The beginning and the end of a page; up: "" or "../", the path to the report's first page. */
void html_begin(struct buf *out, const char *title, const char *up);
void html_end(struct buf *out, const char *up);
/* "3.62 s", "740 ms", "1.2 µs": two or three digits. */
void html_seconds(struct buf *out, double seconds);
/* A table's cell with a bar: share of 0 to 1. */
void html_bar(struct buf *out, double share, const char *kind);
/* A table up to its first row.  caption: what a screen reader says of it.  group: its rows are gone through with the
   arrow keys; or NULL.  heads: "Function|#Time", # marks a column of numbers; NULL: lines of code, without heads.
   html_table_end() ends it. */
void html_table(struct buf *out, const char *kind, const char *caption, const char *group, const char *heads);
void html_table_end(struct buf *out);
/* Python source: words of the language, strings, numbers and comments in spans.  Of a line that is too long for a
   browser, only the beginning and the length. */
void html_python(struct buf *out, const char *line);

#endif
