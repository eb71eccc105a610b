/* SPDX-License-Identifier: BSD-3-Clause */
/* What the stopped thread does for the UI thread.  Knows no screen. */
#ifndef CDBG_TUI_SERVE_H
#define CDBG_TUI_SERVE_H
#include "engine/session.h"

void tui_serve_views(void);			 /* sends the list of views to the UI */
struct val *tui_serve_status(struct session *s); /* what the status line says: owned by the caller */
/* Waits for one request.  Puts a command line, owned by the caller, into *line; answers all other requests.  false:
   the screen has ended. */
bool tui_serve_one(struct session *s, char **line);
/* Appends the answer of a command, as text for people, to out and to the log. */
void tui_serve_text(struct session *s, const struct ran *ran, struct buf *out);
/* Answers the command line that tui_serve_one() returned; takes the text. */
void tui_serve_answer(struct session *s, const struct ran *ran, struct buf *text);

#endif
