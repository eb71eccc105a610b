/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line: libedit on a stack of its own, fed one character at a time, drawn by others.  Runs on the UI
   thread, never calls Python, never touches the terminal. */
#ifndef CDBG_EDITOR_H
#define CDBG_EDITOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

struct err;

enum editor_want { EDITOR_MORE, EDITOR_LINE, EDITOR_EOF, EDITOR_COMPLETE };

int editor_open(long history, struct err *err); /* history: lines that are kept */
bool editor_ok(void);				/* its descriptors are still ours */
void editor_close(void);
/* One character (or a byte of a key sequence, which libedit's own bindings read). */
enum editor_want editor_feed(uint32_t c);
/* After EDITOR_LINE, EDITOR_EOF or EDITOR_COMPLETE: go on. */
enum editor_want editor_go_on(void);
const char *editor_text(void);			/* the line of EDITOR_LINE, UTF-8 */
void editor_cancel(void);			/* Ctrl-C: the line is dropped, whatever state the editor is in */
void editor_insert(const char *text, size_t n); /* as typed, with control characters as spaces */
void editor_set(const char *text);		/* the whole line */
/* What to draw: the line, the cursor's byte in it, and libedit's search label ("bck:pattern") or "". */
void editor_show(struct buf *line, size_t *cursor, struct buf *label);
bool editor_empty(void);
bool editor_idle(void);	  /* emacs mode, no search of the history: Escape alone means nothing */
bool editor_beeped(void); /* since the last call */
/* libedit's own bindings, as `bind -l` and the like; what it prints goes to out. */
void editor_command(const char *line, struct buf *out);

#endif
