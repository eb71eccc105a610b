/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines typed by a person: libedit on a terminal, with history and completion.  Knows no command. */
#ifndef CDBG_PROMPT_H
#define CDBG_PROMPT_H
#include <stdbool.h>
#include "engine/session.h"

/*
 * A line without its newline, owned by the caller; NULL: *end says why.  On a terminal it is edited and, unless it is
 * an answer to a question (ask), yes or no, kept in the history; else it is read byte by byte: what follows is the
 * program's.
 */
char *prompt_line(struct session *s, const char *prompt, bool ask, enum input_end *end);
/* The answer that a line is to a question: 1 for yes, 0 for no, beginnings of the words too; -1: for neither. */
int prompt_yes(const char *line);
/* Ctrl-C was typed on a terminal that sends no signal.  While a line is read, what is typed so far goes; false: none is
   read.  Any thread. */
bool prompt_interrupt(void);
/* Leaves the terminal for good: nothing of the editor is kept. */
void prompt_close(void);
/* Any thread: while a line is read, what the client beside this front end has asked for is served. */
void prompt_wake(void);
/* Before something is written while a line is being typed: it is drawn again afterwards. */
void prompt_aside(void);
void prompt_open(int in, int out, bool terminal);
bool prompt_ok(void); /* all descriptors of the prompt are still ours */
/* Restores the terminal to its modes before the first prompt, in any state. Async-signal-safe. */
void prompt_restore(void);

#endif
