/* SPDX-License-Identifier: BSD-3-Clause */
/* The line editor of plain mode and of the full screen: libedit on a stack of its own, fed one character at a time.
   Reads no key, knows no signal and never calls Python.  One thread at a time uses an editor. */
#ifndef CDBG_EDITOR_H
#define CDBG_EDITOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/buf.h"

struct editor;
struct err;

enum editor_want { EDITOR_MORE, EDITOR_LINE, EDITOR_EOF, EDITOR_COMPLETE };
/* What a completion did. */
enum editor_done { EDITOR_CHANGED, EDITOR_LISTED, EDITOR_NOTHING };

/* On a terminal, where libedit draws.  The streams stay the caller's.  prompt() is called whenever the line is drawn.
   NULL: no memory for it. */
struct editor *editor_on_terminal(FILE *in, FILE *out, const char *(*prompt)(void));
/* The caller draws it: libedit's terminal is a private pty that nobody reads, and its output is discarded. It begins
   to read at once. */
struct editor *editor_hidden(struct err *err);
bool editor_ok(const struct editor *ed); /* the descriptors of a hidden editor are unchanged; NULL: true */
void editor_close(struct editor *ed);	 /* NULL: nothing */
void editor_forget(struct editor *ed);	 /* its descriptors are lost: as above, but libedit writes nothing */

/* Continues after EDITOR_LINE, EDITOR_EOF or EDITOR_COMPLETE; on a terminal it also begins the first line. */
enum editor_want editor_continue(struct editor *ed);
/* One character (or a byte of a key sequence, which libedit's own bindings read). */
enum editor_want editor_feed(struct editor *ed, uint32_t c);
/* There are no more characters: discards the line and returns EDITOR_EOF. */
enum editor_want editor_end(struct editor *ed);
/* Does it know the sequence of bytes that a key sends?  Of those that it does not know it would take some as text. */
bool editor_knows(struct editor *ed, const char *bytes);
void editor_completed(struct editor *ed, enum editor_done done); /* before it continues; else EDITOR_CHANGED */
const char *editor_text(const struct editor *ed);		 /* the line of EDITOR_LINE, UTF-8 */
void editor_cancel(struct editor *ed); /* Ctrl-C in a hidden editor: discards the line in any state */
void editor_insert(struct editor *ed, const char *text, size_t n); /* as typed, with control characters as spaces */
void editor_set(struct editor *ed, const char *text);		   /* the whole line of a hidden one */
/* The line to draw, the byte of the cursor in it, and libedit's search label ("bck:pattern") or "". */
void editor_show(const struct editor *ed, struct buf *line, size_t *cursor, struct buf *label);
const char *editor_before_cursor(const struct editor *ed, size_t *n); /* as libedit converts it to bytes */
bool editor_empty(const struct editor *ed);
bool editor_idle(const struct editor *ed); /* emacs mode, no search of the history: Escape alone means nothing */
bool editor_beeped(struct editor *ed);	   /* a hidden one, since the last call */
/* Runs commands of libedit such as `bind -l`; a hidden editor prints to out. */
void editor_command(struct editor *ed, const char *line, struct buf *out);

/* On a terminal. */
void editor_prepare(
	struct editor *ed); /* for a line: its size may be another; what is typed is the editor's from now on */
void editor_pause(struct editor *ed);  /* in the middle of a line: the terminal is as it was */
void editor_resume(struct editor *ed); /* the terminal belongs to the editor again, which draws the line again */
void editor_reset(struct editor *ed);  /* after a line that was not finished */

#endif
