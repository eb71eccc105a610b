/* SPDX-License-Identifier: BSD-3-Clause */
/* Source text by file and line: from the file, else from Python's linecache.  Cached for the session. */
#ifndef CDBG_SOURCE_H
#define CDBG_SOURCE_H

struct err;
struct session;

/* Line 1, 2, ... without its newline; valid for the whole session; NULL when there is none. */
const char *source_line(struct session *s, const char *file, int line);
/* The text of a name that no file has, such as "<stdin>"; copied. */
void source_given(struct session *s, const char *name, const char *text);
int source_lines(struct session *s, const char *file, struct err *err); /* how many; -1: no source */
/* What each byte of that line is, a letter each (enum token_kind); borrowed; NULL: not known.  Reads the tokens of the
   lines up to this one, at a stop only. */
const char *source_syntax(struct session *s, const char *file, int line);
/* The same for a line of a text that comes from no file; borrowed until another text is asked about. */
const char *source_text_syntax(struct session *s, const char *text, int line);
/* Full path of a program's file given by its name or a tail of its path; borrowed; NULL: unknown. */
const char *source_find(struct session *s, const char *name);

#endif
